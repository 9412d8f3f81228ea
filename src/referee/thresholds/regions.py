"""For which costs and which share of positives a model is the cheaper one, each at the threshold that suits them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.curves.bands import level_of_all
from referee.curves.curve import plain_list
from referee.design import Design
from referee.errors import UsageError, listed
from referee.student_t import quantile
from referee.thresholds.cost_differences import CostDifferences, cost_differences
from referee.thresholds.evidence import few_units, judged_share, rarer_units, refuse_same_rows
from referee.thresholds.parts import parts_of
from referee.unit_differences import DUST
from referee.verdict.doubts import TOO_FEW
from referee.wording import number

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.errors import Notice
    from referee.predictions import Predictions

Side = Literal["a", "b", "tie"]

CONDITIONS = np.concatenate([[0.001, 0.002, 0.005], np.arange(1, 100) / 100, [0.995, 0.998, 0.999]])
RATIOS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Of the cost of a miss to that of a false alarm."""
PREVALENCES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True, eq=False)
class Regions:
    """Two models' expected costs at every probability cost, and who is the cheaper one, all of them at once.

    Costs and the share of positives matter through one number, the probability cost: prevalence x cost of a miss, of
    the sum of that and (1 - prevalence) x cost of a false alarm (Drummond and Holte, 2006).
    """

    a: str
    b: str
    condition: Array
    """The probability cost."""
    cost_a: Array
    cost_b: Array
    low: Array
    """Of the difference a - b, for all conditions together; infinite where too few rows speak."""
    high: Array
    p: Array
    """Of each condition by itself; nan where too few rows speak."""
    alpha: float
    prevalence: float
    """The share of positives of the rows."""
    how: str
    notices: tuple[Notice, ...] = ()

    @property
    def outcome(self) -> list[Side]:
        """Who is cheaper at each condition: significantly, whatever condition is looked at."""
        return ["a" if high < 0 else "b" if low > 0 else "tie" for low, high in zip(self.low, self.high, strict=True)]

    @property
    def stretches(self) -> list[tuple[Side, float, float]]:
        """Who is cheaper, from which probability cost to which."""
        found = groupby(zip(self.outcome, self.condition.tolist(), strict=True), key=lambda one: one[0])
        stretches = [(side, [condition for _, condition in some]) for side, some in found]
        return [(side, some[0], some[-1]) for side, some in stretches]

    def at(self, cost_ratio: float, prevalence: float) -> Side:
        """Who is cheaper if a miss costs so many times a false alarm, at the nearest condition that was looked at.

        >>> from referee import Predictions
        >>> rows = {"a": [0.9, 0.1, 0.8, 0.2] * 50, "b": [0.4, 0.5, 0.6, 0.7] * 50}
        >>> cheaper_regions(Predictions.from_arrays([1, 0, 1, 0] * 50, rows)).at(1, 0.5)
        'a'
        """
        return self.outcome[int(np.argmin(np.abs(self.condition - probability_cost(cost_ratio, prevalence))))]

    def to_dict(self) -> dict[str, Any]:
        columns = {
            "probability_cost": self.condition, "cost_a": self.cost_a, "cost_b": self.cost_b,
            "difference": self.cost_a - self.cost_b, "low": self.low, "high": self.high, "p": self.p,
        }  # fmt: skip
        stretches = [{"cheaper": side, "from": low, "to": high} for side, low, high in self.stretches]
        lists = {name: plain_list(column) for name, column in columns.items()}
        warnings = [vars(notice) for notice in self.notices]
        about = {"a": self.a, "b": self.b, "how": self.how, "warnings": warnings}
        return {**about, "stretches": stretches, **lists, "outcome": self.outcome}


def probability_cost(cost_ratio: float, prevalence: float) -> float:
    """The share of a miss in the costs that are at stake.

    >>> probability_cost(4, 0.2)
    0.5
    """
    if not cost_ratio > 0 or not 0 < prevalence < 1:
        what = f"cost ratio {number(cost_ratio)}, prevalence {number(prevalence)}"
        raise UsageError("E_PREVALENCE", f"{what}: the ratio must be above 0, the share of positives between 0 and 1")
    at_stake = cost_ratio * prevalence
    return at_stake / (at_stake + 1 - prevalence)


def cheaper_regions(
    predictions: Predictions,
    a: str | None = None,
    b: str | None = None,
    *,
    chosen_on: Predictions | tuple[str, str] | None = None,
    folds: int = 10,
    alpha: float = 0.05,
    seed: int = 0,
) -> Regions:
    """Compare two models at many probability costs; thresholds are chosen on other rows than those they are judged on.

    >>> from referee import Predictions
    >>> rows = {"a": [0.9, 0.1, 0.8, 0.2] * 50, "b": [0.4, 0.5, 0.6, 0.7] * 50}
    >>> found = cheaper_regions(Predictions.from_arrays([1, 0, 1, 0] * 50, rows))
    >>> [(side, round(low, 2), round(high, 2)) for side, low, high in found.stretches]
    [('tie', 0.0, 0.03), ('a', 0.04, 0.96), ('tie', 0.97, 1.0)]
    """
    Design("rows", unit="row", better="lower", alpha=alpha, seed=seed)  # which refuses what cannot be
    names = _two_names(predictions, a, b)
    parts = parts_of(predictions, chosen_on, folds, seed)
    share, units = judged_share(parts.judged), rarer_units(parts)
    refuse_same_rows(parts)
    conditions = _conditions(share)
    found = cost_differences(parts, names, conditions, seed)
    low, high, p = _ends(found, units, alpha, seed)
    notices = (*parts.notices, *few_units(units))
    return Regions(
        *names, conditions, found.cost_a, found.cost_b, low, high, p, alpha, share, parts.how, notices,
    )  # fmt: skip


def _conditions(share: float) -> Array:
    """Those of the whole range, and those of the table."""
    shares = (*PREVALENCES, round(share, 4)) if 0 < round(share, 4) < 1 else PREVALENCES
    table = [probability_cost(ratio, prevalence) for ratio in RATIOS for prevalence in shares]
    return np.unique([*CONDITIONS, *table])


def _ends(found: CostDifferences, units: int, alpha: float, seed: int) -> tuple[Array, Array, Array]:
    """The simultaneous interval of each difference, and the p of each by itself; none where too few rows speak."""
    from scipy.special import stdtr

    difference = found.cost_a - found.cost_b
    error = np.sqrt(np.clip(np.diag(found.covariance), 0, None))
    reach = quantile(1 - level_of_all(found.covariance, alpha, seed) / 2, max(units - 1, 1)) * error
    same = (found.resting_on == 0) & (np.abs(difference) <= DUST)
    unsaid = ~same & ((found.resting_on < TOO_FEW) | (units < TOO_FEW))
    with np.errstate(all="ignore"):
        p = np.where(same, 1.0, 2 * stdtr(max(units - 1, 1), -np.abs(difference) / error))
    # No redraw differs, as one model makes no error: as many as so many rows can hide are possible (Clopper, Pearson).
    certain, dearest = ~same & (error <= DUST), np.maximum(found.conditions, 1 - found.conditions)
    reach = np.where(certain, (1 - (alpha / 2) ** (1 / units)) * dearest, reach)
    p = np.where(certain, np.minimum(1, 2 * (1 - np.abs(difference) / dearest).clip(0) ** units), p)
    reach = np.where(unsaid, np.inf, reach)
    return difference - reach, difference + reach, np.where(unsaid, np.nan, p)


def _two_names(predictions: Predictions, a: str | None, b: str | None) -> tuple[str, str]:
    names = predictions.names if a is None or b is None else (a, b)
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(
            "E_TWOMODELS", f"a region compares two models, not {listed(names)}", hint="--models A,B names two"
        )
    return predictions.model(names[0]).name, predictions.model(names[1]).name
