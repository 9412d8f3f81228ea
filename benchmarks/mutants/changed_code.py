"""A mistake put into a program that runs: the code of the functions is exchanged, wherever they are held."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from benchmarks.mutants.operators import mutated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.mutants.operators import Mutant

    Codes = dict[tuple[str, int], list[CodeType]]
    """By name and line: several lambdas of one line have the same."""


def functions_by_file() -> dict[str, list[FunctionType]]:
    """All functions that there are, also those behind decorators and in closures."""
    functions: dict[str, list[FunctionType]] = defaultdict(list)
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            functions[function.__code__.co_filename].append(function)
    return functions


def caches_in(folder: Path) -> list[Any]:
    """What functions of the folder's files were asked before, and keep the answers of."""
    every = [(each, each.__wrapped__) for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
    written = [(each, made) for each, made in every if isinstance(made, FunctionType)]
    return [each for each, made in written if Path(made.__code__.co_filename).is_relative_to(folder)]


def put_in(mutant: Mutant, root: Path, functions: dict[str, list[FunctionType]]) -> None:
    """From now on the functions make the mistake; their module must have been loaded, and be the file's."""
    path = str(root / mutant.path)
    source = Path(path).read_bytes()
    before, tree = _codes(ast.parse(source), path), mutated(source, mutant)
    codes = _codes(tree, path)
    for lost, name in _without_a_variable(before, codes):
        _mention(tree, lost, name)
    codes = _codes(tree, path)
    are_changed = False
    for function in functions.get(path, ()):
        old, new = (each.get(_key(function.__code__), []) for each in (before, codes))
        if len(old) == len(new) and function.__code__ in old:
            changed = new[old.index(function.__code__)]
            are_changed |= changed != function.__code__
            function.__code__ = changed
    if not are_changed:
        raise LookupError(f"no function that is loaded makes the mistake: {mutant.key}")


def _codes(tree: ast.Module, path: str) -> Codes:
    codes: Codes = defaultdict(list)
    for code in _all_codes(compile(tree, path, "exec", dont_inherit=True)):
        codes[_key(code)].append(code)
    return codes


def _key(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _all_codes(inner)


def _without_a_variable(before: Codes, after: Codes) -> Iterator[tuple[CodeType, str]]:
    """Functions that no longer use a variable from around them: Python would refuse them the old one's place."""
    for key, old in before.items():
        for one, other in zip(old, after.get(key, []), strict=False):
            yield from ((one, name) for name in one.co_freevars if name not in other.co_freevars)


def _mention(tree: ast.Module, function: CodeType, name: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.co_name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == function.co_firstlineno:
                never = ast.If(ast.Constant(value=False), [ast.Expr(ast.Name(name, ast.Load()))], [])
                node.body.append(ast.fix_missing_locations(ast.copy_location(never, node.body[-1])))
