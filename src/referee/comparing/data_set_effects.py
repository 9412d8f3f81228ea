"""Effects of data sets: the posterior of where the difference on a data set comes from, on a grid.

The hierarchical model of Corani, Benavoli, Demšar, Mangili and Zaffalon (2017): differences of folds are normal and
correlated about the effect of their data set, and effects are Student's t about a common mean. The spread of folds is
integrated out in closed form, the effects on a common grid of nodes, and the rest is a grid of mean, spread and tails.
"""

from __future__ import annotations

from functools import cached_property
from math import asinh, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array

MEANS, SPREADS, TAILS = 61, 44, 13
FINER = 4
"""The logarithm of the likelihood is smooth, so that it is found on a coarse grid and interpolated between."""
LEAST_SPREAD, MOST_SPREAD = 0.01, 1000.0
"""Times the spread that is seen; the upper one is the bound of the prior."""
NODES = 401
AROUND = np.array([-6, -4, -3, -2.2, -1.6, -1.1, -0.7, -0.35, 0, 0.35, 0.7, 1.1, 1.6, 2.2, 3, 4, 6])
"""Nodes about each data set's mean, in standard errors: the likelihood of a large one is narrow."""
ALPHAS, BETAS = (1.0, 2.0), (0.01, 0.1)
"""Degrees of freedom are 1 + Gamma(alpha, beta), with these uniform."""
LEAST_ERROR = 1e-3


@dataclass(frozen=True)
class DataSetEffects:
    """What is known of each data set: the mean difference of its folds, and how sure it is."""

    means: Array
    errors: Array
    """Scales of Student's t about the means, the folds' own spread being integrated out."""
    df: Array
    largest: float
    """The largest difference of a fold: the common mean is not larger."""

    @classmethod
    def of_folds(cls, differences: Sequence[Array], correlation: float) -> DataSetEffects:
        """From the differences of each data set's folds, any two of which have the same correlation."""
        n = np.array([len(each) for each in differences], float)
        squares = np.array([((each - each.mean()) ** 2).sum() for each in differences])
        df = np.maximum(n - 2, 1.0)  # one for the mean, one for the flat prior of the spread
        errors = np.sqrt((1 + (n - 1) * correlation) / (n * (1 - correlation)) * squares / df)
        errors = np.maximum(errors, LEAST_ERROR * errors.max())
        means = np.array([each.mean() for each in differences])
        return cls(means, errors, df, max(float(np.abs(each).max()) for each in differences))

    @property
    def spread_seen(self) -> float:
        spread = float(self.means.std(ddof=1)) if len(self.means) > 1 else 0.0
        return max(spread, float(np.median(self.errors)))

    @cached_property
    def mean_grid(self) -> Array:
        """About the middle, finely there and up to the bounds of the prior."""
        return self._mean_grid(FINER * (MEANS - 1) + 1)

    def _mean_grid(self, places: int) -> Array:
        middle, scale = float(np.median(self.means)), self.spread_seen / sqrt(len(self.means))
        low, high = (asinh((end - middle) / scale) for end in (-self.largest, self.largest))
        return middle + scale * np.sinh(np.linspace(low, high, places))

    @cached_property
    def spread_grid(self) -> Array:
        return self.spread_seen * np.geomspace(LEAST_SPREAD, MOST_SPREAD, FINER * (SPREADS - 1) + 1)

    @cached_property
    def tail_grid(self) -> Array:
        """Degrees of freedom of the effects."""
        return 1 + np.geomspace(0.3, 300, TAILS)

    @cached_property
    def nodes(self) -> Array:
        """Where effects may be: evenly over all data sets and far beyond, and closely about each."""
        middle, scale = float(np.median(self.means)), self.spread_seen / 4
        reach = asinh(40 * (self.largest + self.spread_seen) / scale)
        wide = middle + scale * np.sinh(np.linspace(-reach, reach, NODES))
        close = (self.means + AROUND[:, None] * self.errors).ravel()
        return np.unique(np.concatenate([wide, close]))

    @cached_property
    def posterior(self) -> Array:
        """Probabilities of each (tail, spread, mean)."""
        from scipy.ndimage import zoom

        steps = (
            1,
            *(size / coarse for size, coarse in ((len(self.spread_grid), SPREADS), (len(self.mean_grid), MEANS))),
        )
        log_density = zoom(self._log_likelihood(), steps, order=3, mode="nearest") + self._log_prior()
        density = np.exp(log_density - log_density.max())
        return np.asarray(density / density.sum())

    def _log_likelihood(self) -> Array:
        """Of the data sets' means; small products of matrices are slower with several threads."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        with threadpool_limits(1):
            return self._each_likelihood()

    def _each_likelihood(self) -> Array:
        widths = np.gradient(self.nodes)
        apart = (self.nodes[:, None] - self.means) / self.errors
        kernel = np.exp(-(self.df + 1) / 2 * np.log1p(apart**2 / self.df)) * widths[:, None]
        logarithms, means = np.empty((TAILS, SPREADS, MEANS)), self._mean_grid(MEANS)[:, None]
        for i, spread in enumerate(self.spread_grid[::FINER]):
            squares = ((self.nodes - means) / spread) ** 2
            for j, tail in enumerate(self.tail_grid):
                effects = np.exp(-(tail + 1) / 2 * np.log1p(squares / tail))
                likelihood = effects @ kernel / (effects @ widths)[:, None]
                logarithms[j, i] = np.log(np.maximum(likelihood, 1e-300)).sum(axis=1)
        return logarithms

    def _log_prior(self) -> Array:
        """With the width of each cell of the grid."""
        from scipy.special import gammaln

        alpha, beta = np.meshgrid(np.linspace(*ALPHAS, 21), np.linspace(*BETAS, 46))
        beyond = (self.tail_grid - 1)[:, None, None]
        each = np.exp(alpha * np.log(beta) - gammaln(alpha) + (alpha - 1) * np.log(beyond) - beta * beyond)
        tails = np.log(each.mean(axis=(1, 2)) * np.gradient(self.tail_grid))
        spreads, means = (np.log(np.gradient(grid)) for grid in (self.spread_grid, self.mean_grid))
        return np.asarray(tails[:, None, None] + spreads[:, None] + means)

    def next_data_set(self, rope: float) -> tuple[Array, Array, Array]:
        """For each cell of the grid, how likely the effect of another data set is below, within and above the rope."""
        from scipy.special import stdtr

        tail, spread, mean = np.meshgrid(self.tail_grid, self.spread_grid, self.mean_grid, indexing="ij")
        below, above = stdtr(tail, (-rope - mean) / spread), stdtr(tail, (mean - rope) / spread)
        return below, np.maximum(0.0, 1 - below - above), above

    def most_likely(self, rope: float) -> tuple[float, float, float]:
        """The posterior probability that another data set is most likely below, within and above the rope."""
        region = np.argmax(np.stack(self.next_data_set(rope)), axis=0)
        lower, equal, higher = (float(self.posterior[region == place].sum()) for place in range(3))
        return lower, equal, higher

    def interval(self, alpha: float) -> tuple[float, float]:
        """Of the common mean."""
        of_means = self.posterior.sum(axis=(0, 1))
        share = np.cumsum(of_means) - of_means / 2  # up to the middle of each cell
        low, high = (float(np.interp(level, share, self.mean_grid)) for level in (alpha / 2, 1 - alpha / 2))
        return low, high

    @property
    def mean(self) -> float:
        """The posterior mean of the common mean."""
        return float(self.posterior.sum(axis=(0, 1)) @ self.mean_grid)
