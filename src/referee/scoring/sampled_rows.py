"""The rows that replicates are drawn from: of one model, or of two whose predictions are swapped; sorted once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import Baseline
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines import Rows
    from referee.scoring.metric import Metric


class SampledRows:
    """The rows of its sources one after the other, as metrics see them."""

    def __init__(self, *sources: Rows, by_rank: bool = False) -> None:
        self.sources = sources
        self.predictions = sources[0].predictions
        self.by_rank = by_rank
        """Whether scores are replaced by their ranks among the scores of the same source."""
        self._falling: dict[object, FallingRows] = {}
        self._terms: dict[str, tuple[dict[str, Array], Array]] = {}

    @property
    def scale(self) -> float:
        return self.sources[0].scale

    @cached_property
    def truth(self) -> Array:
        return np.concatenate([rows.predictions.truth for rows in self.sources])

    @cached_property
    def cells(self) -> Array:
        """The cell of the confusion matrix that each row falls into."""
        labels = np.concatenate([rows.labels for rows in self.sources])
        return self.truth * np.int64(len(self.predictions.classes)) + labels

    @property
    def weighted(self) -> bool:
        return self.predictions.weight is not None

    @cached_property
    def weight(self) -> Array:
        if self.predictions.weight is None:
            return np.ones(len(self.truth))
        return np.concatenate([rows.predictions.weight for rows in self.sources]).astype(float)

    def baseline_moves(self, metric: Metric) -> bool:
        """Whether the metric is measured against the mean of the evaluated rows."""
        return self.uses_baseline(metric) and Baseline(self.sources[0], None).is_estimated

    def uses_baseline(self, metric: Metric) -> bool:
        return Baseline(self.sources[0], None).used_by(metric)

    def terms(self, metric: Metric) -> tuple[dict[str, Array], Array]:
        """The metric's row terms by name, and a matrix of them times the weights: (term, row)."""
        if metric.full_name not in self._terms:
            each = [rows.row_terms(metric, Baseline(rows, None)) for rows in self.sources]
            terms = {name: np.concatenate([sample[name] for sample in each]) for name in each[0]}
            matrix = np.stack(list(terms.values()))
            weighted = np.where(self.weight > 0, matrix, 0) * self.weight if self.weighted else matrix
            self._terms[metric.full_name] = terms, weighted
        return self._terms[metric.full_name]

    def falling(self, code: int, *, as_probability: bool = False) -> FallingRows:
        """The rows by falling score for a class."""
        return self._sorted(
            (code, as_probability), lambda: self._score(code, as_probability=as_probability), self.truth == code
        )

    def falling_pair(self, positive: int, negative: int) -> FallingRows:
        """The rows of two classes by falling score for the first."""
        among = (self.truth == positive) | (self.truth == negative)
        return self._sorted((positive, negative, "pair"), lambda: self._score(positive), self.truth == positive, among)

    def falling_term(self, metric: Metric) -> FallingRows:
        """The rows by the metric's only row term."""
        (term,) = self.terms(metric)[0].values()
        return self._sorted(metric.full_name, lambda: term, np.ones(len(term), bool))

    def pairs_of_rows(self, code: int) -> Array:
        """By weight, the pairs of a positive above a negative row that each row is in; tied pairs count a half."""
        falling = self.falling(code)
        weight, pairs = self.weight[falling.order], np.zeros(len(self.truth))
        sides = weight * falling.is_positive, weight * ~falling.is_positive
        if not len(weight):
            return pairs
        above, below = (np.add.reduceat(side, falling.ties) for side in sides)
        other_side = np.where(
            falling.is_positive,
            (below.sum() - np.cumsum(below) + below / 2)[falling.tie_of_row],
            (np.cumsum(above) - above / 2)[falling.tie_of_row],
        )
        pairs[falling.order] = weight * other_side
        return pairs

    def _score(self, code: int, *, as_probability: bool = False) -> Array:
        each = [rows.score(code, as_probability=as_probability) for rows in self.sources]
        return np.concatenate([mid_ranks(scores) for scores in each] if self.by_rank else each)

    def _sorted(
        self, key: object, scores: Callable[[], Array], is_positive: Array, among: Array | None = None
    ) -> FallingRows:
        if key not in self._falling:
            counted = self.weight > 0 if among is None else among & (self.weight > 0)
            self._falling[key] = FallingRows.of(np.flatnonzero(counted), scores(), is_positive)
        return self._falling[key]


@dataclass(frozen=True)
class FallingRows:
    """Rows by falling score; of tied ones the positives stand first."""

    order: Array
    """Their places among all rows."""
    scores: Array
    is_positive: Array

    @classmethod
    def of(cls, places: Array, scores: Array, is_positive: Array) -> FallingRows:
        """Sort some rows of a table."""
        positives_first = np.concatenate([places[is_positive[places]], places[~is_positive[places]]])
        order = positives_first[np.argsort(-scores[positives_first], kind="stable")]
        return cls(order, scores[order], is_positive[order])

    @cached_property
    def ties(self) -> Array:
        """Where each distinct score begins."""
        return np.flatnonzero(np.concatenate([[True], self.scores[1:] != self.scores[:-1]]))

    @property
    def tie_of_row(self) -> Array:
        return np.repeat(np.arange(len(self.ties)), np.diff(np.append(self.ties, len(self.order))))

    @property
    def ends(self) -> Array:
        """Where the positives and the negatives of each stretch end: (stretch, 2)."""
        return self._stretches[0]

    @property
    def share(self) -> Array:
        """How much of the pairs inside a stretch count: a half where its rows are tied."""
        return self._stretches[1]

    @cached_property
    def _stretches(self) -> tuple[Array, Array]:
        """Cut the rows so that inside each stretch the positives stand first.

        >>> rows = FallingRows.of(np.arange(5), np.array([0.9, 0.8, 0.8, 0.5, 0.1]), np.array([1, 1, 0, 1, 0]) > 0)
        >>> rows.ends.tolist(), rows.share.tolist()
        ([[1, 1], [2, 3], [4, 5]], [1.0, 0.5, 1.0])
        """
        if not len(self.order):
            return np.zeros((0, 2), np.int64), np.zeros(0)
        positives = np.add.reduceat(self.is_positive.astype(np.int64), self.ties)
        negatives = np.diff(np.append(self.ties, len(self.order))) - positives
        tied = (positives > 0) & (negatives > 0)
        begins = tied.copy()
        begins[1:] |= tied[:-1] | ((positives[1:] > 0) & (negatives[:-1] > 0))
        begins[0] = True
        first = np.flatnonzero(begins)
        of_stretch = np.add.reduceat(positives, first), np.add.reduceat(negatives, first)
        end = np.cumsum(of_stretch[0] + of_stretch[1])
        return np.stack([end - of_stretch[1], end], axis=1), np.where(tied[first], 0.5, 1.0)


def mid_ranks(scores: Array) -> Array:
    """The rank of each score from the lowest, the mean of them where scores are equal.

    >>> mid_ranks(np.array([0.1, 0.5, 0.5, -2.0])).tolist()
    [2.0, 3.5, 3.5, 1.0]
    """
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]
