"""Makes bayes_hierarchical.json: the hierarchical model of Corani et al. (2017) by random-walk Metropolis, with numba.

The model, its priors and bounds are those of baycomp's hierarchical-t-test.stan: differences of folds are normal with a
common correlation about the effect of their data set (flat prior of their spread up to 1,000 times its mean), effects
are Student's t about a mean (flat up to the largest difference) with a spread (flat up to 1,000 times that seen) and
1 + Gamma(alpha, beta) degrees of freedom, alpha uniform in 1 to 2 and beta in 0.01 to 0.1.

`python -m tests.reference.bayes_hierarchical` prints the probabilities of each case.
"""

from __future__ import annotations

import json
from math import lgamma, log
from pathlib import Path

import numpy as np

FOLDS = 100


def differences(case):
    """Data sets by folds."""
    draw, sets = np.random.default_rng(case["seed"]), case["data_sets"]
    effects = draw.standard_normal(sets) if case["df"] is None else draw.standard_t(case["df"], sets)
    effects = case["mean"] + case["spread"] * effects
    spreads = 0.03 * np.exp(0.5 * draw.standard_normal(sets))
    own, common = draw.standard_normal((sets, FOLDS)), draw.standard_normal((sets, 1))
    return effects[:, None] + spreads[:, None] * (np.sqrt(0.9) * own + np.sqrt(0.1) * common)


def sampler():
    from numba import njit

    @njit
    def density(x, df, mean, spread):
        ratio = ((x - mean) / spread) ** 2 / df
        return (
            lgamma((df + 1) / 2) - lgamma(df / 2) - 0.5 * log(df * np.pi) - log(spread) - (df + 1) / 2 * log(1 + ratio)
        )

    @njit
    def chain(means, squares, n, rho, largest, widest, most, draws, seed):  # noqa: PLR0912, PLR0917
        np.random.seed(seed)
        sets, effects, sigma = len(means), means.copy(), np.sqrt(squares / (n - 1))
        mean, spread, beyond, alpha, beta = means.mean(), max(means.std(), 1e-3), 10.0, 1.5, 0.05
        share = (1 + (n - 1) * rho) / n
        step = sigma.mean() * np.sqrt(share) / np.sqrt(sets) + spread / np.sqrt(sets)
        kept = np.empty((draws, 3))
        for turn in range(draws + 5000):
            for i in range(sets):
                new = effects[i] + sigma[i] * np.sqrt(share) * 1.2 * np.random.randn()
                ratio = -0.5 * ((means[i] - new) ** 2 - (means[i] - effects[i]) ** 2) / (share * sigma[i] ** 2)
                ratio += density(new, beyond + 1, mean, spread) - density(effects[i], beyond + 1, mean, spread)
                if log(np.random.rand()) < ratio:
                    effects[i] = new
                new = sigma[i] * np.exp(0.15 * np.random.randn())
                if new < widest:
                    both = squares[i] / (1 - rho) + (means[i] - effects[i]) ** 2 / share
                    ratio = -(n - 1) * log(new / sigma[i]) - 0.5 * both * (1 / new**2 - 1 / sigma[i] ** 2)
                    if log(np.random.rand()) < ratio:
                        sigma[i] = new
            for _ in range(3):
                new = mean + 1.5 * step * np.random.randn()
                if abs(new) < largest:
                    ratio = 0.0
                    for i in range(sets):
                        ratio += density(effects[i], beyond + 1, new, spread)
                        ratio -= density(effects[i], beyond + 1, mean, spread)
                    if log(np.random.rand()) < ratio:
                        mean = new
                new = spread * np.exp(0.5 * np.random.randn())
                if new < most:
                    ratio = log(new / spread)
                    for i in range(sets):
                        ratio += density(effects[i], beyond + 1, mean, new)
                        ratio -= density(effects[i], beyond + 1, mean, spread)
                    if log(np.random.rand()) < ratio:
                        spread = new
                new = beyond * np.exp(0.8 * np.random.randn())
                ratio = alpha * log(new / beyond) - beta * (new - beyond)
                for i in range(sets):
                    ratio += density(effects[i], new + 1, mean, spread) - density(effects[i], beyond + 1, mean, spread)
                if log(np.random.rand()) < ratio:
                    beyond = new
                a, b = 1 + np.random.rand(), 0.01 + 0.09 * np.random.rand()
                ratio = a * log(b) - lgamma(a) + (a - 1) * log(beyond) - b * beyond
                ratio -= alpha * log(beta) - lgamma(alpha) + (alpha - 1) * log(beyond) - beta * beyond
                if log(np.random.rand()) < ratio:
                    alpha, beta = a, b
            if turn >= 5000:
                kept[turn - 5000] = mean, spread, beyond + 1
        return kept

    return chain


def probabilities(case, rope, rho, draws=40_000):
    from scipy import stats

    x = differences(case)
    unit = np.mean(np.std(x, axis=1))
    x, rope = x / unit, rope / unit
    means = x.mean(axis=1)
    squares = ((x - means[:, None]) ** 2).sum(axis=1)
    bounds = np.abs(x).max(), 1000 * np.mean(np.std(x, axis=1)), 1000 * np.std(means)
    chain = sampler()
    kept = np.concatenate([chain(means, squares, x.shape[1], rho, *bounds, draws, seed) for seed in range(3)])
    below = stats.t.cdf((-rope - kept[:, 0]) / kept[:, 1], kept[:, 2])
    above = stats.t.sf((rope - kept[:, 0]) / kept[:, 1], kept[:, 2])
    region = np.argmax([below, 1 - below - above, above], axis=0)
    each = np.array([np.bincount(part, minlength=3) / len(part) for part in np.split(region, 3)])
    return each.mean(axis=0), each.std(axis=0, ddof=1).max() / 3**0.5


if __name__ == "__main__":
    known = json.loads(Path(__file__).with_suffix(".json").read_text())
    for case in known["cases"]:
        found, error = probabilities(case, known["rope"], known["correlation"])
        print(case["seed"], np.round(found, 3), f"{error:.3f}")  # noqa: T201
