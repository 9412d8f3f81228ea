"""Truth, production and a candidate that is worse by exactly so much, for looks.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

UNTIL = 2000


def answers(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Right or wrong on a tenth of the rows only one of two models; the candidate is worse by so much."""
    truth = draw.integers(0, 2, UNTIL)
    kind, apart = draw.random(UNTIL), (0.1 - worse) / 2
    old = np.where(kind < apart, 1 - truth, truth)
    new = np.where((kind >= apart) & (kind < 0.1), 1 - truth, truth)
    return truth, old, new


def probabilities(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Probabilities with noise of their own; the worse ones are drawn so far to a half that they lose so much."""
    signal = draw.standard_normal(UNTIL)
    truth = (draw.random(UNTIL) < 1 / (1 + np.exp(-2 * signal))).astype(int)
    old, new = (1 / (1 + np.exp(-2 * signal - draw.standard_normal(UNTIL))) for _ in range(2))
    old, new = (
        0.5 + (one - 0.5) * (1 - SHRUNK[lost]) for one, lost in ((old, max(-worse, 0.0)), (new, max(worse, 0.0)))
    )
    return truth, old, new


def surprising(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """The same with the loss that has a long tail."""
    truth, old, new = probabilities(draw, 0.0)
    return truth, old, 0.5 + (new - 0.5) * (1 - SHRUNK_FOR_LOG[worse])


def ranked(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Scores of two classes, a fifth positive; the candidate has so much more noise."""
    truth = (draw.random(UNTIL) < 0.2).astype(int)
    seen = 1.5 * truth + 0.7 * draw.standard_normal(UNTIL)
    return truth, seen + draw.standard_normal(UNTIL), seen + (1 + NOISIER[worse]) * draw.standard_normal(UNTIL)


def few(draw: np.random.Generator, worse: float) -> tuple[Array, Array, Array]:
    """Labels, a fifth positive, whose mistakes have much in common; the candidate finds so many fewer."""
    truth = (draw.random(UNTIL) < POSITIVE).astype(int)
    common, own = draw.standard_normal(UNTIL), draw.standard_normal((2, UNTIL))
    old, new = (
        (stats.norm.cdf(0.9 * common + 0.19**0.5 * one) < np.where(truth == 1, recall, ALARMS)).astype(int)
        for one, recall in zip(own, (RECALL, FOUND[worse]), strict=True)
    )
    return truth, old, new


def _shrunk(wanted: float, loss: Callable[[Array, Array], Array]) -> float:
    """How far probabilities are drawn to a half, so that the loss is worse by the margin in a million rows."""
    draw = np.random.default_rng(99)
    signal = draw.standard_normal(10**6)
    truth = draw.random(10**6) < 1 / (1 + np.exp(-2 * signal))
    given = 1 / (1 + np.exp(-2 * signal - draw.standard_normal(10**6)))
    low, high = 0.0, 1.0
    base = loss(truth, given).mean()
    for _ in range(30):
        middle = (low + high) / 2
        lost = loss(truth, 0.5 + (given - 0.5) * (1 - middle)).mean() - base
        low, high = (middle, high) if lost < wanted else (low, middle)
    return low


def _noisier(wanted: float) -> float:
    """Of two normal classes AUC is known: how much more noise loses the margin."""
    own = stats.norm.cdf(1.5 / np.sqrt(2 * (0.49 + 1)))
    lower = stats.norm.ppf(own - wanted)
    return float(np.sqrt((1.5 / lower) ** 2 / 2 - 0.49) - 1)


def _recall_of(f1: float) -> float:
    """The recall that has this F1 in the population."""
    return f1 * (POSITIVE + (1 - POSITIVE) * ALARMS) / (POSITIVE * (2 - f1))


def squared(truth: Array, given: Array) -> Array:
    return (given - truth) ** 2


def surprise(truth: Array, given: Array) -> Array:
    return -np.log(np.where(truth == 1, given, 1 - given))


MARGINS = {"accuracy": 0.02, "brier": 0.01, "roc_auc": 0.02, "f1": 0.04, "log_loss": 0.03}
POSITIVE, RECALL, ALARMS = 0.2, 0.7, 0.05
SHRUNK = {0.0: 0.0, 0.01: _shrunk(0.01, squared)}
SHRUNK_FOR_LOG = {0.0: 0.0, 0.03: _shrunk(0.03, surprise)}
NOISIER = {0.0: 0.0, 0.02: _noisier(0.02)}
F1 = 2 * POSITIVE * RECALL / (POSITIVE * (1 + RECALL) + (1 - POSITIVE) * ALARMS)
FOUND = {0.0: RECALL, 0.04: _recall_of(F1 - 0.04)}
DRAWS = {"accuracy": answers, "brier": probabilities, "roc_auc": ranked, "f1": few, "log_loss": surprising}
