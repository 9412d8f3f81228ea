"""Write the frozen texts anew: `python -m tests.golden`."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import shlex
import sys
import tempfile
from pathlib import Path
from unittest import mock

from tests.golden.commands import CASES, PAGES, lasting, visible, without_fitted

HERE = Path(__file__).parent
SCRIPTS = sorted((HERE / "scripts").iterdir())


def without_clock(result, loads=pickle.loads):
    """A worker's answer whose times and sizes follow from the name of the model."""
    answer = loads(result)
    for name, record in answer.items() if isinstance(answer, dict) else ():
        if isinstance(record, dict) and "fit_seconds" in record:
            size = record["size"]["bytes"] = 100.0 * len(name)
            record |= {"fit_seconds": size * 1e-5, "predict_seconds": size * 1e-6, "train_predict_seconds": size * 1e-6}
    return answer


def printed(arguments):
    """What the command prints, with its errors and its exit code."""
    from referee.cli.process import run

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch("pickle.loads", without_clock):
        code = run(arguments)
    said = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return without_fitted(lasting("".join(said) + f"exit {code}\n"), arguments[0])


def page_of(line):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        quiet = [] if line.split()[0] in ("metrics", "lecture") else ["--quiet"]
        printed([*line.split(), "--html", str(path), *quiet])
        return without_fitted(lasting(visible(path.read_text())), line.split()[0])


def transcript(script):
    """Many commands on small, untidy tables, most of them refused: each with what it answers."""
    return "\n".join(f"$ {line}\n{printed(shlex.split(line))}" for line in script.read_text().splitlines())


def texts():
    """How each text is made, by name; in the folder of the inputs."""
    for name, arguments in CASES:
        yield name, lambda arguments=arguments: printed(arguments)
    for name, line in PAGES.items():
        yield f"{name}.page", lambda line=line: page_of(line)
    for script in SCRIPTS:
        yield f"{script.stem}.script", lambda script=script: transcript(script)


if __name__ == "__main__":
    os.chdir(HERE / "inputs")
    os.environ["COLUMNS"] = "80"
    for name, made in texts():
        if not sys.argv[1:] or name in sys.argv[1:]:
            (HERE / "texts" / name).write_text(made())
