"""The command line starts at once: heavy packages are imported where they are used."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = ("sklearn", "scipy", "numba", "duckdb", "ibis", "pandas", "polars", "typst", "pyarrow", "numpy", "rich")
LIGHT_ENOUGH = {
    "import referee": HEAVY,
    "import referee.cli.process": HEAVY,
    "from referee import metrics; list(metrics)": HEAVY,
    "from referee import metrics; metrics['roc_auc']([0, 1], [0.2, 0.9])": (
        # PyArrow itself imports pandas, if it is there, to know pandas objects.
        "sklearn", "scipy", "numba", "duckdb", "ibis", "polars", "typst",
    ),
}  # fmt: skip


def imported_by(code):
    """The top-level packages that a fresh interpreter has loaded after running the code."""
    ending = "; import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    run = subprocess.run([sys.executable, "-c", code + ending], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(("code", "unwanted"), list(LIGHT_ENOUGH.items()))
def test_nothing_heavy_at_start_up(code, unwanted):
    assert not imported_by(code) & set(unwanted)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["evaluate", "--help"], ["metrics", "--help"]])
def test_help_needs_nothing_heavy(arguments):
    quietly = "from referee.cli.process import run; import io, sys; sys.stdout = io.StringIO(); "
    code = f"{quietly}run({arguments!r}); sys.stdout = sys.__stdout__"
    assert not imported_by(code) & set(HEAVY)


NOT_TO_COMPARE = ("sklearn", "scipy", "numba", "duckdb", "ibis", "pandas", "polars", "typst", "jinja2", "narwhals",
                  "numpy.ma", "numpy.random", "hashlib", "joblib", "referee.page", "referee.fitting.fits",
                  "referee.fitting.runner", "referee.fitting.selection", "referee.paper",
                  "referee.calibration")  # fmt: skip


@pytest.mark.parametrize("told", [["compare", "--goal", "roc_auc"], ["evaluate"]])
def test_a_small_file_loads_nothing_that_it_does_not_need(tmp_path, told):
    file = tmp_path / "preds.csv"
    rows = "0,0.1,0.3\n1,0.8,0.4\n0,0.4,0.2\n1,0.35,0.9\n"
    file.write_text("y,a,b\n" + rows * 250)
    code = "from referee.cli.process import run; import sys; "
    ending = "; print(*sorted(sys.modules))"
    told = [told[0], str(file), "--truth", "y", *told[1:]]
    run = subprocess.run(
        [sys.executable, "-c", f"{code}run({told!r}){ending}"], capture_output=True, text=True, check=True
    )
    loaded = run.stdout.splitlines()[-1].split()
    assert "referee.scoring.scores" in loaded
    assert not [name for name in loaded if name in NOT_TO_COMPARE]


def test_the_end_is_quick_but_nobody_is_forgotten():
    code = "import atexit, threading; from referee.cli import main; atexit.register(print, 'at exit'); "
    code += "threading.Thread(target=lambda: (threading.main_thread().join(), print('a thread'))).start(); main()"
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    for words, ended in (["--version"], 0), (["compare", "no.csv"], 2):
        asked = [sys.executable, "-c", code, *words]
        run = subprocess.run(asked, env=buffered, capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout.splitlines()[-2:]) == (ended, ["a thread", "at exit"]), run
