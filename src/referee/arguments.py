"""Calling an entry's function with just the arguments that it names."""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@cache
def argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(signature(function).parameters)


def arguments_of(function: Callable[..., Any], available: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """Make each argument that the function names, and no other.

    >>> arguments_of(lambda truth, xp: None, {"truth": lambda: 1, "prediction": lambda: 1 / 0, "xp": lambda: 2})
    {'truth': 1, 'xp': 2}
    """
    return {name: available[name]() for name in argument_names(function) if name in available}
