"""The command line starts at once: heavy packages are imported where they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("sklearn", "scipy", "numba", "duckdb", "ibis", "pandas", "polars", "matplotlib", "pyarrow", "numpy", "rich")
LIGHT_ENOUGH = {
    "import referee": HEAVY,
    "import referee.cli.running": HEAVY,
    "from referee import metrics; list(metrics)": HEAVY,
    "from referee import metrics; metrics['roc_auc']([0, 1], [0.2, 0.9])": (
        # PyArrow itself imports pandas, if it is there, to know pandas objects.
        "sklearn", "scipy", "numba", "duckdb", "ibis", "polars", "matplotlib",
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
    quietly = "from referee.cli.running import run; import io, sys; sys.stdout = io.StringIO(); "
    code = f"{quietly}run({arguments!r}); sys.stdout = sys.__stdout__"
    assert not imported_by(code) & set(HEAVY)
