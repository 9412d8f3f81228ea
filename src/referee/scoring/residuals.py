"""Residuals: the true value minus the predicted one, summarised over all rows and by tenths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array

TENTHS = 10
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class ResidualSummary:
    """The mean of the residuals, their quantiles, and the mean of their sizes."""

    mean: float
    quantiles: tuple[float, ...]
    """At QUANTILES: the smallest residual up to which so much of the weight lies."""
    absolute: float


def residual_summary(truth: Array, prediction: Array, weight: Array | None = None) -> ResidualSummary:
    """Summarise the residuals of one model; rows count by their weights.

    >>> residual_summary(np.array([1.0, 2.0, 6.0]), np.array([1.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0]))
    ResidualSummary(mean=2.75, quantiles=(0.0, 0.0, 1.0, 5.0, 5.0), absolute=2.75)
    """
    residual = truth - prediction
    quantiles = np.quantile(residual, QUANTILES, weights=weight, method="inverted_cdf")
    return ResidualSummary(
        float(np.average(residual, weights=weight)),
        tuple(quantiles.tolist()),
        float(np.average(np.abs(residual), weights=weight)),
    )


def tenths(values: Array, weight: Array | None = None) -> Iterator[Array]:
    """The places of the rows in each tenth of the weight, from the smallest values on.

    Rows with the same value are in the same tenth, and rows without weight in none: so there may be fewer than ten.

    >>> [rows.tolist() for rows in tenths(np.array([3.0, 1.0, 1.0]), np.array([1.0, 1.0, 0.0]))]
    [[1], [0]]
    """
    edges = np.quantile(values, np.arange(1, TENTHS) / TENTHS, weights=weight, method="inverted_cdf")
    tenth = np.searchsorted(np.unique(edges), values, side="left")
    counts = np.ones(len(values), bool) if weight is None else weight > 0
    for number in np.unique(tenth[counts]):
        yield np.flatnonzero((tenth == number) & counts)
