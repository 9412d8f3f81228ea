"""The costs of two models at many probability costs on the same rows, and how their differences vary together."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.comparing import DUST, TOO_FEW, Design
from referee.document import counted, finite, number
from referee.engines import Ranking, summarise
from referee.errors import Notice, UndefinedError, UsageError, listed
from referee.records import dataclass
from referee.scoring import quantile
from referee.thresholds.choice import halfway
from referee.thresholds.curve_bands import level_of_all
from referee.thresholds.curve_kind import hull_places
from referee.thresholds.judgement import Parts, parts_of, training_rankings
from referee.thresholds.objective import first_best
from referee.thresholds.redraws import cheapest_at, redrawn, scores_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions

AT_ONCE = 20_000
"""Rows whose losses at all conditions stand in memory together."""


class _Losses:
    """What each judged row adds to the costs of two models at each condition."""

    def __init__(self, parts: Parts, names: Sequence[str], conditions: Array) -> None:
        judged = parts.judged
        self.conditions = conditions
        self.thresholds = [_thresholds(parts, name, conditions) for name in names]
        self.scores = [scores_of(judged, name) for name in names]
        self.fold = np.zeros(judged.rows, np.int64) if parts.fold is None else parts.fold
        self.is_positive = judged.truth == judged.positive
        self.weight = np.ones(judged.rows) if judged.weight is None else judged.weight
        self.rows_of_class = np.bincount(self.is_positive, self.weight, 2)
        self.blocks = [slice(first, first + AT_ONCE) for first in range(0, judged.rows, AT_ONCE)]

    def losses(self, rows: slice) -> list[Array]:
        """Of each model: (row, condition)."""
        is_positive = self.is_positive[rows, None]
        of_miss, of_alarm = self.conditions / self.rows_of_class[1], (1 - self.conditions) / self.rows_of_class[0]
        at_stake = np.where(is_positive, of_miss, of_alarm)
        both = zip(self.scores, self.thresholds, strict=True)
        return [at_stake * ((score[rows, None] >= chosen[self.fold[rows]]) != is_positive) for score, chosen in both]

    def totals(self) -> tuple[Array, Array]:
        """The normalised expected costs of both models, and how many rows each difference rests on.

        Those are the rows that are decided differently, by what they cost (Kish).
        """
        costs, moments = np.zeros((2, 2, len(self.conditions)))
        for rows in self.blocks:
            weight, (a, b) = self.weight[rows], self.losses(rows)
            costs += [weight @ a, weight @ b]
            moments += [weight @ np.abs(a - b), weight @ (a - b) ** 2]
        with np.errstate(all="ignore"):
            return costs, np.nan_to_num(moments[0] ** 2 / moments[1])


def _covariance(parts: Parts, names: Sequence[str], conditions: Array, seed: int) -> Array:
    """Of the differences, where thresholds are chosen and judged again on rows that are drawn again."""
    counts = redrawn(parts, names, seed).counts(cheapest_at(conditions))
    with np.errstate(all="ignore"):
        a, b = (conditions * (1 - at.tp / at.P) + (1 - conditions) * at.fp / at.N for at in counts.values())
    differences = a - b
    return np.cov(differences[np.isfinite(differences).all(axis=1)], rowvar=False)


def _thresholds(parts: Parts, name: str, conditions: Array) -> Array:
    """The best threshold of each fold at each condition: (fold, condition)."""
    predictions = parts.chosen_on
    positive = predictions.positive
    assert positive is not None
    ranking = summarise(predictions, predictions.model(name)).ranking(positive)
    each: Sequence[Ranking] = [ranking]
    if parts.fold is not None:
        is_positive = predictions.truth == positive
        each = training_rankings(scores_of(predictions, name), ranking, is_positive, predictions.weight, parts.fold)
    return np.stack([_best_corners(training, conditions) for training in each])


def _best_corners(ranking: Ranking, conditions: Array) -> Array:
    if not ranking.P[0] > 0 or not ranking.N[0] > 0:
        raise UndefinedError("E_ONECLASS", "the rows to choose on have only one class, so no threshold is best")
    corners = hull_places(ranking)
    costs = conditions[:, None] * (1 - corners.tp / corners.P) + (1 - conditions[:, None]) * corners.fp / corners.N
    scores = corners.score[first_best(-costs)]
    below = np.append(ranking.scores.astype(float), -np.inf)
    step = np.searchsorted(-ranking.scores.astype(float), -scores)
    return np.array(
        [
            score if score == np.inf else halfway(float(score), float(below[place + 1]))
            for score, place in zip(scores, step, strict=True)
        ]
    )


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
        runs = groupby(zip(self.outcome, self.condition.tolist(), strict=True), key=lambda pair: pair[0])
        stretches = [(side, [condition for _, condition in some]) for side, some in runs]
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
        lists = {name: finite(column.tolist()) for name, column in columns.items()}
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
    >>> regions = cheaper_regions(Predictions.from_arrays([1, 0, 1, 0] * 50, rows))
    >>> [(side, round(low, 2), round(high, 2)) for side, low, high in regions.stretches]
    [('tie', 0.0, 0.03), ('a', 0.04, 0.96), ('tie', 0.97, 1.0)]
    """
    Design("rows", unit="row", better="lower", alpha=alpha, seed=seed)  # which refuses what cannot be
    names = _two_names(predictions, a, b)
    parts = parts_of(predictions, chosen_on, folds, seed)
    share = _judged_share(parts.judged)
    units = min(_rarer_units(rows) for rows in (parts.judged, parts.chosen_on))
    _refuse_same_rows(parts)
    conditions = _conditions(share)
    costs, resting_on = _Losses(parts, names, conditions).totals()
    covariance = _covariance(parts, names, conditions, seed)
    z = quantile(1 - level_of_all(covariance, alpha, seed) / 2, max(units - 1, 1))
    low, high, p = _ends(conditions, costs, covariance, resting_on, units, alpha, z)
    notices = (*parts.notices, *_few_units(units))
    return Regions(*names, conditions, costs[0], costs[1], low, high, p, alpha, share, parts.how, notices)


def _conditions(share: float) -> Array:
    """Those of the whole range, and those of the table."""
    shares = (*PREVALENCES, round(share, 4)) if 0 < round(share, 4) < 1 else PREVALENCES
    table = [probability_cost(ratio, prevalence) for ratio in RATIOS for prevalence in shares]
    return np.unique([*CONDITIONS, *table])


def _ends(
    conditions: Array, costs: Array, covariance: Array, resting_on: Array, units: int, alpha: float, z: float
) -> tuple[Array, Array, Array]:
    """The simultaneous interval of each difference, and the p of each by itself; none where too few rows speak."""
    from scipy.special import stdtr

    difference = costs[0] - costs[1]
    error = np.sqrt(np.clip(np.diag(covariance), 0, None))
    same = (resting_on == 0) & (np.abs(difference) <= DUST)
    unsaid = ~same & ((resting_on < TOO_FEW) | (units < TOO_FEW))
    with np.errstate(all="ignore"):
        p = np.where(same, 1.0, 2 * stdtr(max(units - 1, 1), -np.abs(difference) / error))
    # No redraw differs, as one model makes no error: as many as so many rows can hide are possible (Clopper, Pearson).
    certain, dearest = ~same & (error <= DUST), np.maximum(conditions, 1 - conditions)
    reach = np.where(certain, (1 - (alpha / 2) ** (1 / units)) * dearest, z * error)
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


def _judged_share(judged: Predictions) -> float:
    """The share of positives, by weight."""
    if not judged.has_rows:
        raise UsageError("E_SAMEROWS", "regions need the rows in memory", hint="--max-memory allows more")
    is_positive = judged.truth == judged.positive
    share = float(np.average(is_positive, weights=judged.weight))
    if not 0 < share < 1:
        raise UndefinedError("E_ONECLASS", f"column {judged.truth_column!r}: the evaluation rows have only one class")
    return share


def _rarer_units(predictions: Predictions) -> int:
    """Rows of the rarer class, or the groups that they come in."""
    counts = np.ones(predictions.rows, bool) if predictions.weight is None else predictions.weight > 0
    is_positive = predictions.truth == predictions.positive
    units = np.arange(predictions.rows) if predictions.clusters is None else predictions.clusters.codes
    return min(len(np.unique(units[counts & (is_positive == side)])) for side in (True, False))


def _refuse_same_rows(parts: Parts) -> None:
    """Of thresholds that are judged on the rows they were chosen on, no model is the cheaper one for sure."""
    if parts.how == "same_rows":
        raise UsageError(
            "E_SAMEROWS",
            "regions compare models on rows that the thresholds were not chosen on",
            hint="--folds 10, with at least two rows (or groups) of each class; or --choose-on COL=VALUE",
        )


def _few_units(units: int) -> Iterator[Notice]:
    if units < TOO_FEW:
        what = f"the rarer class has {counted(units, 'row')} (or groups of rows), fewer than {TOO_FEW}"
        yield Notice("W_FEWROWS", f"{what}: no model is named as cheaper")
