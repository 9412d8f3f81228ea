"""How often one of two equal models wins where rows are in the order of time: writes time_tests.md beside it.

Every cell has 2,000 sets, judged by a batched copy of the test; 50 of them also go through `referee.compare`, which
must agree. Cells that are done are kept in a file, so that a run which was stopped goes on where it was.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.fft import dct
from scipy.signal import lfilter
from scipy.special import chdtrc, expit, stdtr
from scipy.stats import rankdata

import referee

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    Array = np.ndarray[Any, np.dtype[Any]]

SETS, CHECKED, SEED = 2_000, 50, 20_261
ROWS = (100, 300, 1_000, 3_000)
METRICS = {"mean": "mean score", "mse": "squared error", "accuracy": "accuracy", "roc_auc": "AUC", "f1": "F1",
           "log_loss": "log loss"}  # fmt: skip
BEFORE = 300
"""Moments that a series has behind it when it begins."""


@dataclass(frozen=True)
class World:
    """How rows depend on each other, in both models alike unless `alone`."""

    name: str
    kind: str
    by: float
    alone: bool = False
    """Whether only one of the models has it, and the other independent errors of the same distribution."""
    noise: float = 0.0
    """The share of the variance that is independent from row to row."""

    def series(self, sets: int, rows: int, random: Generator) -> Array:
        persistent = SERIES[self.kind](self.by, sets, rows, random)
        if not self.noise:
            return persistent
        return np.sqrt(1 - self.noise) * persistent + np.sqrt(self.noise) * random.standard_normal((sets, rows))


def heavy_ar(by: float, sets: int, rows: int, random: Generator) -> Array:
    """An autoregression with innovations from t(5)."""
    drawn = random.standard_t(5, (sets, rows + BEFORE)) * np.sqrt(3 / 5 * (1 - by**2))
    return np.asarray(lfilter([1], [1, -by], drawn, axis=1))[:, BEFORE:]


def normal_ar(by: float, sets: int, rows: int, random: Generator) -> Array:
    drawn = random.standard_normal((sets, rows)) * np.sqrt(1 - by**2)
    drawn[:, 0] /= np.sqrt(1 - by**2)
    return np.asarray(lfilter([1], [1, -by], drawn, axis=1))


def moving_average(by: float, sets: int, rows: int, random: Generator) -> Array:
    """As the errors of forecasts that look several steps ahead."""
    steps = int(by)
    drawn = random.standard_normal((sets, rows + steps))
    return np.asarray(lfilter(np.ones(steps) / np.sqrt(steps), [1], drawn, axis=1))[:, steps:]


def season(by: float, sets: int, rows: int, random: Generator) -> Array:
    """A wave of that period whose phase and height come anew in each set, over an autoregression."""
    phase, height = random.uniform(0, 2 * np.pi, (sets, 1)), np.sqrt(random.exponential(1, (sets, 1)))
    wave = height * np.cos(2 * np.pi * np.arange(rows) / by + phase)
    return np.asarray(wave + np.sqrt(0.5) * normal_ar(0.5, sets, rows, random))


def regimes(by: float, sets: int, rows: int, random: Generator) -> Array:
    """Two levels that change after that many rows on average."""
    change = random.random((sets, rows)) < 1 / by
    change[:, 0] = random.random(sets) < 0.5
    return 1.0 - 2.0 * (np.cumsum(change, axis=1) % 2)


SERIES = {"heavy": heavy_ar, "normal": normal_ar, "average": moving_average, "season": season, "regimes": regimes}
STRONG = [World(f"AR(1), t innovations, rho {rho}", "heavy", rho) for rho in (0, 0.5, 0.8, 0.9, 0.95)]
OTHERS = [
    World("AR(1) in one model only, rho 0.8", "normal", 0.8, alone=True),
    World("moving average of 6", "average", 6),
    World("moving average of 24", "average", 24),
    World("season of 24, over AR(1) of rho 0.5", "season", 24),
    World("regimes of 10 rows, half noise", "regimes", 10, noise=0.5),
    World("regimes of 50 rows, half noise", "regimes", 50, noise=0.5),
    World("AR(1), rho 0.5, 80 % noise", "normal", 0.5, noise=0.8),
    World("AR(1), rho 0.9, 80 % noise", "normal", 0.9, noise=0.8),
]


@dataclass(frozen=True)
class Sets:
    """Truth and two models' predictions: (set, row)."""

    truth: Array
    a: Array
    b: Array


def draw(world: World, metric: str, sets: int, rows: int, random: Generator) -> Sets:
    """Two models that are equally good in the long run."""
    errors = [world.series(sets, rows, random) for _ in range(2)]
    if world.alone:
        errors[1] = random.standard_normal((sets, rows))
    if metric in ("mean", "mse"):
        truth = world.series(sets, rows, random) if metric == "mse" else np.zeros((sets, rows))
        return Sets(truth, truth + errors[0], truth + errors[1])
    signal = 1.5 * world.series(sets, rows, random)
    truth = (signal + random.logistic(0, 1, (sets, rows)) > 0).astype(int)
    return Sets(truth, *(expit(signal + error) for error in errors))


def auc_terms(truth: Array, scores: Array) -> tuple[Array, Array]:
    """AUC, and what each row adds to it: placements, each class about its own mean."""
    positive, ranks = truth == 1, rankdata(scores, axis=1)
    within = np.where(positive, rankdata(np.where(positive, scores, np.inf), axis=1), 0)
    within += np.where(positive, 0, rankdata(np.where(positive, np.inf, scores), axis=1))
    ones = positive.sum(axis=1, keepdims=True)
    zeros = truth.shape[1] - ones
    placed = np.where(positive, (ranks - within) / zeros, 1 - (ranks - within) / ones)
    value = np.where(positive, placed, 0).sum(axis=1, keepdims=True) / ones
    size = np.where(positive, ones, zeros)
    return value[:, 0], (placed - value) / np.sqrt(size * (size - 1.0))


def f1_terms(truth: Array, scores: Array) -> tuple[Array, Array]:
    called, positive = scores >= 0.5, truth == 1
    hit, wrong = called & positive, called != positive
    below = 2 * hit.sum(axis=1, keepdims=True) + wrong.sum(axis=1, keepdims=True)
    value = 2 * hit.sum(axis=1, keepdims=True) / below
    return value[:, 0], (2 * hit - value * (2 * hit + wrong)) / below


def mean_terms(metric: str, truth: Array, given: Array) -> tuple[Array, Array]:
    """Of a metric that is a mean over rows."""
    right = np.where(truth == 1, given, 1 - given) if metric in ("accuracy", "log_loss") else given
    each = {"mean": lambda: given, "mse": lambda: (given - truth) ** 2, "log_loss": lambda: -np.log(right),
            "accuracy": lambda: ((given >= 0.5) == (truth == 1)).astype(float)}[metric]()  # fmt: skip
    value = each.mean(axis=1, keepdims=True)
    return value[:, 0], (each - value) / each.shape[1]


def terms(metric: str, truth: Array, given: Array) -> tuple[Array, Array]:
    if metric == "roc_auc":
        return auc_terms(truth, given)
    return f1_terms(truth, given) if metric == "f1" else mean_terms(metric, truth, given)


def differences(metric: str, drawn: Sets) -> tuple[Array, Array]:
    """Of the values, and of what each row adds to them, as large as the test takes it: with Bessel's correction."""
    (one, first), (other, second) = (terms(metric, drawn.truth, given) for given in (drawn.a, drawn.b))
    rows = first.shape[1]
    smaller = np.sqrt((rows - 1) / rows) if metric == "roc_auc" else 1.0  # which has its own correction, by class
    return one - other, (first - second) * smaller


def long_run(added: Array) -> tuple[Array, Array, Array]:
    """Variance, degrees of freedom and pieces of each set: the rule, written once more and for many sets."""
    sets, rows = added.shape
    most = max(4, int(0.4 * rows ** (2 / 3)))
    number, shares, block, means = np.arange(1, most + 1), np.ones((sets, most)), 1, added
    while block == 1 or rows // block >= 50:
        x = means - means.mean(axis=1, keepdims=True)
        r = (x[:, 1:] * x[:, :-1]).sum(axis=1) / np.maximum((x * x).sum(axis=1), 1e-300)
        r = np.clip(r + (1 + 3 * r) / x.shape[1], 0, 0.97)[:, None]
        low = (1 - r) ** 2 / (1 - 2 * r * np.cos(np.pi * number * block / rows) + r * r)
        shares = np.minimum(shares, np.cumsum(low, axis=1) / number)
        block *= 2
        means = added[:, : rows // block * block].reshape(sets, -1, block).mean(axis=2)
    pieces = np.maximum(4, (shares >= 0.9).sum(axis=1))
    power = np.cumsum(dct(added, type=2, norm="ortho", axis=1)[:, 1 : most + 1] ** 2, axis=1)
    place = np.arange(sets), pieces - 1
    variance = power[place] * rows / pieces / shares[place]
    excess = rows * (added**4).sum(axis=1) / np.maximum((added**2).sum(axis=1), 1e-300) ** 2 - 3
    return variance, 1 / (1 / pieces + np.maximum(excess, 0) / (2 * rows)), pieces


def p_values(metric: str, drawn: Sets) -> tuple[Array, Array, Array]:
    """p in time order, with pieces and degrees of freedom."""
    difference, added = differences(metric, drawn)
    variance, df, pieces = long_run(added)
    with np.errstate(all="ignore"):
        size = np.abs(difference) / np.sqrt(variance)
    return np.where(variance > 0, 2 * stdtr(df, -np.where(variance > 0, size, 0)), 1.0), df, pieces


def independent_p(metric: str, drawn: Sets) -> Array:
    """Of the same rows taken for independent."""
    difference, added = differences(metric, drawn)
    rows = added.shape[1]
    error = np.sqrt((added**2).sum(axis=1) * rows / (rows - 1))
    return np.asarray(2 * stdtr(rows - 1, -np.abs(difference) / np.where(error > 0, error, np.inf)))


def alarms(metric: str, drawn: Sets) -> Array:
    """Whether the warning that rows are alike would be given, were they taken for independent."""
    added = differences(metric, drawn)[1]
    rows = added.shape[1]
    most = max(4, int(0.4 * rows ** (2 / 3)))
    low = (dct(added, type=2, norm="ortho", axis=1)[:, 1 : most + 1] ** 2).sum(axis=1) * (rows - 1)
    size = np.maximum((added**2).sum(axis=1), 1e-300)
    return np.asarray(chdtrc(most, low / size) < 0.01)
