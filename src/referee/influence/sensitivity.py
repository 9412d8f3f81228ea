"""How a metric's value changes with the weight of a row, through each summary that its formula uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arguments import arguments_of
from referee.influence.derivatives import derivative, gradient
from referee.influence.tracing import Slope, Tape, Traced
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array, Column
    from referee.metric import Metric
    from referee.ranking import Ranking


@dataclass(frozen=True)
class ByCell:
    """Through the confusion matrix: the change by one more row of each true and predicted class."""

    change: Array
    counts: Array


@dataclass(frozen=True)
class ByTerms:
    """Through the row terms: the change is linear in them and in the products of their deviations."""

    terms: tuple[str, ...]
    means: Array
    covariances: Array
    by_mean: Array
    by_covariance: Array
    weight: float

    def of_rows(self, terms: dict[str, Column]) -> Column:
        """The change by one more row with such terms; plain arithmetic, so that it runs in a database too."""
        off = [terms[name] - float(mean) for name, mean in zip(self.terms, self.means, strict=True)]
        total: Column = 0.0
        for i, a in enumerate(off):
            total = total + a * float(self.by_mean[i])
            for j, b in enumerate(off[: i + 1]):
                if self.by_covariance[i, j]:
                    total = total + (a * b - float(self.covariances[i, j])) * float(self.by_covariance[i, j])
        return total / self.weight


@dataclass(frozen=True)
class ByStep:
    """Through a ranking: the change by one more positive or negative row at each step."""

    ranking: Ranking
    slope: Slope
    place: tuple[int, ...]
    """The class it ranks, or the pair of classes."""


Sensitivity = ByCell | ByTerms | ByStep


def sensitivities(metric: Metric, given: dict[str, Callable[[], Any]]) -> list[Sensitivity]:
    """Differentiate the formula by every summary that it takes; `given` makes them by the names of its arguments."""
    formula = _Formula(metric, given)
    found: list[Sensitivity] = []
    for name, summary in formula.arguments.items():
        if isinstance(summary, Counts):
            found.append(formula.by_cell(name, summary))
        elif isinstance(summary, Sums):
            found.append(formula.by_terms(name, summary))
        elif name == "pairs":
            found += formula.by_pairs(summary)
        elif name == "ranking":
            found.append(formula.by_step(summary, lambda traced: {"ranking": traced}))
    return found


class _Formula:
    def __init__(self, metric: Metric, given: dict[str, Callable[[], Any]]) -> None:
        self.metric = metric
        self.arguments = arguments_of(metric.value, given)
        self.settings = metric.formula_settings(metric.value)

    def value(self, **moved: Any) -> Array:
        """The formula with some summaries moved; as many values as there are points."""
        with np.errstate(all="ignore"):
            return np.asarray(self.metric.value(**(self.arguments | moved), **self.settings))

    def by_cell(self, name: str, counts: Counts) -> ByCell:
        shape = counts.matrix.shape[1:]
        change = gradient(lambda m: self.value(**{name: Counts(m.reshape(-1, *shape))}), counts.matrix[0].reshape(-1))
        return ByCell(change.reshape(shape), counts.matrix[0])

    def by_terms(self, name: str, sums: Sums) -> ByTerms:
        weight = sums.weight[0]
        covariances = sums.moments[0] / weight
        size = len(sums.terms)

        def at(means: Array, spread: Array) -> Array:
            points = max(len(means), len(spread))
            means, spread = np.broadcast_to(means, (points, size)), np.broadcast_to(spread, (points, size, size))
            return self.value(**{name: Sums(sums.terms, np.full(points, weight), means, spread * weight)})

        by_mean = gradient(lambda points: at(points, covariances[None]), sums.means[0])
        lower = np.tril_indices(size)
        return ByTerms(
            sums.terms,
            sums.means[0],
            covariances,
            by_mean,
            _filled(gradient(lambda points: at(sums.means, _symmetric(points, size)), covariances[lower]), size),
            float(weight),
        )

    def by_step(self, ranking: Ranking, put: Callable[[Any], dict[str, Any]], place: tuple[int, ...] = ()) -> ByStep:
        totals = ranking.P.astype(float), ranking.N.astype(float)
        tape = Tape()
        self.value(**put(Traced(ranking, tape, totals)))
        answers = np.array([np.real(answer[0]) for answer in tape.made])

        def replayed(points: Array) -> Array:
            return np.broadcast_to(self.value(**put(Traced(ranking, Tape(points), totals))), len(points))

        by_p = derivative(lambda p: self.value(**put(Traced(ranking, Tape(), (p, totals[1])))), totals[0])
        by_n = derivative(lambda n: self.value(**put(Traced(ranking, Tape(), (totals[0], n)))), totals[1])
        zeros = np.zeros(len(ranking.scores))
        slope = Slope(zeros + by_p, zeros + by_n, zeros)
        for weight, of_answer in zip(gradient(replayed, answers), tape.slopes, strict=True):
            slope = slope + of_answer() * float(weight)
        return ByStep(ranking, slope, place)

    def by_pairs(self, pairs: list[list[Ranking | None]]) -> list[Sensitivity]:
        def put(a: int, b: int) -> Callable[[Any], dict[str, Any]]:
            def with_pair(traced: Any) -> dict[str, Any]:
                moved = [list(row) for row in pairs]
                moved[a][b] = traced
                return {"pairs": moved}

            return with_pair

        every = [(a, b, ranking) for a, row in enumerate(pairs) for b, ranking in enumerate(row) if ranking is not None]
        return [self.by_step(ranking, put(a, b), (a, b)) for a, b, ranking in every]


def _symmetric(points: Array, size: int) -> Array:
    """Matrices from their lower halves."""
    matrices = np.zeros((len(points), size, size), points.dtype)
    i, j = np.tril_indices(size)
    matrices[:, i, j] = points
    matrices[:, j, i] = points
    return matrices


def _filled(lower: Array, size: int) -> Array:
    matrix = np.zeros((size, size))
    matrix[np.tril_indices(size)] = lower
    return matrix
