"""Basis: what a plan rests on, known from a pilot, or from guesses of a value and a correlation alone."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, floor, inf, isfinite, log2, sqrt
from typing import TYPE_CHECKING, Any, Literal

from referee.comparing import ROWS_OF_A_STEP, Precision
from referee.document import counted, number
from referee.errors import Notice, UsageError
from referee.records import dataclass
from referee.scoring import FEW_PIECES, df_from_moments, in_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.scoring import Metric


FEWEST = {"row": 2, "item": 2, "group": 4, "id": 4}
"""Units without which no verdict names a winner."""
RARER_ROWS = 20
"""Of the rarer class: with fewer a verdict is called approximate, with fewer than half of it none is given."""
FEW_GROUPS = 10
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
    horizon: int | None = None
    """How many steps the forecasts of the pilot look ahead."""
    notices: tuple[Notice, ...] = ()
    read: Mapping[str, Any] | None = None
    """What was made of the pilot's columns."""

    def rows(self, units: float) -> int | None:
        """So many units have about so many rows."""
        return round(units * self.rows_per_unit) if self.rows_per_unit else None

    def pieces(self, units: float) -> float | None:
        """How many independent pieces so many units in time hold; None where they have no order."""
        known = self.precision.in_time
        return None if known is None else known.pieces_of(units / self.precision.units)

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
        } | ({} if precision.in_time is None else vars(precision.in_time))


def cautions(basis: Basis, units: int | None) -> Iterator[Notice]:
    """Why verdicts on so many units would be called approximate."""
    if units is None:
        return
    rows, rarer = basis.rows(units), basis.rarer
    if rows is not None and rarer is not None and rows * rarer[1] < RARER_ROWS:
        label = f"class {rarer[0]!r}" if basis.kind == "pilot" else "the rarer class"
        enough = f": take at least {ceil(RARER_ROWS / rarer[1]):,}" if rarer[1] else ""
        yield Notice(
            "W_FEWROWS",
            f"{counted(rows, 'row')} would have only about {rows * rarer[1]:.0f} of {label}, and verdicts with "
            f"fewer than {RARER_ROWS} are marked as approximate{enough}",
        )
    if basis.unit in ("group", "id") and units < FEW_GROUPS:
        yield Notice("W_FEWGROUPS", f"verdicts on fewer than {FEW_GROUPS} groups are marked as approximate")
    pieces = basis.pieces(units)
    if pieces is not None and pieces < FEW_PIECES:
        said = f"{in_pieces(pieces, units)}, and verdicts on fewer than {FEW_PIECES} are marked as approximate"
        yield Notice("W_FEWPIECES", said)
    if basis.horizon is not None and units < ROWS_OF_A_STEP * basis.horizon:
        enough = f"take at least {ROWS_OF_A_STEP * basis.horizon:,} rows"
        said = f"verdicts on fewer than {ROWS_OF_A_STEP} rows for each step of the horizon are marked as approximate"
        yield Notice("W_FEWROWS", f"{said}: {enough}")


SHARES = {
    "accuracy": "", "error_rate": "", "top_k": "", "share_above": "",
    "recall": "positive", "specificity": "negative", "false_positive_rate": "negative",
}  # fmt: skip
"""Metrics that are shares of rows, and of which rows: all, or those of one class."""
PLENTY = 10_000.0
"""Rows that a guess speaks of; the plan is in proportion to them."""


def is_bounded_mean(metric: Metric) -> bool:
    """Whether the value is a mean of rows between 0 and 1; scores are taken to be such."""
    ends = metric.range_of_two or metric.range
    return metric.name == "mean" or (metric.additive and tuple(ends) == (0, 1))


def refuse_no_guess(metric: Metric) -> None:
    """Stop where a value does not say how much rows vary."""
    if metric.name in (*SHARES, "roc_auc") or is_bounded_mean(metric):
        return
    name = metric.shown_name
    raise UsageError(
        "E_PLAN",
        f"the variance of {name} does not follow from its value, so it cannot be planned from guesses",
        hint="give a pilot: predictions of both models for 200 rows are often enough",
    )


@dataclass(frozen=True)
class Guess:
    """Two values on a metric, and the correlation between what rows add to them."""

    metric: Metric
    value: float
    other: float
    correlation: float
    prevalence: float | None = None

    def basis(self) -> Basis:
        self._refuse()
        name, at_most = self.metric.name, False
        if name in SHARES:
            precision, said = self._of_shares(), "a row is right or wrong (binomial)"
        elif name == "roc_auc":
            precision, said = self._of_areas(), "scores as in Hanley and McNeil (1982)"
        else:
            precision, at_most = Precision(PLENTY, self._bounded() / PLENTY, PLENTY - 1), True
            said = "rows between 0 and 1, which vary at most as much as rows of 0 and 1 do"
        shown = f"{self.metric.shown_name} {number(self.value)}"
        both = shown if self.other == self.value else f"{shown} and {number(self.other)}"
        said = f"guesses: {both}, correlation {self.correlation:g}; {said}{self._of_class()}"
        return Basis(
            "guess", "row", precision, said, "between two such models",
            {"a": self.value, "b": self.other}, self.correlation, rarer=self._rarer(), at_most=at_most,
        )  # fmt: skip

    def _rarer(self) -> tuple[str, float] | None:
        share = self.prevalence
        return None if share is None or self.metric.additive else ("rarer", min(share, 1 - share))

    def _of_class(self) -> str:
        return "" if self.prevalence is None else f"; {100 * self.prevalence:g}% positives"

    def _refuse(self) -> None:
        refuse_no_guess(self.metric)
        low, high = self.metric.range_of_two or self.metric.range
        if is_bounded_mean(self.metric):
            low, high = 0, 1
        for value in (self.value, self.other):
            if not low <= value <= high:
                what = f"no {self.metric.shown_name} is {number(value)}: it lies between {low:g} and {high:g}"
                raise UsageError("E_PLAN", what, hint="use another --value, or a smaller --margin")
        if not -1 < self.correlation < 1:
            raise UsageError("E_PLAN", f"--correlation {self.correlation:g} must lie between -1 and 1")
        if self.prevalence is not None and not 0 < self.prevalence < 1:
            raise UsageError("E_PLAN", f"--prevalence {self.prevalence:g} must lie between 0 and 1")

    def _bounded(self) -> float:
        """The variance of the difference of a row, at most (Bhatia and Davis, 2000)."""
        a, b = (value * (1 - value) for value in (self.value, self.other))
        return a + b - 2 * self.correlation * sqrt(a * b)

    def _of_shares(self) -> Precision:
        """Rows are right or wrong for each model: the binomial with their correlation."""
        p, q = sorted((self.value, self.other))
        both = p * q + self.correlation * sqrt(p * (1 - p) * q * (1 - q))
        if not max(0.0, p + q - 1) - 1e-12 <= both <= p + 1e-12:
            raise self._impossible(p, q)
        first, second = q - both, p - both
        mean = first - second
        moments = [
            first * (1 - mean) ** power + second * (1 + mean) ** power + (1 - first - second) * mean**power
            for power in (2, 4)
        ]
        if moments[0] <= 0:
            raise UsageError("E_PLAN", "two models with these guesses never differ", hint="use a lower --correlation")
        rows = PLENTY * self._counting()
        df = df_from_moments(rows, rows * moments[0], rows * moments[1])
        return Precision(PLENTY, moments[0] / rows, df)

    def _impossible(self, p: float, q: float) -> UsageError:
        spread = sqrt(p * (1 - p) * q * (1 - q))
        low, high = (max(0.0, p + q - 1) - p * q) / spread, (p - p * q) / spread
        return UsageError(
            "E_PLAN",
            f"two models with {self.metric.shown_name} {number(p)} and {number(q)} cannot have correlation "
            f"{self.correlation:g}: it lies between {low:.2f} and {high:.2f}",
        )

    def _counting(self) -> float:
        """The share of rows that count for the metric."""
        side = SHARES[self.metric.name]
        if not side:
            return 1.0
        share = self._needed_prevalence()
        return share if side == "positive" else 1 - share

    def _needed_prevalence(self) -> float:
        if self.prevalence is None:
            what = f"{self.metric.shown_name} depends on how many rows are positive"
            raise UsageError("E_PLAN", what, hint="use --prevalence SHARE, such as 0.2")
        return self.prevalence

    def _of_areas(self) -> Precision:
        share = self._needed_prevalence()
        a, b = (_variance_of_area(value, share) for value in (self.value, self.other))
        variance = a + b - 2 * self.correlation * sqrt(a * b)
        if not (isfinite(variance) and variance > 0):
            raise UsageError("E_PLAN", "two models with these guesses never differ", hint="use a lower --value")
        return Precision(PLENTY, variance / PLENTY, inf)


def _variance_of_area(area: float, share: float) -> float:
    """Of one row's part in an area under the ROC curve, where scores are exponential (Hanley and McNeil, 1982)."""
    two_positives, two_negatives = area / (2 - area), 2 * area**2 / (1 + area)
    return (two_positives - area**2) / (1 - share) + (two_negatives - area**2) / share
