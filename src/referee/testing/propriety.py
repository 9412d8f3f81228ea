"""What is rewarded: honest probabilities, or which property of a distribution of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.predictions import Model, Predictions, Units
from referee.scoring import SCORES, Metric
from referee.testing.samples import LEVELS, ROUNDING, as_loss, binary, multiclass, require, scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

STEP = 1 / 16
POPULATIONS = {
    2: np.array([[3, 6], [9, 13], [2, 12], [5, 7]]) * STEP,
    3: np.array([[[1, 2, 3], [4, 1, 1]], [[2, 1, 3], [1, 3, 2]], [[3, 2, 1], [0, 1, 5]]]) / 6,
}
"""True probabilities in two groups of rows: of the positive class, or of each of three classes."""


def check_proper(metric: Metric) -> None:
    """Find out how honest forecasts fare against all others, in populations whose probabilities are known."""
    if metric.needs in ("values", "quantiles"):
        require(metric, metric.proper == "no", "only probabilities can be honest; see `elicits`")
        return
    if metric.proper == "no" and metric.needs != "probabilities":
        return
    sizes = [2] * ("binary" in metric.tasks) + [3] * ("multiclass" in metric.tasks)
    fates = [_honesty(metric, size, truth) for size in sizes for truth in POPULATIONS[size]]
    if metric.proper == "strictly":
        require(metric, all(fate == "alone" for fate in fates), "honest probabilities alone are best")
    elif metric.proper == "weakly":
        require(metric, "beaten" not in fates, "no forecast beats honest probabilities")
        require(metric, "among others" in fates, "honest probabilities are best, but not alone: that is not strictly")
    else:
        require(metric, "beaten" in fates, "honest probabilities are beaten by others")


def _honesty(metric: Metric, classes: int, truth: Array) -> str:
    """Whether honest forecasts for the two groups are best alone, among others, or beaten by some."""
    forecasts = _forecasts(classes)
    predictions, by = _population(truth, forecasts)
    losses = as_loss(metric, scores(metric, predictions, by))
    distance = np.abs(forecasts - np.asarray(truth)).reshape(len(forecasts), -1).max(axis=1)
    honest = int(np.argmin(distance))
    others = np.delete(losses, honest)
    if np.isnan(losses[honest]) or np.isnan(others).all():
        return "undefined"
    if np.nanmin(others) < losses[honest] - ROUNDING:
        return "beaten"
    return "among others" if np.nanmin(others) <= losses[honest] + ROUNDING else "alone"


def _forecasts(classes: int) -> Array:
    """All pairs of forecasts on a grid: (pair, group), or (pair, group, class)."""
    if classes == 2:
        grid = np.arange(0, 1 + STEP, STEP)
        return np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    simplex = np.array([(a, b, 6 - a - b) for a in range(7) for b in range(7 - a)]) / 6
    first, second = np.meshgrid(range(len(simplex)), range(len(simplex)))
    return np.stack([simplex[first.ravel()], simplex[second.ravel()]], axis=1)


def _population(truth: Array, forecasts: Array) -> tuple[Predictions, Units]:
    """One unit for each pair of forecasts, with a row for each group and class, as heavy as it is probable."""
    of_classes = np.stack([1 - truth, truth], axis=1) if truth.ndim == 1 else truth
    groups, classes = of_classes.shape
    group, code = (axis.ravel() for axis in np.meshgrid(range(groups), range(classes), indexing="ij"))
    columns = forecasts[:, group].reshape(-1, *forecasts.shape[2:])
    by = Units(np.repeat(np.arange(len(forecasts)), len(group)), tuple(map(str, range(len(forecasts)))))
    weight = np.tile(of_classes[group, code], len(forecasts))
    make = binary if truth.ndim == 1 else multiclass
    return make(np.tile(code, len(forecasts)), columns, weight=weight), by


POPULATION = np.array([1.0, 2.0, 7.0, 8.0, 12.0])
"""Skewed, so that the properties differ: mean 6, median 7, quantile 0.7 8, median by 1 / y 1, shortest half 9.5."""
CONSTANTS = np.arange(0, 16, 0.25)
LEVEL = 0.7
ELICITED: dict[str, Callable[[Array], float]] = {
    "mean": lambda y: float(y.mean()),
    "median": lambda y: float(np.median(y)),
    "quantile": lambda y: float(np.quantile(y, LEVEL, method="inverted_cdf")),
    "median weighted by 1 / |truth|": lambda y: float(
        np.quantile(y, 0.5, weights=1 / np.abs(y), method="inverted_cdf")
    ),
}


def check_elicits(metric: Metric) -> None:
    """Find the best constant prediction for a skewed population: it is the declared property, and no other."""
    if metric.tasks == SCORES:
        require(metric, metric.elicits is None, "scores have no truth that something could be elicited about")
    elif metric.needs == "values":
        setting = {"level": LEVEL} if "level" in metric.defaults else {}
        best = _best_constants(metric.bind(**setting) if setting else metric)
        properties = [name for name, property_of in ELICITED.items() if best == [property_of(POPULATION)]]
        require(metric, properties == [metric.elicits] * (metric.elicits is not None), f"it elicits {metric.elicits}")
    elif metric.needs == "quantiles":
        best_of = {level: _best_constants(metric, level) for level in LEVELS}
        looked_at = {level: best for level, best in best_of.items() if len(best) < len(CONSTANTS)}
        quantiles = {level: [float(np.quantile(POPULATION, level, method="inverted_cdf"))] for level in looked_at}
        properties = ["quantile"] if looked_at and looked_at == quantiles else []
        require(metric, properties == [metric.elicits] * (metric.elicits is not None), f"it elicits {metric.elicits}")


def _best_constants(metric: Metric, level: float | None = None) -> list[float]:
    """The constants with the best value, as prediction or as one of the quantiles (the others stay)."""
    rows = len(POPULATION)
    constant = np.repeat(CONSTANTS, rows)
    quantiles = {other: constant if other == level else np.full(len(constant), 7.0) for other in LEVELS}
    model = Model("m", values=constant, quantiles=quantiles)
    by = Units(np.repeat(np.arange(len(CONSTANTS)), rows), tuple(map(str, CONSTANTS)))
    losses = as_loss(
        metric, scores(metric, Predictions("regression", np.tile(POPULATION, len(CONSTANTS)), (model,)), by)
    )
    return [] if np.isnan(losses).all() else CONSTANTS[losses <= np.nanmin(losses) + ROUNDING].tolist()


PROPRIETY_CHECKS = (check_proper, check_elicits)
