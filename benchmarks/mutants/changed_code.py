"""A mistake put into a program that runs: the code of the functions is exchanged, wherever they are held."""

from __future__ import annotations

import gc
from collections import defaultdict
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from benchmarks.mutants.operators import mutated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.mutants.operators import Mutant


def functions_by_file() -> dict[str, list[FunctionType]]:
    """All functions that there are, also those behind decorators and in closures."""
    functions: dict[str, list[FunctionType]] = defaultdict(list)
    for function in gc.get_objects():
        if isinstance(function, FunctionType):
            functions[function.__code__.co_filename].append(function)
    return functions


def put_in(mutant: Mutant, root: Path, functions: dict[str, list[FunctionType]]) -> None:
    """From now on the functions make the mistake; their module must have been loaded."""
    path = str(root / mutant.path)
    module = compile(mutated(Path(path).read_bytes(), mutant), path, "exec", dont_inherit=True)
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _all_codes(module)}
    for function in functions.get(path, ()):
        code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
            function.__code__ = code


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _all_codes(inner)
