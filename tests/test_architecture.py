"""Dependencies point one way, the public surface is what it is meant to be, and files stay small."""

from __future__ import annotations

import ast
from pathlib import Path

import referee

SOURCE = Path(referee.__file__).parent
LAYERS = [
    {"errors", "arrays", "call_syntax", "arguments", "files", "shortening", "wording", "python_call", "student_t"},
    {"catalogue", "entry", "proportions"},
    {"splitting", "combining", "design"},
    {"scheme", "schemes", "splitters"},
    {"runner"},
    {"metric", "metrics", "summaries", "ranking", "additivity", "calibration_bins"},
    {"readers", "predictions", "facts"},
    {"columns"},
    {"engines", "formula", "applicability", "guessing", "marked_rows", "taking_turns"},
    {"dataset", "data", "preprocessing", "estimators", "learner", "learners", "specification", "model_size"},
    {"influence", "propriety"},
    {"cautions", "score_table", "scores", "scorer", "residuals"},
    {"comparison", "contender", "unit_differences", "row_pairs", "group_pairs", "sign_flips", "adjustments"},
    {"five_by_two", "mean_difference", "posterior", "ranks", "replicate_intervals", "signed_ranks"},
    {"significance", "significance_tests", "taking"},
    {"verdict"},
    {"curves"},
    {"thresholds"},
    {"calibration", "linting"},
    {"advice"},
    {"selection"},
    {"study"},
    {"testing", "demo"},
    {"report"},
    {"cli", "__main__"},
]
LOOKING_UP = {
    ("metric", "scores"): "a metric is callable",
    ("metric", "scorer"): "a metric gives a scikit-learn scorer",
    ("metric", "influence"): "a metric says which interval its value has",
    ("predictions", "columns"): "Predictions.read and from_arrays",
    ("predictions", "engines"): "Predictions.fingerprint",
    ("scores", "report"): "Scores.to_html",
    ("verdict", "report"): "Verdict.to_html and Gate.to_html",
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
    assert [file for file, many in lines.items() if many > (60 if file.name == "__init__.py" else 350)] == []
