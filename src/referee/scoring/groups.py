"""Groups of rows that depend on each other: how many of them a value hangs on, and how it moves without each."""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import made_up, total, totals_by_key
from referee.engines import Counts
from referee.records import dataclass
from referee.scoring.intervals import Spread, df_from_moments
from referee.scoring.sensitivity import ByCell, sensitivities

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring.metric import Metric

BALANCED = 0.8
"""Groups are about equal where they are worth at least this share of their number in equal ones."""
FEWEST, FEWEST_UNEQUAL = 4, 6
"""Groups that hold rows that count, below which no test is trusted."""
WHOLE = 1 - 1e-9
"""A share that leaves nothing to the other groups."""
DUST = 1e-9


@dataclass(frozen=True)
class Reach:
    """Over how many groups the rows that count are spread.

    >>> Reach.of(np.array([0.5, 0.5, 0.0])), Reach.of(np.array([0.9, 0.1])).balanced
    (Reach(groups=2, as_equal=2.0, rows='rows'), False)
    """

    groups: int
    """That hold a row that counts."""
    as_equal: float
    """How many groups of one size they are worth: 1 / sum of the squared shares."""
    rows: str = "rows"
    """What these rows are called: all that count, or those of a class."""

    @classmethod
    def of(cls, shares: Array, rows: str = "rows") -> Reach:
        return cls(int(np.count_nonzero(shares)), 1 / total(shares**2), rows)

    @property
    def balanced(self) -> bool:
        return self.as_equal >= BALANCED * self.groups

    @property
    def fewest(self) -> int:
        """How many groups a test needs: six unequal ones, as signs of five cannot show p < 0.05."""
        return FEWEST if self.balanced else FEWEST_UNEQUAL


@dataclass(frozen=True, eq=False)
class Groups:
    """What each group holds of the rows that count for a model's value.

    A row counts if one more like it can change the value: all rows for accuracy, positive ones for recall, those that
    the model calls positive for precision. Where classes are compared, as by AUC, each class is a part by itself.
    """

    codes: Array
    """The group of each row that counts."""
    part: Array
    """The part of the value that each row that counts belongs to."""
    places: Array
    """Where the rows that count stand among all."""
    weight: Array
    """Of each row that counts."""
    shares: Array
    """Of each part's weight in each group: (part, group)."""
    reaches: tuple[Reach, ...]
    """Of all that must lie in enough groups: the rows that count, and the classes that the value compares."""

    @cached_property
    def share(self) -> Array:
        """What each group holds of the rows that count."""
        return np.asarray(self.shares.sum(axis=0) / max(len(self.shares), 1))

    @property
    def number(self) -> int:
        """How many groups hold a row that counts."""
        return int(np.count_nonzero(self.share))

    @cached_property
    def reach(self) -> Reach:
        """Of what lies in the fewest groups, and most unequally."""
        return scarcest([self])

    def sums(self, changes: Array) -> Array:
        """What each group adds to the value, to first order."""
        return np.asarray(self._by_part(changes).sum(axis=0))

    def pieces(self, changes: Array, spreads: Sequence[Spread | None] = ()) -> Array:  # noqa: ARG002 (as of others)
        """How the value moves without each group, so large that the squares add up to its variance.

        The delete-a-group jackknife (CR3), exact for means: without a group that holds the share h of a part, the
        mean moves by what the group adds to it, times 1 / (1 - h).
        """
        with np.errstate(all="ignore"):
            left = np.where(self.shares < WHOLE, 1 - self.shares, 0.0)
            moves = (self._by_part(changes) / left).sum(axis=0)
            number = max(self.number, 1)
            mean = total(moves[self.share > 0]) / number
            return np.where(self.share > 0, moves - mean, 0.0) * sqrt(1 - 1 / number)

    @property
    def most(self) -> float:
        return float(self.reach.groups)

    def spread(self, changes: Array) -> Spread | None:
        return spread_of_groups(self.pieces(changes), [self])

    def spread_of_difference(self, changes: Array, other: Groups, of_other: Array) -> Spread | None:
        """Another model's value may hang on other rows of the same groups."""
        with np.errstate(invalid="ignore"):  # of values that are not known
            apart = self.pieces(changes) - other.pieces(of_other)
        return spread_of_groups(apart, [self, other])

    def _by_part(self, changes: Array) -> Array:
        weighed, cell = changes[self.places] * self.weight, self.part * self.shares.shape[1] + self.codes
        return totals_by_key(weighed, cell, self.shares.size).reshape(self.shares.shape)


def scarcest(some: Iterable[Groups]) -> Reach:
    """The reach that limits what can be said of values that hang on all of these."""
    reaches = [reach for groups in some for reach in groups.reaches]
    return min(reaches, key=lambda reach: (reach.as_equal, reach.groups), default=Reach(0, 0.0))


def spread_of_groups(pieces: Array, some: Sequence[Groups]) -> Spread | None:
    """The variance, and df = 2 G / (kurtosis - 1) of the pieces of G groups; never more than G - 1 for any part."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = pieces**2
        variance = total(squares)
        if np.isnan(variance) or (not variance and pieces.any()):  # too small for squares
            return None
        number = int(np.count_nonzero(np.sum([groups.share for groups in some], axis=0)))
        df = min(df_from_moments(number, variance, total(squares**2)), scarcest(some).groups - 1.0)
        return Spread(variance, max(1.0, df))


def groups_of(
    predictions: Predictions, rows: Any, metric: Metric, code: int | None = None, *, shares_given: bool = False
) -> Groups | None:
    """The groups of predictions as a model's value, or that for one class, sees them; None where there are none.

    `rows` have the model's labels. Where the shares of the classes are given, every metric compares classes.
    """
    clusters = predictions.clusters
    if clusters is None:
        return None
    made = _Counting(predictions, metric, predictions.positive if code is None and _of_positive(metric) else code)
    weight = np.ones(predictions.rows) if predictions.weight is None else predictions.weight
    places = np.flatnonzero(made.rows_that_count(rows, whole_classes=shares_given) & (weight > 0))
    codes, truth, weight = clusters.codes[places], made.truth[places], weight[places]
    every, by_class = (_shares(part, codes, weight, len(clusters)) for part in (np.zeros_like(truth), truth))
    there = np.bincount(truth) > 0
    present, part = np.flatnonzero(there).tolist(), (np.cumsum(there) - 1)[truth]
    compared = [part for part in present if len(present) > 1 and part in made.compared]
    of_classes = [Reach.of(by_class[part], made.named(part)) for part in compared]
    if shares_given or made.compares_classes:
        reaches = of_classes or [Reach.of(part) for part in every]
        return Groups(codes, part, places, weight, by_class[present], tuple(reaches))
    reaches = [*(Reach.of(part) for part in every), *of_classes]
    return Groups(codes, np.zeros_like(part), places, weight, every, tuple(reaches))


def _shares(part: Array, codes: Array, weight: Array, groups: int) -> Array:
    """Of each part's weight in each group: (part, group)."""
    parts = int(part.max(initial=-1)) + 1
    held = np.bincount(part * groups + codes, weight, parts * groups).reshape(parts, groups).astype(float)
    whole = held.sum(axis=1, keepdims=True)
    return np.divide(held, whole, out=np.zeros_like(held), where=whole > 0)


def _of_positive(metric: Metric) -> bool:
    return metric.per_class and metric.settings.get("average") is None


class _Counting:
    """Which rows a metric looks at, found by differentiating its formula at a confusion matrix of no special kind."""

    def __init__(self, predictions: Predictions, metric: Metric, code: int | None) -> None:
        self.metric, self.code, self.predictions = metric, code, predictions
        self.by_cell = metric.summaries == ("counts",) and (code is not None or not metric.per_class)

    @property
    def truth(self) -> Array:
        """The class of each row as the formula sees it: one against the rest, or all."""
        if not self.predictions.classes:
            return np.zeros(self.predictions.rows, np.int64)
        truth = self.predictions.truth
        return (truth if self.code is None else truth == self.code).astype(np.int64)

    @cached_property
    def _changes(self) -> Array:
        """By one more row of each true and predicted class, times the rows there."""
        size = 2 if self.metric.per_class else len(self.predictions.classes)
        matrix = 1 + made_up(1, size, size)
        given: dict[str, Any] = {"counts": lambda: Counts(matrix), "positive": lambda: self.predictions.positive}
        (slopes,) = sensitivities(self.metric, given)
        assert isinstance(slopes, ByCell)
        return slopes.change * matrix[0]

    @cached_property
    def cells(self) -> Array:
        """Whether rows of each true and predicted class count."""
        sizes = np.abs(self._changes)
        return np.asarray(sizes > DUST * sizes.max())

    def rows_that_count(self, rows: Any, *, whole_classes: bool) -> Array:
        if not self.by_cell:
            return np.ones(self.predictions.rows, bool)
        if whole_classes:
            return np.asarray(np.any(self.cells, axis=1))[self.truth]
        labels = rows.labels if self.code is None else (rows.labels == self.code).astype(int)
        return np.asarray(self.cells[self.truth, labels])

    @property
    def compares_classes(self) -> bool:
        """Whether the value would stay the same if there were more rows of a class, all else being equal."""
        if {"ranking", "pairs"} & set(self.metric.summaries) and self.predictions.classes:
            return True
        if not self.by_cell or self.metric.additive:
            return False
        within, sizes = np.abs(self._changes.sum(axis=1)), np.abs(self._changes)
        return bool((within <= DUST * sizes.max()).all())

    def named(self, label: int) -> str:
        """The rows of a class as the formula sees it."""
        classes = self.predictions.classes
        if self.code is None or label == 1:
            return f"rows of class {classes[label if self.code is None else self.code]!r}"
        return f"rows of class {classes[1 - self.code]!r}" if len(classes) == 2 else "rows of other classes"

    @cached_property
    def compared(self) -> list[int]:
        """Classes that the value hangs on however few their rows are; an average over rows has none."""
        if self.metric.additive or not {"counts", "ranking", "pairs"} & set(self.metric.summaries):
            return []
        if self.by_cell:
            return np.flatnonzero(self.cells.all(axis=1)).tolist()
        return [*range(len(self.predictions.classes))]
