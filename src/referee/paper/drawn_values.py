"""Values and row influences of the index's metrics for many models at once, of rows with two classes.

The catalogue's metrics give the same (tests/paper/test_regret_map.py); here a draw of rows takes a millisecond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import INDEX_COSTS

if TYPE_CHECKING:
    from referee.arrays import Array

CLIP = 1e-6
"""Of log loss, as in the paper's study."""


def drawn_values(scores: Array, truth: Array) -> Array:
    """Of each model, by every metric, more is better: (model, metric). `scores` are (row, model), `truth` is 0 or 1.

    >>> drawn_values(np.array([[0.9], [0.2], [0.4]]), np.array([1.0, 0.0, 1.0]))[0, :4].round(4).tolist()
    [0.6667, 0.6667, 1.0, 0.75]
    """
    return _Draw(scores, truth).values()


def values_and_changes(scores: Array, truth: Array) -> tuple[Array, Array]:
    """The values, and what each row adds to them: (row, model, metric)."""
    draw = _Draw(scores, truth)
    return draw.values(), draw.changes()


class _Draw:
    """Rows of two classes, at least one of each, and what models say of them."""

    def __init__(self, scores: Array, truth: Array) -> None:
        self.rows = len(truth)
        self.positive = truth[:, None].astype(float)
        self.share = float(truth.mean())
        self.decided = (scores >= 0.5).astype(float)
        self.hits = (self.positive * self.decided).mean(axis=0)
        self.called = self.decided.mean(axis=0)
        self.rightly = self.positive * self.decided + (1 - self.positive) * (1 - self.decided)
        self.surprise = np.log(np.maximum(np.where(self.positive > 0, scores, 1 - scores), CLIP))
        self.squares = -((scores - self.positive) ** 2)
        misses, alarms = self.positive * (1 - self.decided), (1 - self.positive) * self.decided
        self.costs = [-(cost * misses + alarms) for cost in INDEX_COSTS]
        self.placed = _placed(scores, truth > 0)

    def values(self) -> Array:
        means = [terms.mean(axis=0) for terms in (self.surprise, self.squares, *self.costs)]
        return np.stack([self.rightly.mean(axis=0), self._f(), self._auc(), sum(self._recalls()) / 2, *means], axis=1)

    def _f(self) -> Array:
        return np.asarray(2 * self.hits / (self.called + self.share))

    def _auc(self) -> Array:
        return np.asarray(self.placed[self.positive[:, 0] > 0].mean(axis=0))

    def _recalls(self) -> tuple[Array, Array]:
        """Of positives and of negatives."""
        negatives = 1 - self.share
        return self.hits / self.share, 1 - (self.called - self.hits) / negatives

    def changes(self) -> Array:
        y, shares = self.positive, np.where(self.positive > 0, self.share, 1 - self.share)
        recalled, spared = self._recalls()
        f = (2 * y * self.decided - self._f() * (y + self.decided)) / (self.called + self.share)
        auc = (self.placed - self._auc()) / shares
        balanced = (self.rightly - np.where(y > 0, recalled, spared)) / shares / 2
        means = [terms - terms.mean(axis=0) for terms in (self.surprise, self.squares, *self.costs)]
        return np.stack([self.rightly - self.rightly.mean(axis=0), f, auc, balanced, *means], axis=2) / self.rows


def _placed(scores: Array, positive: Array) -> Array:
    """The share of rows of the other class that each row is on the right side of; a tie counts half."""
    from scipy.stats import rankdata

    ranks = rankdata(scores, axis=0)
    placed = np.empty(scores.shape)
    among = {side: rankdata(scores[positive == side], axis=0) for side in (True, False)}
    placed[positive] = (ranks[positive] - among[True]) / (~positive).sum()
    placed[~positive] = 1 - (ranks[~positive] - among[False]) / positive.sum()
    return placed
