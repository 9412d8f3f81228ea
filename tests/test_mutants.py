"""A mistake goes into the function that it is in, and into no other; what is to notice it is there."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType

import pytest

from benchmarks.mutants.changed_code import caches_in, put_in
from benchmarks.mutants.operators import mutants_of
from tests.golden.__main__ import texts

ROOT = Path(__file__).parents[1]

SOURCE = """
def pair():
    return (lambda x: x + 1), (lambda x: x * 10)

TWO = {"one": lambda x: x + 1, "other": lambda x: x * 10}

class First:
    def __init__(self, start):
        self.start = start

class Second(First):
    def __init__(self, start):
        super().__init__(start + 1)

def larger(x):
    return x if x > 3 else 3
"""


@pytest.fixture
def changed(tmp_path):
    """The module after a mistake, told by what it becomes."""
    path = tmp_path / "sample.py"
    path.write_text(SOURCE)

    def change(after):
        spec = spec_from_file_location("sample", path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        held = [*vars(module).values(), *module.TWO.values(), module.First.__init__, module.Second.__init__]
        functions = {str(path): [each for each in held if isinstance(each, FunctionType)]}
        (mutant,) = [each for each in mutants_of(path, "sample.py") if each.after == after]
        put_in(mutant, tmp_path, functions)
        return module

    return change


def test_only_the_changed_function_is_another(changed):
    module = changed("x >= 3")
    assert [module.TWO["one"](5), module.TWO["other"](5), module.Second(1).start] == [6, 50, 2]
    assert [lambda_(5) for lambda_ in changed("x - 1").pair()] == [4, 50]
    assert [lambda_(5) for lambda_ in changed("x / 10").pair()] == [6, 0.5]


def test_a_method_may_lose_the_variable_that_its_parent_was_found_by(changed):
    assert not hasattr(changed("pass").Second(1), "start")
    assert changed("start - 1").Second(1).start == 0


def test_a_part_of_an_expression_takes_its_place(changed):
    assert changed("3").larger(9) == 3
    assert changed("x").larger(1) == 1


def test_answers_that_a_file_keeps_are_found(tmp_path):
    path = tmp_path / "kept.py"
    path.write_text("from functools import lru_cache\n\n@lru_cache\ndef twice(x):\n    return 2 * x\n")
    spec = spec_from_file_location("kept", path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    (cache,) = caches_in(tmp_path)
    assert module.twice(4) == 8
    cache.cache_clear()
    assert module.twice.cache_info().currsize == 0


def test_a_mistake_that_no_function_makes_is_an_error(tmp_path):
    path = tmp_path / "sample.py"
    path.write_text(SOURCE)
    (mutant,) = [each for each in mutants_of(path, "sample.py") if each.after == "x >= 3"]
    with pytest.raises(LookupError, match="larger"):
        put_in(mutant, tmp_path, {})


@pytest.mark.parametrize("room", sorted((ROOT / "tests/rooms").iterdir()), ids=lambda path: path.stem)
def test_the_tests_that_a_list_names_are_there(room):
    """With one that is not, pytest takes none of the list, and no mistake is tried."""
    frozen = {name for name, _ in texts()}
    for entry in room.read_text().splitlines():
        place, _, case = entry.removeprefix("--deselect=").partition("[")
        path, *names = place.split("::")
        assert (ROOT / path).exists(), entry
        source = (ROOT / path).read_text() if names else ""
        assert all(re.search(rf"^ *(def|class) {name}\b", source, re.MULTILINE) for name in names), entry
        assert "test_golden.py" not in path or case.removesuffix("]") in frozen, entry
