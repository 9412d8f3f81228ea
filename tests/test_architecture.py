"""Dependencies point one way, the public surface is what it is meant to be, and files stay small."""

from __future__ import annotations

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import referee

SOURCE = Path(referee.__file__).parent
LAYERS = [
    {"errors", "arrays", "records"},
    {"catalogue", "document"},
    {"predictions", "sources"},
    {"engines"},
    {"scoring", "metrics"},
    {"comparing", "significance_tests"},
    {"fitting", "schemes", "learners"},
    {"thresholds", "calibration", "advice"},
    {"paper", "lecture", "testing"},
    {"page"},
    {"cli", "__main__"},
]
"""From the ground up; a catalogue stands in the layer of the room whose type its entries are."""
CATALOGUES = ("metrics", "significance_tests", "schemes", "learners", "sources")
"""The room of each discovers its entries by the name of their folder."""
LOOKING_UP = {
    ("predictions/predictions.py", "engines"): "Predictions.fingerprint",
    ("document/result.py", "page"): "Result.to_html and Result.plot",
}
"""Calls upwards that make the public types convenient; each is imported inside the method."""
NOUNS_ALL_THE_SAME = {"learners/boosting.py", "schemes/random_subsampling.py"}
"""Entries whose names people type."""
RIDDLES = {"one", "found", "of"}
"""Names of variables that say nothing of what these hold."""
INNER = re.compile(r"referee\.\w[\w.]*")


def modules():
    for file in sorted(SOURCE.rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        yield parts[0] if parts[0] != "__init__" else "referee", file


@cache
def imported(file):
    """The modules of the package that a file needs at run time, wherever it imports them and however."""
    return [name for node in needed_at_run_time(ast.parse(file.read_bytes())) for name in named_by(node)]


def needed_at_run_time(tree):
    """All nodes but those for types only."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def named_by(node):
    match node:
        case ast.ImportFrom(module="referee"):
            return [f"referee.{each.name}" for each in node.names if (SOURCE / each.name).is_dir()]
        case ast.ImportFrom(module=str(module)) if INNER.match(module):
            return [module]
        case ast.Import():
            return [each.name for each in node.names if INNER.match(each.name)]
        case ast.Constant(value=str(text)) if INNER.fullmatch(text):  # what `import_module` is given
            return [text] if text.split(".")[1] not in CATALOGUES else []
    return []


def edges():
    """Which file uses which room or loose module."""
    return {
        (file, name, other)
        for name, file in modules()
        if name != "referee"
        for other in {module.split(".")[1] for module in imported(file)}
        if other != name
    }


def short(file):
    return file.relative_to(SOURCE).as_posix()


def layer(name):
    (depth,) = [depth for depth, names in enumerate(LAYERS) if name in names] or [None]
    return depth


def test_every_room_has_its_layer():
    assert {name for name, _ in modules() if name != "referee" and layer(name) is None} == set(), "add it to LAYERS"


def test_dependencies_point_one_way():
    upwards = {(short(file), other) for file, name, other in edges() if layer(other) > layer(name)}
    assert upwards == set(LOOKING_UP)


def test_no_import_inside_a_function_hides_a_cycle_between_rooms():
    uses = {}
    for file, name, other in edges():
        if (short(file), other) not in LOOKING_UP:
            uses.setdefault(name, set()).add(other)
    TopologicalSorter(uses).prepare()  # an error names the rooms of the cycle


def test_the_paper_sees_only_the_faces_of_rooms():
    inner = {
        (short(file), module)
        for name, file in modules()
        if name == "paper"
        for module in imported(file)
        if module.count(".") > 1 and not module.startswith("referee.paper.")
    }
    assert inner == set()


def test_public_names():
    expected = ["Comparison", "Gate", "Metric", "Predictions", "ReadOptions", "RefereeError", "Scheme", "Score"]
    expected += ["Scores", "SignificanceTest", "State", "Verdict", "advise", "calibrate", "compare", "curves"]
    expected += ["evaluate", "gate", "history", "learners", "lint", "metrics", "plan", "refit", "schemes", "select"]
    expected += ["study", "summarise", "tests"]
    expected += ["threshold"]
    assert sorted(referee.__all__) == expected
    assert all(getattr(referee, name).__doc__ for name in expected)


def test_everything_public_has_an_example():
    catalogues = ("learners", "metrics", "schemes", "tests")
    for name in referee.__all__:
        documented = type(referee.metrics) if name in catalogues else getattr(referee, name)
        assert ">>>" in documented.__doc__ or name in ("Score",), name


def test_files_stay_small():
    lines = {file: len(file.read_text().splitlines()) for _, file in modules()}
    assert [file for file, many in lines.items() if many > (90 if file.name == "__init__.py" else 350)] == []


def test_modules_are_nouns():
    assert {short(file) for _, file in modules() if file.stem.endswith("ing")} == NOUNS_ALL_THE_SAME


def test_functions_stay_short_and_variables_say_what_they_hold():
    long, riddles = [], []
    for _, file in modules():
        for node in ast.walk(ast.parse(file.read_bytes())):
            match node:
                case ast.FunctionDef() if node.body[-1].end_lineno - first_line(node) > 40:
                    long.append((short(file), node.name))
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in RIDDLES:
                    riddles.append((short(file), name))
    assert (long, riddles) == ([], [])


def first_line(function):
    """Of its body, without the docstring."""
    return function.body[bool(ast.get_docstring(function)) and len(function.body) > 1].lineno


def test_the_top_is_easily_looked_through():
    names = [path for path in SOURCE.iterdir() if path.name != "__pycache__"]
    assert len(names) <= 26
    assert len([path for path in names if path.suffix == ".py"]) <= 6


def test_only_engines_know_their_names():
    """Others ask what an engine can do."""
    asks = re.compile(r"predictions\.engine (==|!=|in) |self\.engine (==|!=|in) ")
    asking = {short(file) for room, file in modules() if room != "engines" and asks.search(file.read_text())}
    assert not asking
