"""Coverage-guided search by Atheris: bytes and texts that reach new lines of readers, states, calibrators and calls.

`python -m tests.fuzz.guided csv -max_total_time=60` searches one target; an error that is not ours ends it. Atheris is
not among the locked packages: requirements-fuzz.lock has it (Linux only).
"""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

FOLDER = Path(mkdtemp())


def read(name):
    def target(content):
        from referee.predictions import read_table

        path = FOLDER / name
        path.write_bytes(content)
        read_table(path)

    return target


def state(content):
    from referee.predictions import STATE_MAGIC, states_in
    from referee.predictions.table import ReadOptions

    path = FOLDER / "day.state"
    path.write_bytes(STATE_MAGIC + content)
    states_in([str(path)], ReadOptions())


def store(content):
    """A record whose checksums agree: its JSON up to the first zero byte, its arrays after it."""
    from referee.fitting import Store
    from tests.faults.forgery import replace_record
    from tests.faults.samples import filled

    folder = FOLDER / "run"
    if not folder.exists():
        filled(folder, [1])
    text, _, arrays = content.partition(b"\0")
    replace_record(folder / "results.sqlite", "unit 1", lambda *_: (text, arrays))
    with Store.read(folder) as kept:
        kept.load("unit 1")


def calibrator(content):
    from referee.calibration import apply_to
    from referee.predictions import read_table

    path = FOLDER / "map.json"
    path.write_bytes(content)
    apply_to(read_table({"A": [0.1, 0.9]}), str(path), {})


def call_syntax(content):
    from referee import metrics
    from referee.catalogue import parse_call, split_list

    text = content.decode("utf-8", "replace")
    for part in split_list(text):
        parse_call(part)
    metrics[text]


def examples():
    """Good content, from which the search begins: bytes made up from nothing hardly ever become JSON or Parquet."""
    import io

    import numpy as np
    import pyarrow as pa
    from pyarrow import feather, parquet

    from referee.calibration import Calibrator
    from referee.calibration.methods import METHODS

    scores, truth = np.linspace(0.05, 0.95, 40), np.arange(40) * 7 % 10 < np.arange(40) / 4
    columns = pa.table({"y": truth[:8].astype(int), "A": scores[:8], "B": [f"b{row}" for row in range(8)]})
    array, parquet_file, arrow_file = io.BytesIO(), io.BytesIO(), io.BytesIO()
    np.save(array, scores[:8])
    parquet.write_table(columns, parquet_file)
    feather.write_feather(columns, arrow_file)
    maps = [
        Calibrator(method).fit(scores, truth).to_json(model="A", source_columns=["A"]).encode() for method in METHODS
    ]
    return {
        "csv": [b"y,A,B\n1,0.5,0.25\n0,0.25,0.5\n", b'y;A;B\r\n"a;b";0,5;\r\n'],
        "json lines": [b'{"y": 1, "A": 0.5}\n{"y": 0, "A": null}\n', b'[{"y": "a", "A": 9007199254740993}]'],
        "arff": [b"@relation r\n@attribute y {a,b}\n@attribute A numeric\n@data\na,0.5\nb,?\n{1 0.25}\n"],
        "npy": [array.getvalue()],
        "parquet": [parquet_file.getvalue()],
        "arrow": [arrow_file.getvalue()],
        "store": [b'{"fit": 1}\0'],
        "calibrator": [*maps, b"[" + b",".join(maps[:2]) + b"]"],
        "call syntax": [b"f_beta(beta=2)", b"roc_auc,recall_at_precision(precision=0.9, average='macro')"],
    }


TARGETS = {
    "csv": read("rows.csv"),
    "json lines": read("rows.jsonl"),
    "arff": read("rows.arff"),
    "npy": read("rows.npy"),
    "parquet": read("rows.parquet"),
    "arrow": read("rows.arrow"),
    "state": state,
    "store": store,
    "calibrator": calibrator,
    "call syntax": call_syntax,
}


def safely(target):
    """Errors that are meant for the user are answers."""

    def run(content):
        from referee import RefereeError

        warnings.simplefilter("error")
        with suppress(RefereeError):
            target(content)

    return run


def main(name, arguments):
    import atheris

    search, corpus = safely(TARGETS[name]), FOLDER / "corpus"
    corpus.mkdir()
    with atheris.instrument_imports(include=["referee"]):
        for number, content in enumerate(examples().get(name, [b""])):
            search(content)  # all imports are instrumented, and take no time from the search
            (corpus / str(number)).write_bytes(content)
    atheris.Setup([sys.argv[0], *arguments, str(corpus)], search)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
