"""All pairs of models whose values are independent and equally sure, with some differences."""

from __future__ import annotations

import numpy as np

from referee.comparing.all_pairs import AllPairs, normal_draws, random_numbers


def all_pairs(names, sizes, covariance=None, draws=20_000):
    """`sizes` are z by pairs of places; the first of each is the better one."""
    models = len(names)
    covariance = np.eye(models) if covariance is None else covariance
    z = np.zeros((models, models))
    for (a, b), size in sizes.items():
        z[a, b], z[b, a] = size, -size
    own = np.diag(covariance)
    scale = 1 / np.sqrt(own[:, None] + own - 2 * covariance + np.eye(models)) * (1 - np.eye(models))
    return AllPairs(tuple(names), z, scale, normal_draws(covariance, random_numbers(0), draws).T, 0.05)
