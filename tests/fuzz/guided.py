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

    with atheris.instrument_imports(include=["referee"]):
        import referee.fitting.runner.store
        import referee.predictions.locations
        import referee.sources  # noqa: F401
    search = safely(TARGETS[name])
    search(b"")  # imports take no time from the search
    atheris.Setup([sys.argv[0], *arguments], search)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
