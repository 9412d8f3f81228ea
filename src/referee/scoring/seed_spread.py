"""How much of a value's spread is the seeds': items and seeds as two crossed random factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import total
from referee.records import dataclass
from referee.scoring.intervals import Spread

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions, Units


@dataclass(frozen=True)
class SeedSpread:
    """The parts of the variance of a mean over items and seeds, as an analysis of variance has them.

    With mean squares MS of items, seeds and what is left, the parts are MS / (items x seeds), and the variance is
    items + seeds - rest: what both have of the rest would count twice. It is never below the larger of the two.

    >>> parts = SeedSpread(Spread(0.0016, 299), seeds=0.0009, rest=0.0001, seeds_df=4, rest_df=1196)
    >>> round(parts.spread.variance, 6), round(parts.share, 3)
    (0.0024, 0.333)
    """

    items: Spread
    """What the means of the items say, or of groups of them."""
    seeds: float
    """The variance of the means of the seeds, over their number."""
    rest: float
    seeds_df: float
    rest_df: float

    @classmethod
    def of(cls, items: Spread, scores: Array, clusters: Units | None = None) -> SeedSpread:
        """From the scores, or the differences of two models' scores: (item, seed)."""
        rows, seeds = scores.shape
        of_items, of_seeds, mean = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
        rest = scores - of_items[:, None] - of_seeds + mean
        if clusters is not None:
            rest = np.stack([np.bincount(clusters.codes, column, len(clusters)) for column in rest.T], axis=1)
            rest = rest[np.bincount(clusters.codes, minlength=len(clusters)) > 0]
        units = len(rest)
        freedom = (units - 1) * (seeds - 1)
        own = total((rest**2).reshape(-1)) * units / (freedom * rows**2 * seeds) if freedom else 0.0
        return cls(items, float(of_seeds.var(ddof=1)) / seeds, own, seeds - 1.0, float(max(freedom, 1)))

    @property
    def spread(self) -> Spread:
        """With Satterthwaite's degrees of freedom."""
        items, whole = self.items.variance, self.items.variance + self.seeds - self.rest
        if whole <= max(items, self.seeds):
            return self.items if items >= self.seeds else Spread(self.seeds, self.seeds_df)
        scatter = items**2 / self.items.df + self.seeds**2 / self.seeds_df + self.rest**2 / self.rest_df
        return Spread(whole, max(1.0, whole**2 / scatter))

    def to_dict(self) -> dict[str, float]:
        """What JSON says of it."""
        return {
            "number": round(self.seeds_df) + 1,
            "share": self.share,
            "items_variance": self.items.variance,
            "seeds_variance": self.seeds,
            "rest_variance": self.rest,
            "items_df": self.items.df,
            "seeds_df": self.seeds_df,
        }

    @property
    def share(self) -> float:
        """Of the variance: what more items would not take away."""
        whole = self.spread.variance
        return 1 - self.items.variance / whole if whole > 0 else 0.0


def with_seeds(items: Spread | None, predictions: Predictions, model: str) -> Spread | None:
    """The spread of a model's mean for new items and new seeds."""
    parts = seed_spread(items, predictions, model)
    return items if parts is None else parts.spread


def seed_spread(
    items: Spread | None, predictions: Predictions, model: str, other: str | None = None
) -> SeedSpread | None:
    """The parts; None where there is one seed."""
    seeds = None if predictions.scored is None else predictions.scored.seeds
    if seeds is None or items is None:
        return None
    scores = seeds.scores[model] if other is None else seeds.scores[model] - seeds.scores[other]
    return SeedSpread.of(items, scores, predictions.clusters)


def covariance_of_seeds(predictions: Predictions, names: list[str]) -> Array | None:
    """What seeds add to the covariance of the models' means; None where there is one seed."""
    seeds = None if predictions.scored is None else predictions.scored.seeds
    if seeds is None:
        return None
    means = np.stack([seeds.scores[name].mean(axis=0) for name in names])
    left = [seeds.scores[name] - seeds.scores[name].mean(axis=1, keepdims=True) for name in names]
    rest = np.stack([(each - each.mean(axis=0)).reshape(-1) for each in left])
    items, count = seeds.scores[names[0]].shape
    freedom = max((items - 1) * (count - 1), 1)
    added = np.cov(means) / count - rest @ rest.T / (freedom * items * count)
    sizes, directions = np.linalg.eigh(np.atleast_2d(added))
    return np.asarray((directions * np.clip(sizes, 0, None)) @ directions.T)
