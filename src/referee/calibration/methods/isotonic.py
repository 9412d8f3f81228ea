"""Isotonic regression: any map that does not fall."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.events import Forecasts
from referee.calibration.methods.method import Method, finite
from referee.calibration.score_decomposition import first_of_blocks

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True)
class Stairs:
    """Level on each block of scores, straight lines between the blocks, level beyond the first and the last."""

    scores: tuple[float, ...]
    probabilities: tuple[float, ...]

    def __call__(self, columns: list[Array]) -> list[Array]:
        return [np.interp(column, self.scores, self.probabilities) for column in columns]

    @property
    def strictly_increasing(self) -> bool:
        return False

    @property
    def constant(self) -> bool:
        return self.probabilities[0] == self.probabilities[-1]

    def numbers(self) -> dict[str, float | list[float]]:
        return {"scores": list(self.scores), "probabilities": list(self.probabilities)}


def fit(columns: list[Array], truth: Array, weight: Array) -> Stairs:
    (score,) = columns
    counted = weight > 0
    distinct, place = np.unique(score[counted], return_inverse=True)
    rows = np.bincount(place, weight[counted])
    forecasts = Forecasts(distinct, rows, np.bincount(place, (weight * truth)[counted]))
    first = first_of_blocks(forecasts)
    of_rows, came_true, _ = forecasts.blocks(first)
    last = np.append(first[1:], len(distinct)) - 1
    knots = np.unique(np.stack([first, last], axis=1).ravel())
    share = np.clip(came_true / of_rows, 0, 1)
    return Stairs(tuple(distinct[knots].tolist()), tuple(share[np.searchsorted(first, knots, "right") - 1].tolist()))


def restore(scores: object, probabilities: object) -> Stairs:
    if not isinstance(scores, list) or not isinstance(probabilities, list) or len(scores) != len(probabilities):
        raise ValueError("'scores' and 'probabilities' must be lists of the same length")
    x = [finite("scores", one) for one in scores]
    y = [finite("probabilities", one) for one in probabilities]
    if not x or any(b <= a for a, b in pairwise(x)):
        raise ValueError("'scores' must rise")
    if any(b < a for a, b in pairwise(y)) or not (y[0] >= 0 and y[-1] <= 1):
        raise ValueError("'probabilities' must not fall, and lie between 0 and 1")
    return Stairs(tuple(x), tuple(y))


method = Method(
    name="isotonic",
    title="Isotonic regression",
    assumes="a higher score is never less likely, and nothing else; it needs many rows (about 1,000), and may say "
    "exactly 0 or 1",
    needs="scores",
    keeps_ranking="makes ties: scores of one block become the same probability, so AUC may change",
    fit=fit,
    restore=restore,
    reference="Zadrozny and Elkan (2002), Transforming classifier scores into accurate multiclass probability "
    "estimates, KDD, 694-699",
)
