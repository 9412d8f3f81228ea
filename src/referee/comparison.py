"""Comparison: how two models differ on one metric, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from referee.student_t import quantile, tail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.design import Design
    from referee.errors import Notice


@dataclass(frozen=True)
class Comparison:
    """The result of one significance test; `difference` is a minus b, in the metric's own units.

    >>> from referee import tests
    >>> found = tests["paired_t"]([0.9, 0.8, 0.85, 0.95], [0.7, 0.75, 0.7, 0.8])
    >>> found.outcome, found.df
    ('a', 3)
    """

    difference: float | None
    p: float | None
    outcome: Literal["a", "b", "tie", "different"] | None
    """None where the comparison is undefined; several models at once are a tie or different."""
    statistic: float | None = None
    df: float | None = None
    critical: float | None = None
    """The value that the statistic must exceed in size to be significant."""
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    units: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else this test found: wins and losses, probabilities, ranks ..."""
    warnings: tuple[Notice, ...] = ()
    undefined: str | None = None
    a: str = "a"
    b: str = "b"
    metric: str | None = None
    test: str = ""
    alpha: float = 0.05
    p_adjusted: float | None = None

    @property
    def winner(self) -> str | None:
        """The name of the better model, if there is one."""
        return {"a": self.a, "b": self.b}.get(self.outcome or "")

    def against(self, name: str) -> str:
        """The other one of the two models."""
        return self.b if name == self.a else self.a

    def to_dict(self) -> dict[str, Any]:
        first = ("a", "b", "metric", "test", "statistic", "df", "critical", "difference", "low", "high")
        last = ("p", "p_adjusted", "outcome", "standard_error", "units", "undefined")
        fields = {name: _plain(getattr(self, name)) for name in (*first, *last)}
        return fields | {"details": dict(self.details), "warnings": [vars(notice) for notice in self.warnings]}


def _plain(value: Any) -> Any:
    """What JSON can hold: infinitely many degrees of freedom are the normal distribution's, written as null."""
    return None if isinstance(value, float) and not isfinite(value) else value


def by_student_t(difference: float, standard_error: float, df: float, design: Design, **more: Any) -> Comparison:
    """Compare a difference with its standard error; infinite `df` is the normal distribution."""
    statistic = difference / standard_error
    critical = quantile(1 - design.alpha / 2, df)
    reach = critical * standard_error
    p = 2 * tail(abs(statistic), df)
    return Comparison(
        difference,
        p,
        design.outcome(difference, p),
        statistic,
        df,
        critical,
        difference - reach,
        difference + reach,
        standard_error,
        **more,
    )


def no_difference(design: Design, **more: Any) -> Comparison:  # noqa: ARG001 (made like the others)
    """Not one unit differs: a tie, and nothing speaks against it."""
    return Comparison(0.0, 1.0, "tie", low=0.0, high=0.0, standard_error=0.0, **more)


def undefined(reason: str, **more: Any) -> Comparison:
    return Comparison(None, None, None, undefined=reason, **more)
