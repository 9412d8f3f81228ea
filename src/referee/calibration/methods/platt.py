"""Platt scaling: the log odds are a straight line in the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.calibration.methods.method import Method, finite, smoothed_outcomes
from referee.calibration.recalibration import fit_logistic

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True)
class Line:
    """probability = 1 / (1 + exp(-(intercept + slope x score)))."""

    slope: float
    intercept: float

    def __call__(self, columns: list[Array]) -> list[Array]:
        from scipy.special import expit

        return [expit(self.intercept + self.slope * column) for column in columns]

    @property
    def strictly_increasing(self) -> bool:
        return self.slope > 0

    @property
    def constant(self) -> bool:
        return self.slope == 0

    def numbers(self) -> dict[str, float | list[float]]:
        return {"slope": self.slope, "intercept": self.intercept}


def fit(columns: list[Array], truth: Array, weight: Array) -> Line:
    (score,) = columns
    came_true, failed = smoothed_outcomes(truth, weight)
    # About their mean, so that scores far from 0 do not look alike.
    centre, scale = float(np.average(score, weights=weight)), float(np.ptp(score))
    if scale <= 0:
        share = fit_logistic(np.ones((len(score), 1)), came_true, failed)
        return Line(0.0, float(share.coefficients[0]))
    design = np.column_stack([np.ones(len(score)), (score - centre) / scale])
    intercept, slope = fit_logistic(design, came_true, failed).coefficients
    return Line(float(slope / scale), float(intercept - slope * centre / scale))


def restore(slope: object, intercept: object) -> Line:
    return Line(finite("slope", slope), finite("intercept", intercept))


method = Method(
    name="platt",
    title="Platt scaling",
    assumes="the log odds are a straight line in the score as it stands; any score will do, but of probabilities the "
    "map that changes nothing is not among its maps (beta has it)",
    needs="scores",
    keeps_ranking="strictly increasing: keeps the ranking and AUC",
    fit=fit,
    restore=restore,
    reference="Platt (1999), Probabilistic outputs for support vector machines, Advances in Large Margin Classifiers",
)
