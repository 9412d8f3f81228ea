"""Every notebook runs, and shows what it was published with."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs/notebooks").glob("*.ipynb"))


def test_there_are_five():
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_prints_what_it_shows(notebook, capsys):
    assert notebook.stat().st_size < 300_000
    scope: dict[str, object] = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            drawn = run("".join(cell["source"]), scope)
            shown = cell["outputs"]
            streams = ["".join(output["text"]) for output in shown if output["output_type"] == "stream"]
            assert_same_text(capsys.readouterr().out, "".join(streams))
            assert bool(drawn) == any("image/svg+xml" in output.get("data", {}) for output in shown)


NUMBER = re.compile(r"\d+(?:\.\d+)?")


def assert_same_text(made, published):
    """Words alike, numbers within 2%: fits differ from machine to machine."""
    assert NUMBER.sub("#", made) == NUMBER.sub("#", published)
    assert [*map(float, NUMBER.findall(made))] == pytest.approx([*map(float, NUMBER.findall(published))], rel=0.02)


def run(code, scope):
    """The picture that a cell ends with, if it ends with one."""
    *lines, last = ast.parse(code).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), scope)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), "cell", "exec"), scope)
        return None
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), scope)
    return value._repr_svg_() if hasattr(value, "_repr_svg_") else None
