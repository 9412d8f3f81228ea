"""Frozen dataclasses that cost nothing until they are used.

The standard library compiles six functions for each class when it is defined: half a millisecond, for a hundred classes
of a short run. Here five are shared by all classes; fields are looked at, and `__init__` is compiled, when the first
object is made.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool, eq: bool = True, repr: bool = True) -> Callable[[type], type]:  # noqa: A002 (its name there)
        """The same as `dataclasses.dataclass(frozen=True)`; `fields`, `replace` and `asdict` know its classes.

        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.5), Point(1.5) == Point(1.5, 0.0), dataclasses.replace(Point(1.5), y=2.0).y
        (Point(x=1.5, y=0.0), True, 2.0)
        """
        if not frozen:
            raise TypeError("records are frozen; for others there is dataclasses.dataclass")
        shared = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        shared |= {"__repr__": _shown} if repr else {}
        shared |= {"__eq__": _equals, "__hash__": _hashed} if eq else {}

        def made(kind: type) -> type:
            kind.__doc__ = kind.__doc__ or kind.__name__  # else the standard library writes one, which takes long
            for name in shared.keys() - vars(kind).keys():
                setattr(kind, name, shared[name])
            kind.__dataclass_fields__ = _Fields(kind)
            kind.__init__ = _Init(kind)
            return kind

        return made


class _Fields:
    """Stands for a class's fields until somebody asks for them."""

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        kind: Any = self.kind
        known: dict[str, Any] = {}
        for base in reversed(kind.__mro__[1:]):
            known |= getattr(base, "__dataclass_fields__", {})
        known |= {name: _field(kind, name) for name in vars(kind).get("__annotations__", ())}
        kind.__dataclass_fields__, kind.__dataclass_params__ = known, FROZEN
        positional = (name for name, each in known.items() if each.init and not each.kw_only)
        kind.__match_args__ = tuple(positional)  # type: ignore[misc]
        return known


FROZEN = SimpleNamespace(frozen=True)
"""What the standard library asks of a class that it inherits from."""


def _field(kind: Any, name: str) -> Any:
    """As the standard library makes one, which also looks for five other things that an annotation may be."""
    given = vars(kind).get(name, MISSING)
    made: Any = given if isinstance(given, Field) else dataclasses.field(default=given)
    if made is given and made.default is MISSING:
        delattr(kind, name)
    elif made is given:
        setattr(kind, name, made.default)
    made.name, made.type, made._field_type = name, vars(kind)["__annotations__"][name], dataclasses._FIELD  # type: ignore[attr-defined]
    made.kw_only = made.kw_only is True
    return made


class _Init:
    """Stands for a class's `__init__` until that is asked for."""

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self.kind.__init__ = init = _init_of(self.kind)  # type: ignore[misc]
        return init.__get__(instance, owner)


class _Made:
    """Says that a default is made for each object."""

    def __repr__(self) -> str:
        return "<factory>"


MADE = _Made()


def _init_of(kind: Any) -> Any:
    given = sorted((field for field in fields(kind) if field.init), key=attrgetter("kw_only"))
    optional = [field for field in given if field.default is not MISSING or field.default_factory is not MISSING]
    scope: dict[str, Any] = {"__made": MADE}
    lines = ["__values = self.__dict__"]
    for field in fields(kind):
        if field.default_factory is not MISSING:
            scope[f"__new_{field.name}"] = field.default_factory
            value = f"__new_{field.name}()" + (f" if {field.name} is __made else {field.name}" if field.init else "")
            lines.append(f"__values[{field.name!r}] = {value}")
        elif field.init:
            lines.append(f"__values[{field.name!r}] = {field.name}")
    lines += ["self.__post_init__()"] if hasattr(kind, "__post_init__") else []
    words = [f"{field.name}=None" if field in optional else field.name for field in given]
    first = sum(not field.kw_only for field in given)
    named = ["*", *words[first:]] if words[first:] else []
    exec(f"def __init__({', '.join(['self', *words[:first], *named])}):\n " + "\n ".join(lines), scope)
    init = scope["__init__"]
    defaults = {field: MADE if field.default is MISSING else field.default for field in optional}
    init.__defaults__ = tuple(value for field, value in defaults.items() if not field.kw_only)
    init.__kwdefaults__ = {field.name: value for field, value in defaults.items() if field.kw_only}
    init.__annotations__ = {field.name: field.type for field in given} | {"return": None}
    init.__qualname__, init.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    return init


@cache
def _compared(kind: Any) -> Callable[[object], Any]:
    names = [field.name for field in fields(kind) if field.compare]
    return attrgetter(*names) if names else lambda _: ()


def _equals(self: Any, other: Any) -> bool:
    kind: Any = self.__class__
    if self is other or other.__class__ is not kind:
        return self is other or NotImplemented
    return bool(_compared(kind)(self) == _compared(kind)(other))


def _hashed(self: Any) -> int:
    return hash(_compared(self.__class__)(self))


@recursive_repr()
def _shown(self: Any) -> str:
    named = [f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr]
    return f"{self.__class__.__qualname__}({', '.join(named)})"


def _refuse_to_set(_self: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
