"""Dependencies point one way, the public surface is what it is meant to be, and files stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import referee

SOURCE = Path(referee.__file__).parent
LAYERS = [
    {"errors", "doors", "arrays", "wording", "short_names"},
    {"catalogue", "document"},
    {"predictions", "sources"},
    {"engines"},
    {"scoring", "metrics"},
    {"comparing", "significance_tests"},
    {"fitting", "schemes", "learners"},
    {"curve_points", "thresholds", "calibration", "advice"},
    {"paper", "testing"},
    {"report"},
    {"cli", "__main__"},
]
"""From the ground up; a catalogue stands in the layer of the room whose type its entries are."""
LOOKING_UP = {
    ("predictions", "engines"): "Predictions.fingerprint",
    ("scoring", "report"): "Scores.to_html",
    ("comparing", "report"): "Verdict.to_html and Gate.to_html",
}
"""Calls upwards that make the public types convenient; each is imported inside the method."""


def modules():
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        yield parts[0] if parts[0] != "__init__" else "referee", file


def imports(file):
    """The parts of the package that a file needs at run time."""
    tree = ast.parse(file.read_text())
    for_types_only = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in for_types_only
            and (node.module or "").startswith("referee.")
        ):
            yield node.module.split(".")[1]


def layer(name):
    (found,) = [depth for depth, names in enumerate(LAYERS) if name in names] or [None]
    return found


def test_dependencies_point_one_way():
    inside = [(name, file) for name, file in modules() if name != "referee"]
    assert {name for name, _ in inside if layer(name) is None} == set(), "add it to LAYERS"
    uses = {(name, other) for name, file in inside for other in imports(file)}
    assert {(name, other) for name, other in uses if layer(other) > layer(name)} <= set(LOOKING_UP)


def test_every_exception_is_used():
    used = {(name, other) for name, file in modules() for other in imports(file)}
    assert set(LOOKING_UP) <= used


def test_public_names():
    expected = ["Comparison", "Metric", "Predictions", "ReadOptions", "RefereeError", "Scheme", "Score", "Scores"]
    expected += ["SignificanceTest", "Verdict", "advise", "compare", "evaluate", "gate", "lint", "metrics", "schemes"]
    expected += ["select", "tests"]
    assert sorted(referee.__all__) == expected
    assert all(getattr(referee, name).__doc__ for name in expected)


def test_everything_public_has_an_example():
    for name in referee.__all__:
        documented = type(referee.metrics) if name in ("metrics", "schemes", "tests") else getattr(referee, name)
        assert ">>>" in documented.__doc__ or name in ("Score",), name


def test_files_stay_small():
    lines = {file: len(file.read_text().splitlines()) for _, file in modules()}
    assert [file for file, many in lines.items() if many > (90 if file.name == "__init__.py" else 350)] == []
