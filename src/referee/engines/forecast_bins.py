"""Bins of forecasts: the steps of a ranking joined by the width of their scores, or by their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines.ranked_scores import Ranking, Steps

ROUNDING = 1e-14
BINS = Parameter("how many bins", low=1, high=1_000_000, whole=True)
BINS_OR_NONE = Parameter(
    "how many bins; none: only equal forecasts share a bin", low=1, high=1_000_000, whole=True, optional=True
)
MASS = Parameter("true: bins with about the same number of rows; false: bins of the same width", choices=(False, True))


def binned_forecasts(ranking: Ranking, bins: int, *, mass: bool = False) -> Ranking:
    """Give the same rows with one step per bin that is not empty, its score the mean forecast."""
    return ranking.binned(lambda at: (_by_mass if mass else _by_width)(at, bins), bins)


def in_bins(ranking: Ranking, bins: int | None, *, mass: bool) -> Ranking:
    """The same, where it may also be asked for no bins."""
    return ranking if bins is None else binned_forecasts(ranking, int(bins), mass=mass)


def gap(at: Steps) -> Array:
    """How far the forecast of each step is from what happened; rounding alone is no distance, and has no sign."""
    apart = at.score - at.positives / at.rows
    return np.where(np.abs(apart) < ROUNDING, 0.0, apart)


def bins_by_width(scores: Array, bins: int) -> Array:
    """Bins (a, b], the first one with 0: scikit-learn's calibration_curve."""
    inner_edges = np.linspace(0, 1, bins + 1)[1:-1]
    return np.searchsorted(inner_edges, scores)


def bins_by_mass(share_above: Array, bins: int) -> Array:
    """Bins by rank; rows that tie stay together, in the bin of their middle rank."""
    # A little more, so that rounding does not choose between two bins.
    return np.minimum(((1 - share_above) * bins * (1 + 1e-12)).astype(np.int64), bins - 1)


def _by_mass(at: Steps, bins: int) -> Array:
    return bins_by_mass((at.tp_above + at.fp_above + at.rows / 2) / (at.P + at.N), bins)


def _by_width(at: Steps, bins: int) -> Array:
    return bins_by_width(at.score, bins)
