"""Scripts of docs/ and benchmarks/ import what is there: nothing else runs them each time."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted([*ROOT.glob("docs/**/*.py"), *ROOT.glob("benchmarks/*.py"), *ROOT.glob("tests/browser/*.py")])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_script_imports_is_there(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    ours = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "referee"
    ]
    for node in ours:
        module = import_module(node.module)
        for name in node.names:
            assert hasattr(module, name.name) or import_module(f"{node.module}.{name.name}")
