"""Holdout sets drawn from a population: what choosing on them costs by every metric, by an average and by the index."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.advice import preferred
from referee.comparing import INDEX_METRICS, index_of, pooled_noise
from referee.paper.candidates import SETS
from referee.paper.drawn_values import values_and_changes
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.paper.candidates import CandidateSet
    from referee.paper.populations import Population

SIZES = (50, 100, 200, 500, 1_000, 2_000)
"""Rows of a holdout set."""
FEWEST_OF_CLASS = 2
BRIER = INDEX_METRICS.index("brier")
SEVEN = (0, 1, 2, 3, 4, 5, 9)
"""What an average is taken of: the six, and a cost of 5."""
TIES, AVERAGE, INDEX, BY_KIND = "goal, ties by Brier", "average", "index", "index, kind known"
UNBOUND = "index, all candidates"
"""Not only those that are not significantly worse than the best."""
PAPER = "paper_average"
SELECTORS = (*INDEX_METRICS, TIES, AVERAGE, PAPER, INDEX, BY_KIND, UNBOUND)
SIGNIFICANT = 1.96
ESTIMATES = ("raw", INDEX, BY_KIND)
"""Of how much better than the candidates' mean each of them is."""


class Unit(NamedTuple):
    """A population, by its place."""

    problem: str
    split: int

    def __str__(self) -> str:
        return f"{self.problem}, split {self.split + 1}"


class Drawn(NamedTuple):
    """One holdout set."""

    values: Array
    """(model, metric)."""
    products: Array
    """Covariances of the models' values by chance: (metric, model, model)."""
    noise: list[Array]
    """Of each set of candidates, pooled: (metric, metric)."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """What workers do: all holdout sets of one population."""

    populations: Mapping[Unit, Population]
    priors: Mapping[str, Mapping[str, Array]]
    """By source and kind, learned without that source."""
    draws: int
    seed: int

    @property
    def fingerprint(self) -> str:
        """A hash of what the models say, and of the priors."""
        digest = blake2b(digest_size=16)
        for unit, population in self.populations.items():
            digest.update(f"{unit}".encode() + population.scores.tobytes() + population.truth.tobytes())
        for source, by_kind in self.priors.items():
            digest.update(source.encode() + b"".join(matrix.tobytes() for matrix in by_kind.values()))
        return digest.hexdigest()

    @property
    def configuration(self) -> str:
        return f"{self.draws} draws of {SIZES} rows from {[chosen.models for chosen in SETS]} by {SELECTORS}"

    def __call__(self, unit: Unit) -> dict[str, Any]:
        """Costs, the costs of a coin, and how far off estimates are; nan where the population is too small."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        population = self.populations[unit]
        truth = population.true_values
        random = np.random.default_rng([self.seed, unit.split, *unit.problem.encode()])
        shape = len(SETS), len(SIZES), len(INDEX_METRICS)
        costs = np.full((*shape, len(SELECTORS)), np.nan)
        errors, optimism = np.full((2, *shape, len(ESTIMATES)), np.nan)
        with threadpool_limits(1):
            for size, rows in enumerate(SIZES):
                if rows <= population.rows:
                    drawn = [self._drawn(population, rows, random) for _ in range(self.draws)]
                    for number, chosen in enumerate(SETS):
                        judged = self._judged(population.source, chosen, truth[chosen.places()], rows, drawn, number)
                        costs[number, size], errors[number, size], optimism[number, size] = judged
        coins = np.array([_cost_of_a_coin(truth[chosen.places()]) for chosen in SETS])
        spread = np.array([population.calibration_spread(chosen) for chosen in SETS])
        return {"costs": costs, "coins": coins, "errors": errors, "optimism": optimism, "spread": spread}

    def _drawn(self, population: Population, rows: int, random: np.random.Generator) -> Drawn:
        """The values of all models on one holdout set, and how chance blurs them."""
        while True:
            places = random.integers(0, population.rows, rows)
            positives = population.truth[places].sum()
            if min(positives, rows - positives) >= FEWEST_OF_CLASS:
                break
        values, changes = values_and_changes(population.scores[places], population.truth[places])
        products = np.matmul(changes.transpose(2, 1, 0), changes.transpose(2, 0, 1))
        return Drawn(values, products, [pooled_noise(changes[:, chosen.places()]) for chosen in SETS])

    def _judged(
        self,
        source: str,
        chosen: CandidateSet,
        truth: Array,
        rows: int,
        drawn: list[Drawn],
        number: int,
    ) -> tuple[Array, Array, Array]:
        """Mean costs (goal, selector), squared errors and optimism (goal, estimate) over all draws."""
        places = chosen.places()
        values = np.stack([each.values[places] for each in drawn])
        noise = np.stack([each.noise[number] for each in drawn])
        products = np.stack([each.products[:, places][:, :, places] for each in drawn])
        by_metric = {name: preferred(values[..., place]) for place, name in enumerate(INDEX_METRICS)}
        by_metric |= {AVERAGE: preferred(averages(values, noise)), PAPER: preferred(paper_averages(values))}
        costs, errors, optimism = [], [], []
        for goal in range(len(INDEX_METRICS)):
            worth = truth[:, goal] - truth[:, goal].mean()
            estimates = self._estimates(source, chosen.kind, values, noise, rows, goal)
            choices = by_metric | {TIES: ties_broken(values[..., goal], values[..., BRIER])}
            tied = not_worse(values[..., goal], products[:, goal])
            choices |= {name: preferred(np.where(tied, estimates[name], -1e9)) for name in (INDEX, BY_KIND)}
            choices[UNBOUND] = preferred(estimates[INDEX])
            costs.append([worth.max() - float((choices[name] @ worth).mean()) for name in SELECTORS])
            errors.append([float(((estimates[name] - worth) ** 2).mean()) for name in ESTIMATES])
            optimism.append([_optimism(estimates[name], worth) for name in ESTIMATES])
        return np.array(costs), np.array(errors), np.array(optimism)

    def _estimates(self, source: str, kind: str, values: Array, noise: Array, rows: int, goal: int) -> dict[str, Array]:
        raw = values[..., goal] - values[..., goal].mean(axis=1, keepdims=True)
        priors = self.priors[source]
        known = {INDEX: priors["any"], BY_KIND: priors.get(kind, priors["any"])}
        return {"raw": raw} | {name: index_of(noise, rows, p, goal).expected(values) for name, p in known.items()}


def averages(values: Array, noise: Array) -> Array:
    """The mean of seven metrics, each in its standard errors: (draw, model).

    >>> averages(np.array([np.eye(11)[:2]]), np.eye(11)[None]).round(3).tolist()
    [[0.0, 0.0]]
    """
    errors = np.sqrt(np.maximum(np.einsum("bii->bi", noise), 1e-14))[:, None, :]
    centred = values - values.mean(axis=1, keepdims=True)
    return np.asarray((centred / errors)[..., list(SEVEN)].mean(axis=-1))


def paper_averages(values: Array) -> Array:
    """(accuracy + AUC + F + (1 - RMS) + (1 - MXE)) / 5, from values of which more is better: (draw, model).

    >>> round(float(paper_averages(np.array([[[0.9, 0.8, 0.95, 0.9, -0.3, -0.09]]]))[0, 0]), 3)
    0.81
    """
    accuracy, f, auc, _, mxe, brier = np.moveaxis(values[..., :6], -1, 0)
    return np.asarray((accuracy + f + auc + 2 + mxe - np.sqrt(np.maximum(-brier, 0.0))) / 5)


def ties_broken(values: Array, brier: Array) -> Array:
    """Each model's share of being chosen by its value; of several best ones, by the Brier score.

    >>> ties_broken(np.array([[0.7, 0.9, 0.9]]), np.array([[-0.1, -0.3, -0.2]])).tolist()
    [[0.0, 0.0, 1.0]]
    """
    return preferred(np.where(preferred(values) > 0, brier, brier.min() - 1.0))


def not_worse(values: Array, products: Array) -> Array:
    """Which candidates are not significantly worse than the best one: (draw, candidate).

    >>> not_worse(np.array([[0.9, 0.8, 0.5]]), np.eye(3)[None] * 0.01).tolist()
    [[True, True, False]]
    """
    draws, best = np.arange(len(values)), values.argmax(axis=1)
    own = np.einsum("bkk->bk", products)
    variances = own + own[draws, best][:, None] - 2 * products[draws, best]
    behind = values[draws, best][:, None] - values
    return np.asarray(behind <= SIGNIFICANT * np.sqrt(np.maximum(variances, 0.0)) + 1e-12)


def _cost_of_a_coin(truth: Array) -> Array:
    return np.asarray(truth.max(axis=0) - truth.mean(axis=0))


def _optimism(estimate: Array, worth: Array) -> float:
    """By how much the chosen one is thought better than it is."""
    chosen = preferred(estimate)
    return float((chosen * estimate).sum(axis=1).mean() - (chosen @ worth).mean())


def learned_covariances(worlds: list[tuple[str, CandidateSet, Array]], without: str | None = None) -> dict[str, Array]:
    """The mean covariance of true differences by kind of candidates, and over all of them, each source alike.

    Over all kinds, tuned trees, tuned logistic regressions, tuned neighbours and all other sets count the same.
    """
    known = [(source, chosen, matrix) for source, chosen, matrix in worlds if source != without]
    several = [(s, c, m) for s, c, m in known if c.kind != "two"]
    kinds = {chosen.kind for _, chosen, _ in several}
    by_kind = {kind: np.mean([m for _, c, m in several if c.kind == kind], axis=0) for kind in sorted(kinds)}
    parts: dict[tuple[str, str], list[Array]] = {}
    for source, chosen, matrix in several:
        parts.setdefault((source, _family(chosen)), []).append(matrix)
    return {"any": np.mean([np.mean(each, axis=0) for each in parts.values()], axis=0)} | by_kind


def _family(chosen: CandidateSet) -> str:
    if chosen.kind != "tuning":
        return "others"
    return "trees" if "forest" in chosen.name or "boosting" in chosen.name else chosen.name
