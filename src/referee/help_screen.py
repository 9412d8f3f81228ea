"""Classes whose `help()` fits a screen: a line for each thing that they offer, instead of three and all inner names."""

from __future__ import annotations

import sys
from abc import ABCMeta
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 76
"""Of a line; `help()` puts four columns before it."""


class OneScreen(ABCMeta):
    """Adds what a class offers to its docstring, which is all that `help()` shows of it.

    >>> class Ruling(metaclass=OneScreen):
    ...     '''What was decided.'''
    ...     def to_text(self):
    ...         '''As a sentence.'''
    >>> print(Ruling.__doc__)
    What was decided.
    <BLANKLINE>
        Offers:
          to_text()  As a sentence.
    >>> "to_text" in dir(Ruling)
    True
    """

    def __init__(cls, name: str, bases: tuple[type, ...], content: dict[str, Any], **further: Any) -> None:
        super().__init__(name, bases, content, **further)
        if doc := content.get("__doc__"):
            cls.__doc__ = "\n    ".join((doc.rstrip(), *_offer_lines(cls)))

    def __dir__(cls) -> Iterable[str]:
        """Everything, but for `help()`: there the docstring has said it."""
        is_help = sys._getframe(1).f_code.co_name == "classify_class_attrs"
        return () if is_help else super().__dir__()


def _offer_lines(kind: type) -> Iterator[str]:
    offers = _offers(kind)
    if not offers:
        return
    yield from ("", "Offers:")  # a doctest ends where a line is empty
    width = max(len(name) for name in offers)
    for name, said in offers.items():
        line = f"  {name:{width}}  {said}"
        if said:
            yield line if len(line) <= WIDTH else line[: line.rindex(" ", 0, WIDTH - 3)].rstrip(",;:") + " ..."
    unexplained = ", ".join(name for name, said in offers.items() if not said)
    yield from (f"  {line}" for line in wrap(unexplained, WIDTH - 2))


def _offers(kind: type) -> dict[str, str]:
    """Public methods and properties, its own first, with the first sentence about each."""
    offers: dict[str, str] = {}
    for base in kind.__mro__:
        if isinstance(base, OneScreen):
            for name, member in vars(base).items():
                function = _function_of(member)
                if function is not None and not name.startswith("_"):
                    called = name if isinstance(member, property | cached_property) else f"{name}()"
                    offers[called] = offers.get(called) or _first_line(function)
    return offers


def _function_of(member: Any) -> Any:
    """What stands behind a method or property; None of anything else."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    member = getattr(member, "__func__", member)
    return member if hasattr(member, "__code__") else None


def _first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]
