"""Basis: what a plan rests on: how sure a difference is, known from a pilot or from guesses."""

from __future__ import annotations

from dataclasses import replace
from math import floor, isfinite, log2
from typing import TYPE_CHECKING, Any, Literal

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.comparing import Precision
    from referee.errors import Notice

FEWEST = {"row": 2, "item": 2, "group": 4, "id": 4}
"""Units without which no verdict names a winner."""
USUAL_CORRELATION = 0.5
"""Of two models' errors, where nobody knows better."""


@dataclass(frozen=True)
class Basis:
    """The variance of a difference for each number of units, and where that is known from."""

    kind: Literal["pilot", "guess"]
    unit: str
    """What is counted: row, item, group, repeat, data set."""
    precision: Precision
    said: str
    """Where it comes from, in words."""
    between: str
    """Whose difference it is, as in "between a and b"."""
    values: Mapping[str, float]
    """Of the models that the difference is between."""
    correlation: float | None = None
    rows_per_unit: float = 1.0
    """Rows of a group; 0 where units add no rows: repeats."""
    rarer: tuple[str, float] | None = None
    """The rarer class and its share, where the value hangs on it."""
    limit: str = ""
    """Why more units may not be enough."""
    by_ranks: bool = False
    """Whether ranks of the units' differences will be tested, which a few cannot satisfy, whatever they show."""
    at_most: bool = False
    """Whether the variance is an upper bound, and so the number of units."""
    notices: tuple[Notice, ...] = ()

    def rows(self, units: float) -> int | None:
        """So many units have about so many rows."""
        return round(units * self.rows_per_unit) if self.rows_per_unit else None

    def fewest(self, alpha: float, sides: int) -> int:
        """With fewer units nothing can be significant: not even if all have the same sign.

        >>> from referee.comparing import Precision
        >>> Basis("pilot", "data set", Precision(8, 1.0), "", "", {}, by_ranks=True).fewest(0.05, 2)
        6
        """
        return floor(log2(sides / alpha)) + 1 if self.by_ranks else FEWEST.get(self.unit, 1)

    def within(self, alpha: float) -> tuple[Precision, Precision] | None:
        """The smallest and the largest variance that the pilot leaves possible; None where nothing was estimated.

        An estimated variance with so many degrees of freedom is distributed as chi-squared.
        """
        precision = self.precision
        df = precision.degrees_of_freedom(precision.units)
        if self.kind == "guess" or not isfinite(df):
            return None
        from scipy.special import gammaincinv

        def with_share(share: float) -> Precision:
            times = df / (2 * float(gammaincinv(df / 2, share)))
            return replace(precision, variance=times * precision.variance, floor=times * precision.floor)

        return with_share(1 - alpha / 2), with_share(alpha / 2)

    def to_dict(self) -> dict[str, Any]:
        precision = self.precision
        return {
            "kind": self.kind,
            "said": self.said,
            "values": dict(self.values),
            "correlation": self.correlation,
            "units": precision.units,
            "standard_error": precision.standard_error(precision.units),
            "df": precision.degrees_of_freedom(precision.units),
            "rows_per_unit": self.rows_per_unit or None,
            "at_most": self.at_most,
        }
