"""Rows of known populations, and models that are equal in a metric: by symmetry, or by their parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import exp, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

import referee
from benchmarks.validity.cell import generator_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

HUGE = 1_000_000
SIGNAL = {0.5: 1.5, 0.2: 1.5, 0.05: 2.0, 0.02: 2.5, 0.005: 3.0}
"""How far the positive class moves what models see: the rarer, the farther, so that some are found."""


@dataclass(frozen=True)
class Maker:
    """A model: it sees the signal with noise of its own, and turns it into a probability."""

    noise: float = 0.7
    heavy_tails: bool = False
    confidence: float = 1.0
    """Above 1 the probabilities are more extreme than they should be."""
    lean: float = 0.0
    """Towards the positive class."""
    levels: int = 0
    """So many scores are told apart; 0: all."""

    def scores(self, positives: float, signal: Array, noise: Array) -> Array:
        slope = self.confidence * SIGNAL[positives] / (1 + self.noise**2)
        evidence = slope * (signal + self.noise * noise - SIGNAL[positives] / 2) + np.log(positives / (1 - positives))
        with np.errstate(over="ignore"):
            scores = 1 / (1 + np.exp(-(evidence + self.lean)))
        return np.asarray((np.floor(scores * self.levels) + 0.5) / self.levels if self.levels else scores)

    def noise_of(self, generator: np.random.Generator, rows: int) -> Array:
        return generator.standard_t(3, rows) if self.heavy_tails else generator.standard_normal(rows)


PLAIN = Maker()


def other_shape(positives: float) -> Maker:
    """Heavy-tailed noise, and where the classes are common also overconfident, leaning probabilities."""
    return Maker(heavy_tails=True, **({"confidence": 1.4, "lean": 0.4} if positives >= 0.2 else {}))


def truth_and_signal(positives: float, rows: int, generator: np.random.Generator) -> tuple[Array, Array]:
    truth = (generator.random(rows) < positives).astype(int)
    return truth, SIGNAL[positives] * truth + generator.standard_normal(rows)


def classes(
    positives: float, rows: int, makers: tuple[Maker, ...], generator: np.random.Generator, shared: float = 0.0
) -> tuple[Array, dict[str, Array]]:
    """A test set, and each model's probabilities; `shared` is how much of their noise relatives have in common."""
    truth, signal = truth_and_signal(positives, rows, generator)
    common = generator.standard_normal(rows)
    noises = [sqrt(shared) * common + sqrt(1 - shared) * maker.noise_of(generator, rows) for maker in makers]
    each = zip(names(len(makers)), makers, noises, strict=True)
    return truth, {name: maker.scores(positives, signal, noise) for name, maker, noise in each}


def names(models: int) -> list[str]:
    return [f"m{place:02}" for place in range(models)]


@cache
def of_equal_value(positives: float, metric: str, rows: int = HUGE) -> Maker:
    """A model of another shape whose noise makes its true value that of the plain one."""
    from scipy.optimize import brentq

    generator = generator_of("equal value", 0)
    truth, signal = truth_and_signal(positives, rows, generator)
    shape = other_shape(positives)
    noise, heavy = PLAIN.noise_of(generator, rows), shape.noise_of(generator, rows)
    target = _value(truth, PLAIN.scores(positives, signal, noise), metric)

    def too_good(size: float) -> float:
        return _value(truth, replace(shape, noise=size).scores(positives, signal, heavy), metric) - target

    return replace(shape, noise=float(brentq(too_good, 0.02, 2.5, xtol=1e-3)))


def _value(truth: Array, scores: Array, metric: str) -> float:
    return float(referee.metrics[metric](truth, scores, positive=1))


def rates_of_equal_value(metric: str, positives: float, recall: float, alarms: float, other: float) -> float:
    """The false alarms that give a model of another recall the same true value."""
    from scipy.optimize import brentq

    def value(recall: float, alarms: float) -> float:
        found, missed = positives * recall, positives * (1 - recall)
        false, right = (1 - positives) * alarms, (1 - positives) * (1 - alarms)
        return float(CLOSED[metric](found, false, missed, right))

    target = value(recall, alarms)
    return float(brentq(lambda size: value(other, size) - target, 1e-9, 0.9))


CLOSED: dict[str, Callable[[float, float, float, float], float]] = {
    "precision": lambda tp, fp, _, __: tp / (tp + fp),
    "f1": lambda tp, fp, fn, _: 2 * tp / (2 * tp + fp + fn),
    "mcc": lambda tp, fp, fn, tn: (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    "kappa": lambda tp, fp, fn, tn: 2 * (tp * tn - fn * fp) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
}
"""Metrics of the shares that are found, falsely called, missed and rightly left alone."""


def decisions(
    positives: float, rows: int, rates: tuple[tuple[float, float], ...], generator: np.random.Generator
) -> tuple[Array, dict[str, Array]]:
    """Labels of models with a recall and a rate of false alarms each, whose mistakes have something in common."""
    from scipy.special import ndtr

    truth, common = (generator.random(rows) < positives).astype(int), generator.standard_normal(rows)
    each = {}
    for name, (recall, alarms) in zip(names(len(rates)), rates, strict=True):
        chance = ndtr(sqrt(0.6) * common + sqrt(0.4) * generator.standard_normal(rows))
        each[name] = (chance < np.where(truth == 1, recall, alarms)).astype(int)
    return truth, each


ERRORS = {
    "normal": (lambda g, n: g.standard_normal(n), sqrt(2 / pi), 1.0),
    "Laplace": (lambda g, n: g.laplace(size=n), 1.0, sqrt(2)),
    "t5": (lambda g, n: g.standard_t(5, n), 0.9490, sqrt(5 / 3)),
    "t3": (lambda g, n: g.standard_t(3, n), 2 * sqrt(3) / pi, sqrt(3)),
    "lognormal": (lambda g, n: np.exp(g.standard_normal(n)) - exp(0.5), 1.262673, sqrt(exp(2) - exp(1))),
    "1% gross": (
        lambda g, n: g.standard_normal(n) * np.where(g.random(n) < 0.01, 10, 1),
        sqrt(2 / pi) * 1.09,
        sqrt(1.99),
    ),
}
"""How errors are drawn, the mean of their sizes, and the root of that of their squares."""


def numbers(
    rows: int, errors: tuple[str, str], metric: str, generator: np.random.Generator, shared: float = 0.0
) -> tuple[Array, dict[str, Array]]:
    """Predictions of numbers, each model with its errors; of different shapes with the same mean size or square."""
    truth, common = 3 * generator.standard_normal(rows), generator.standard_normal(rows)
    each = {}
    for name, shape in zip("ab", errors, strict=True):
        draw, size, root = ERRORS[shape]
        own = draw(generator, rows) / (size if metric == "mae" else root)
        each[name] = truth + sqrt(shared) * common + sqrt(1 - shared) * own
    return truth, each


def in_groups(
    groups: int, unequal: bool, positives: float, generator: np.random.Generator
) -> tuple[Array, dict[str, Array], Array]:
    """About ten rows of each group, which moves each model's scores by an amount of its own."""
    sizes = np.full(groups, 10)
    if unequal:
        sizes = 1 + np.round(9 * np.exp(generator.standard_normal(groups) - 0.5)).astype(int)
    group = np.repeat(np.arange(groups), sizes)
    truth, signal = truth_and_signal(positives, len(group), generator)
    moved = {name: signal + 0.7 * generator.standard_normal(groups)[group] for name in "ab"}
    scores = {name: PLAIN.scores(positives, one, PLAIN.noise_of(generator, len(group))) for name, one in moved.items()}
    return truth, scores, group


def autoregressive(rows: int, rho: float, generator: np.random.Generator) -> Array:
    """Of variance 1, each value rho times the one before plus something new."""
    from scipy.signal import lfilter

    start = generator.standard_normal(1) * rho
    return np.asarray(lfilter([1], [1, -rho], sqrt(1 - rho**2) * generator.standard_normal(rows), zi=start)[0])


def several_classes(rows: int, generator: np.random.Generator) -> tuple[Array, dict[str, Array]]:
    """Three classes of 60, 30 and 10%, and two models with a probability of each."""
    truth = generator.choice(3, rows, p=[0.6, 0.3, 0.1])
    signal = 1.5 * np.eye(3)[truth] + generator.standard_normal((rows, 3))
    seen = {name: np.exp(signal + 0.7 * generator.standard_normal((rows, 3))) for name in "ab"}
    return truth, {name: one / one.sum(axis=1, keepdims=True) for name, one in seen.items()}
