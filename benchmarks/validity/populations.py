"""Rows of known populations: two models that are equal in the metric, by symmetry or by their parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.validity.measuring import generator_of
from referee import metrics
from referee.comparing import Contender
from referee.predictions import Predictions

if TYPE_CHECKING:
    from referee.arrays import Array

HUGE = 1_000_000


@dataclass(frozen=True)
class Population:
    """A class that shifts a signal; models see the signal with noise of their own."""

    positives: float
    signal: float
    name: str

    @property
    def prior(self) -> float:
        return float(np.log(self.positives / (1 - self.positives)))

    def rows(self, generator: np.random.Generator, rows: int) -> tuple[Array, Array]:
        """The truth and the signal of each row."""
        truth = (generator.random(rows) < self.positives).astype(int)
        return truth, self.signal * truth + generator.standard_normal(rows)


COMMON = Population(0.4, 1.5, "40% positive")
RARE = Population(0.02, 2.5, "2% positive")


@dataclass(frozen=True)
class Maker:
    """A model: how much noise it adds, of which shape, and how it turns the sum into a probability."""

    noise: float = 0.7
    heavy_tails: bool = False
    confidence: float = 1.0
    """Above 1 the probabilities are more extreme than they should be."""
    lean: float = 0.0
    """Towards the positive class."""

    def scores(self, population: Population, signal: Array, generator: np.random.Generator) -> Array:
        noise = generator.standard_t(3, len(signal)) if self.heavy_tails else generator.standard_normal(len(signal))
        seen = signal + self.noise * noise
        slope = self.confidence * population.signal / (1 + self.noise**2)
        evidence = slope * (seen - population.signal / 2)
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-(evidence + population.prior + self.lean)))


PLAIN = Maker()
OTHER_SHAPE = {COMMON.name: Maker(heavy_tails=True, confidence=1.4, lean=0.4), RARE.name: Maker(heavy_tails=True)}


@cache
def of_equal_value(population: Population, metric: str, rows: int = HUGE) -> Maker:
    """A model of another shape whose noise makes its true value that of the plain one."""
    from scipy.optimize import brentq

    truth, signal = population.rows(generator_of("equal value", 0), rows)
    target = _value(population, PLAIN, truth, signal, metric)
    shape = OTHER_SHAPE[population.name]

    def too_good(noise: float) -> float:
        return _value(population, replace(shape, noise=noise), truth, signal, metric) - target

    return replace(shape, noise=float(brentq(too_good, 0.02, 1.5, xtol=1e-3)))


def _value(population: Population, maker: Maker, truth: Array, signal: Array, metric: str) -> float:
    # The same noise for every candidate, so that the value moves smoothly.
    scores = maker.scores(population, signal, generator_of("noise of equal value", int(maker.heavy_tails)))
    predictions = Predictions.from_arrays(truth, {"model": scores})
    return Contender(predictions, predictions.models[0], metrics[metric]).value


def draw(population: Population, rows: int, makers: dict[str, Maker], generator: np.random.Generator) -> Predictions:
    """A test set with the predictions of all models, in their order."""
    truth, signal = population.rows(generator, rows)
    return Predictions.from_arrays(
        truth, {name: maker.scores(population, signal, generator) for name, maker in makers.items()}, classes=[0, 1]
    )
