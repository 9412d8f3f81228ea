"""Cross-fitting: the threshold of each fold is chosen on all the others, so that no row judges its own choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.row_order import steps_of_rows
from referee.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


def training_rankings(
    scores: Array, ranking: Ranking, is_positive: Array, weight: Array | None, fold: Array
) -> Sequence[Ranking]:
    """The ranking of all rows without those of each fold; nothing is sorted again."""
    # A row without weight may have a score that is no step.
    step = steps_of_rows(scores, ranking.scores).clip(0, len(ranking.scores) - 1)
    every = ranking.positives, ranking.negatives
    found = []
    for number in range(int(fold.max()) + 1):
        inside = fold == number
        left = [
            np.asarray(all_rows, float) - _by_step(step, weight, inside & of_class, len(ranking.scores))
            for all_rows, of_class in zip(every, (is_positive, ~is_positive), strict=True)
        ]
        # What was subtracted in weights may leave the rounding of 0.
        kept = left[0] + left[1] > 1e-12 * (np.asarray(every[0], float) + every[1])
        positives, negatives = (np.where(one > 0, one, 0)[kept] for one in left)
        found.append(Ranking(ranking.scores[kept], positives, negatives, np.array([0, int(kept.sum())])))
    return found


def decisions(scores: Array, fold: Array, thresholds: Sequence[float]) -> Array:
    """Whether each row reaches the threshold of its fold."""
    return np.asarray(scores >= np.asarray(thresholds, float)[fold])


def _by_step(step: Array, weight: Array | None, rows: Array, steps: int) -> Array:
    return np.bincount(step[rows], None if weight is None else weight[rows], steps)
