"""How a metric's value changes with the weight of a row, through each summary that its formula uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arguments import arguments_of
from referee.influence.derivatives import gradient
from referee.influence.tracing import Slope, Tape, Traced
from referee.summaries import Counts, Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def sensitivities(metric: Metric, given: dict[str, Callable[[], Any]], row_weight: float = 1.0) -> list[Sensitivity]:
    """Differentiate the formula by every summary that it takes; `given` makes them by the names of its arguments."""
    formula = _Formula(metric, given, row_weight)
    found: list[Sensitivity] = []
    for name, summary in formula.arguments.items():
        if isinstance(summary, Counts):
            found.append(formula.by_cell(name, summary))
        elif isinstance(summary, Sums):
            found.append(formula.by_terms(name, summary))
        elif name == "pairs":
            found += formula.by_pairs(summary)
        elif name == "ranking":
            found += formula.by_steps([summary], lambda traced: {"ranking": traced[0]})
    return found


class _Formula:
    def __init__(self, metric: Metric, given: dict[str, Callable[[], Any]], row_weight: float) -> None:
        self.metric = metric
        self.row_weight = row_weight
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

    def by_pairs(self, pairs: list[list[Ranking | None]]) -> list[ByStep]:
        places = [(a, b) for a, row in enumerate(pairs) for b, ranking in enumerate(row) if ranking is not None]

        def put(traced: Sequence[Traced]) -> dict[str, Any]:
            moved: list[list[Any]] = [list(row) for row in pairs]
            for (a, b), one in zip(places, traced, strict=True):
                moved[a][b] = one
            return {"pairs": moved}

        return self.by_steps([ranking for row in pairs for ranking in row if ranking is not None], put, places)

    def by_steps(
        self,
        rankings: Sequence[Ranking],
        put: Callable[[Sequence[Traced]], dict[str, Any]],
        places: Sequence[tuple[int, ...]] = ((),),
    ) -> list[ByStep]:
        """Through all rankings at once: what the formula asks of them, and their totals, are numbers like others."""
        p, n = (np.array([float(totals[0]) for totals in each]) for each in _totals(rankings))

        def valued(tapes: Sequence[Tape], p: Array, n: Array) -> Array:
            columns = zip(rankings, tapes, p.T, n.T, strict=True)
            traced = [Traced(one, tape, (up, down), self.row_weight) for one, tape, up, down in columns]
            return self.value(**put(traced))

        tapes = [Tape() for _ in rankings]
        valued(tapes, p[None], n[None])
        ends = np.cumsum([len(tape.made) for tape in tapes])
        answers = np.array([np.real(answer[0]) for tape in tapes for answer in tape.made])

        def replayed(points: Array) -> Array:
            tapes = [Tape(part) for part in np.split(points, ends[:-1], axis=1)]
            return np.broadcast_to(valued(tapes, p[None], n[None]), len(points))

        def afresh(p: Array, n: Array) -> Array:
            return valued([Tape(cuts=tape.cuts) for tape in tapes], *np.broadcast_arrays(p, n))

        weights = np.split(gradient(replayed, answers), ends[:-1])
        by_p, by_n = gradient(lambda points: afresh(points, n), p), gradient(lambda points: afresh(p, points), n)
        found = []
        for one, tape, place, weight, up, down in zip(rankings, tapes, places, weights, by_p, by_n, strict=True):
            zeros = np.zeros(len(one.scores))
            slope = Slope(zeros + up, zeros + down, zeros)
            for size, of_answer in zip(weight, tape.slopes, strict=True):
                slope = slope + of_answer() * float(size)
            found.append(ByStep(one, slope, place))
        return found


def _totals(rankings: Sequence[Ranking]) -> tuple[list[Array], list[Array]]:
    return [ranking.P for ranking in rankings], [ranking.N for ranking in rankings]


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
