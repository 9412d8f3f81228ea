"""What a metric, a scheme and a significance test have in common: a name, aliases and parameters."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from inspect import Parameter as Argument
from inspect import signature
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from referee.catalogue.call_syntax import FIRST, plain_value, write_call
from referee.errors import UsageError, did_you_mean
from referee.records import dataclass

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


@dataclass(frozen=True)
class Parameter:
    """A setting of an entry: what it means, and the values it may have (its default stands in the code)."""

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[object, ...] | None = None
    above: bool = False
    """Whether `low` itself is excluded."""
    whole: bool = False
    """Whether it must be a whole number."""
    optional: bool = False
    """Whether it may be none."""
    names: str = ""
    """The kind of entry whose name it is, such as a scheme in a scheme."""

    def refusal(self, value: object) -> str | None:
        """Say why the value cannot be used, or None."""
        if value is None and self.optional:
            return None
        if self.names:
            return None if isinstance(value, str) else f"must be the name of a {self.names}"
        if self.choices is not None:
            return None if value in self.choices else f"is not one of {', '.join(map(str, self.choices))}"
        if self.low is None and self.high is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
            return "is not a finite number"
        return self._outside(value)

    def _outside(self, value: float) -> str | None:
        if self.whole and value % 1 != 0:
            return "must be a whole number"
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return f"must be {'above' if self.above else 'at least'} {self.low:g}"
        if self.high is not None and value > self.high:
            return f"must be at most {self.high:,}"
        return None


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:
        return False  # a whole number beyond all floats


class Entry:
    """Knowledge in one short file, found by the file's name; a frozen dataclass that adds its own fields."""

    name: str
    settings: Mapping[str, Any]
    """The parameters that are not the default."""
    parameters: Mapping[str, Parameter]
    aliases: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.full_name}>"

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Its code; the keywords of the code are the entry's parameters."""
        return ()

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """All parameters with their default values, in the order of the code."""
        arguments = [argument for function in self.functions for argument in signature(function).parameters.values()]
        return {a.name: a.default for a in arguments if a.kind is Argument.KEYWORD_ONLY}

    @cached_property
    def full_name(self) -> str:
        """The name with the parameters that are not the default, as it reads back."""
        return write_call(self.name, self.settings)

    def named(self, name: str) -> Self:
        return replace(self, name=name)  # type: ignore[type-var]

    def bind(self, **settings: Any) -> Self:
        """The same entry with other parameters.

        >>> from referee import metrics
        >>> metrics["f_beta"].bind(beta=2).full_name
        'f_beta(beta=2)'
        """
        settings = {key: plain_value(value) for key, value in self._named(settings).items()}
        for key, value in settings.items():
            self._refuse(key, value)
        wanted = self.defaults | dict(self.settings) | settings
        return replace(self, settings={key: wanted[key] for key in self.defaults if wanted[key] != self.defaults[key]})  # type: ignore[type-var]

    def _named(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings by their names, where the first was given without."""
        if FIRST not in settings:
            return settings
        first = next(iter(self.parameters), None)
        if first is None or first in settings:
            what = "has no parameters" if first is None else f"has {first} more than once"
            raise UsageError("E_PARAMETER", f"{self.name}({settings[FIRST]}): {self.name} {what}")
        return {first: settings.pop(FIRST)} | settings

    def _refuse(self, key: str, value: Any) -> None:
        if key not in self.defaults:
            hint = did_you_mean(key, self.defaults)
            raise UsageError("E_PARAMETER", f"{self.name} has no parameter {key!r}; {hint}", hint=hint)
        reason = None if value == self.defaults[key] else self.parameter(key).refusal(value)
        if reason:
            raise UsageError("E_PARAMETER", f"{self.name}({key}={value}): {key} {reason}")

    def parameter(self, key: str) -> Parameter:
        """The description of one of the settings; empty if the entry's file has none."""
        return self.parameters.get(key) or Parameter("")

    def formula_settings(self, function: Callable[..., Any]) -> dict[str, Any]:
        """The settings that one of the entry's functions takes."""
        return {key: value for key, value in self.settings.items() if key in argument_names(function)}
