"""Guesses: how sure a difference would be, from a value and a correlation alone."""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import TYPE_CHECKING

from referee.advice.plan_basis import Basis
from referee.comparing import Precision
from referee.document import number
from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring import df_from_moments

if TYPE_CHECKING:
    from referee.scoring import Metric

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
        f"how much {name} varies does not follow from its value, so it cannot be planned from guesses",
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
                raise UsageError("E_PLAN", what, hint="another --value, or a smaller --margin")
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
            raise UsageError("E_PLAN", "two models with these guesses never differ", hint="a lower --correlation")
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
            what = f"{self.metric.shown_name} hangs on how many rows are positive"
            raise UsageError("E_PLAN", what, hint="say --prevalence SHARE, such as 0.2")
        return self.prevalence

    def _of_areas(self) -> Precision:
        share = self._needed_prevalence()
        a, b = (_variance_of_area(value, share) for value in (self.value, self.other))
        variance = a + b - 2 * self.correlation * sqrt(a * b)
        if not (isfinite(variance) and variance > 0):
            raise UsageError("E_PLAN", "two models with these guesses never differ", hint="a lower --value")
        return Precision(PLENTY, variance / PLENTY, inf)


def _variance_of_area(area: float, share: float) -> float:
    """Of one row's part in an area under the ROC curve, where scores are exponential (Hanley and McNeil, 1982)."""
    two_positives, two_negatives = area / (2 - area), 2 * area**2 / (1 + area)
    return (two_positives - area**2) / (1 - share) + (two_negatives - area**2) / share
