"""The kinds of values that a public function takes, read from its annotations: another kind is refused at the door."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sized
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from referee.errors import CallError

if TYPE_CHECKING:
    from collections.abc import Collection
    from inspect import BoundArguments

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

EXAMPLES = {
    "alpha": "a number such as 0.05",
    "classes": "a list of all labels",
    "goal": "the name of a metric",
    "jobs": "a whole number of at least 1",
    "metrics": "a list of metrics",
    "store": "a folder",
    "timeout": "a number of seconds",
    "tolerance": "a number such as 0.01",
}
"""What is asked for, where more can be said than the annotation says."""
WORDS = {
    "str": "a text", "int": "a whole number", "float": "a number", "bool": "True or False", "PathLike": "a path",
    "Path": "a path", "Sequence": "a list", "Iterable": "a list", "Array": "an array", "Mapping": "a dict",
    "tuple": "a tuple", "Callable": "a function", "None": "None", "Task": "the name of a task", "Claim": "a text",
}  # fmt: skip
PLAIN: dict[str, Any] = {
    "str": str, "Literal": str, "Task": str, "Claim": str, "PathLike": PathLike,
    "Path": PathLike, "Callable": Callable,
}  # fmt: skip
"""A wrong word is answered by the function, with the nearest one."""
NUMBERS: dict[str, Any] = {"int": Integral, "float": Real}
SEVERAL = ("Sequence", "Iterable", "tuple", "Array")


def of_its_kinds(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Refuse arguments of another kind than a method's annotations name."""
    whole = signature(function)

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        refuse_other_kinds(function.__name__, whole.bind(*args, **kwargs))
        return function(*args, **kwargs)

    return call


def refuse_other_kinds(function: str, bound: BoundArguments, unchecked: Collection[str] = ()) -> None:
    """Stop where an argument is of no kind that its annotation names; our own types stand for their names."""
    for name, value in _named(bound):
        parameter = None if name in unchecked else bound.signature.parameters.get(name)
        asked = parameter.annotation if parameter else None
        if isinstance(asked, str) and parameter and value is not parameter.default and not _suits(value, asked):
            needed = EXAMPLES.get(name) or in_words(asked)
            raise CallError("E_CALL", f"{function}() was given {name}={_shown(value)}: {needed} is needed")


def _named(bound: BoundArguments) -> list[tuple[str, Any]]:
    several = {name for name, each in bound.signature.parameters.items() if each.kind is each.VAR_POSITIONAL}
    return [(name, value) for name, value in bound.arguments.items() if name not in several]


def _suits(value: Any, asked: str) -> bool:
    """No file has a name with a NUL in it."""
    return fits(value, asked) and not ("Path" in asked and isinstance(value, str) and "\0" in value)


def _shown(value: Any) -> str:
    try:
        return repr(value)[:40]
    except ValueError:  # a whole number of too many digits
        return "a very large number"


def fits(value: Any, annotation: str) -> bool:
    """Whether a value is of a kind that an annotation names.

    >>> [fits(value, "str | Sequence[int] | None") for value in ("a", [1, 2], None, ["a"], 5)]
    [True, True, True, False, False]
    """
    return _fits(value, _parsed(annotation))


def in_words(annotation: str) -> str:
    """What is asked for.

    >>> in_words("str | Sequence[str] | None"), in_words("Literal['a', 'b']")
    ('a text or a list', "'a' or 'b'")
    """
    *before, last = dict.fromkeys(_words(_parsed(annotation)))
    return f"{', '.join(before)} or {last}" if before else last


@cache
def _parsed(annotation: str) -> ast.expr:
    return ast.parse(annotation, mode="eval").body


def _name(node: ast.expr) -> str:
    """The name that stands for a kind, whatever is in its brackets."""
    inner = node.value if isinstance(node, ast.Subscript) else node
    return inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else "None"


def _inside(node: ast.expr) -> list[ast.expr]:
    if not isinstance(node, ast.Subscript):
        return []
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _words(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp):
        return [word for side in (node.left, node.right) for word in _words(side) if word != "None"]
    if (name := _name(node)) == "Literal":
        return [repr(each.value) for each in _inside(node) if isinstance(each, ast.Constant)]
    return [WORDS.get(name, f"a {name}")]


def _fits(value: Any, node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _fits(value, node.left) or _fits(value, node.right)
    return _is_of(value, _name(node), _inside(node))


def _is_of(value: Any, name: str, inside: list[ast.expr]) -> bool:
    if name in ("None", "Any"):
        return name == "Any" or value is None
    if name == "bool":
        return type(value).__name__ in ("bool", "bool_", "int")  # NumPy's, too
    if name in NUMBERS:
        return isinstance(value, NUMBERS[name]) and _is_in_range(value)
    if name in SEVERAL:
        return _are_several(value, name) and _fit_all(value, inside)
    if name == "Mapping":
        return hasattr(value, "columns") or (isinstance(value, Mapping) and _fit_pairs(value, inside))
    return isinstance(value, PLAIN[name]) if name in PLAIN else _is_ours(value)


def _is_in_range(value: Any) -> bool:
    try:
        return isinstance(float(value), float)
    except OverflowError:
        return False


def _are_several(value: Any, name: str) -> bool:
    if name == "tuple" or (name == "Array" and isinstance(value, set | frozenset)):
        return isinstance(value, tuple)
    return isinstance(value, Iterable) and isinstance(value, Sized) and not isinstance(value, str | bytes | Mapping)


def _fit_all(values: Any, inside: list[ast.expr]) -> bool:
    return all(_fits(value, kind) for kind in inside for value in values)


def _fit_pairs(values: Mapping[Any, Any], inside: list[ast.expr]) -> bool:
    """Where anything may be named, as models are, the names may be numbers, too."""
    key, content = inside
    return _name(content) == "Any" or all(_fits(a, key) and _fits(b, content) for a, b in values.items())


def _is_ours(value: Any) -> bool:
    return any(kind.__module__.startswith("referee.") for kind in type(value).__mro__)
