"""Sensitivities: how a formula's value changes with every cell, term and step of the summaries that it takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from referee.catalogue import arguments_of
from referee.engines import Counts, Sums
from referee.records import dataclass
from referee.scoring.derivatives import gradient
from referee.scoring.tape import Tape, Var, backward, plain, slope_of
from referee.scoring.taped_steps import TapedRanking

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array, Column
    from referee.engines import DatabaseRanking, Ranking
    from referee.scoring.metric import Metric
    from referee.scoring.ranked_columns import ColumnRanking

    Given = dict[str, Callable[[], Any]]
    Pairs = Sequence[Sequence[Ranking | None]]
    Known = Callable[[], list["Sensitivity"]]
    """What is known once the tape has been gone through."""


@dataclass(frozen=True)
class ByCell:
    """Through the confusion matrix: the change by one more row of each true and predicted class."""

    change: Array
    counts: Array


@dataclass(frozen=True)
class ByTerms:
    """Through the row terms: the change is linear in them and in the products of their deviations.

    Means and slopes are of each unit first.
    """

    terms: tuple[str, ...]
    means: Array
    covariances: Array
    by_mean: Array
    by_covariance: Array
    weight: Array

    def of_rows(self, terms: dict[str, Column], unit: Array | None = None) -> Column:
        """The change by one more row with such terms; plain arithmetic, so that it runs in a database too."""

        def here(numbers: Array) -> Any:
            return float(numbers[0]) if unit is None else numbers[unit]

        off = [terms[name] - here(self.means[:, place]) for place, name in enumerate(self.terms)]
        total: Column = 0.0
        for i, a in enumerate(off):
            total = total + a * here(self.by_mean[:, i] / self.weight)
            for j, b in enumerate(off[: i + 1]):
                if self.by_covariance[:, i, j].any():
                    slope = here(self.by_covariance[:, i, j] / self.weight)
                    total = total + (a * b - here(self.covariances[:, i, j])) * slope
        return total

    def times(self, factor: float) -> ByTerms:
        return replace(self, by_mean=self.by_mean * factor, by_covariance=self.by_covariance * factor)


@dataclass(frozen=True)
class ByStep:
    """Through a ranking: the change by one more positive or negative row at each step."""

    ranking: Ranking
    slopes: Any
    """Of negative rows, and of positive ones: (2, step); columns of a database's ranking."""
    place: tuple[int, ...]
    """The class it ranks, or the pair of classes."""


Sensitivity = ByCell | ByTerms | ByStep


def sensitivities(
    metric: Metric, given: Given, row_weight: float = 1.0, note: Callable[[Array], object] | None = None
) -> list[Sensitivity]:
    """Differentiate the formula by every summary that it takes; `given` makes them by the names of its arguments.

    `note` is told the value that the run gives.
    """
    formula = _Formula(metric, arguments_of(metric.value, given), row_weight)
    try:
        return formula.on_tape(note)
    except TypeError:
        if not set(metric.summaries) <= {"counts", "sums"}:
            raise
        return formula.by_moving()


def cell_changes(metric: Metric, matrices: Array, positive: int | None = 1) -> tuple[Array, Array]:
    """The values of a counts formula at many confusion matrices at once, and their changes by each cell of these."""
    given: Given = {"counts": lambda: None, "positive": lambda: positive}
    formula = _Formula(metric, arguments_of(metric.value, given), 1.0)
    tape = Tape()
    leaf: Any = tape.leaf(matrices)
    try:
        result = formula.run(counts=Counts(leaf))
        tape.clear()
        return np.broadcast_to(np.asarray(plain(result), float), len(matrices)), slope_of(leaf)
    except TypeError:
        plainly = np.asarray(formula.value(counts=Counts(matrices)), float)
        return plainly, np.stack([formula.moved_cells(matrix) for matrix in matrices])


class _Formula:
    def __init__(self, metric: Metric, arguments: dict[str, Any], row_weight: float) -> None:
        self.metric = metric
        self.row_weight = row_weight
        self.arguments = arguments
        self.settings = metric.formula_settings(metric.value)

    def value(self, **moved: Any) -> Any:
        """The formula with some summaries moved; as many values as there are points."""
        with np.errstate(all="ignore"):
            return self.metric.value(**(self.arguments | moved), **self.settings)

    def run(self, **on_tape: Any) -> Any:
        """Leave the slopes of its value with all that it is made of."""
        with np.errstate(all="ignore"):
            result = self.metric.value(**(self.arguments | on_tape), **self.settings)
            if isinstance(result, Var):
                backward(result)
        return result

    def on_tape(self, note: Callable[[Array], object] | None = None) -> list[Sensitivity]:
        """By all summaries in one run."""
        tape, known = Tape(), []
        moved: dict[str, Any] = {}
        for name, summary in self.arguments.items():
            if isinstance(summary, Counts):
                moved[name], result = _taped_counts(summary, tape)
            elif isinstance(summary, Sums):
                moved[name], result = _taped_sums(summary, tape)
            elif name == "pairs":
                moved[name], result = _taped_pairs(summary, tape, self.row_weight)
            elif name == "ranking":
                ranking = _taped_ranking(summary, tape, self.row_weight)
                moved[name], result = ranking, _by_step(ranking, ())
            else:
                continue
            known.append(result)
        value = self.run(**moved)
        tape.clear()
        if note is not None:
            note(np.asarray(plain(value), float))
        return [sensitivity for result in known for sensitivity in result()]

    def by_moving(self) -> list[Sensitivity]:
        """Where the formula uses what the tape cannot follow: number by number."""
        return [
            self._by_cell(summary) if isinstance(summary, Counts) else self._by_terms(summary)
            for summary in self.arguments.values()
            if isinstance(summary, Counts | Sums)
        ]

    def moved_cells(self, matrix: Array) -> Array:
        def at(points: Array) -> Array:
            return np.asarray(self.value(counts=Counts(points.reshape(-1, *matrix.shape))))

        return gradient(at, matrix.reshape(-1)).reshape(matrix.shape)

    def _by_cell(self, counts: Counts) -> ByCell:
        return ByCell(self.moved_cells(counts.matrix[0]), counts.matrix[0])

    def _by_terms(self, sums: Sums) -> ByTerms:
        weight, size = float(sums.weight[0]), len(sums.terms)
        covariances = sums.moments[0] / weight

        def at(means: Array, spread: Array) -> Array:
            points = max(len(means), len(spread))
            means, spread = np.broadcast_to(means, (points, size)), np.broadcast_to(spread, (points, size, size))
            return np.asarray(self.value(sums=Sums(sums.terms, np.full(points, weight), means, spread * weight)))

        by_mean = gradient(lambda points: at(points, covariances[None]), sums.means[0])
        lower = gradient(lambda points: at(sums.means, _symmetric(points, size)), covariances[np.tril_indices(size)])
        by_covariance = _filled(lower, size)
        return ByTerms(sums.terms, sums.means, covariances[None], by_mean[None], by_covariance[None], sums.weight)


def _taped_counts(counts: Counts, tape: Tape) -> tuple[Counts, Known]:
    leaf: Any = tape.leaf(counts.matrix)
    return Counts(leaf), lambda: [ByCell(*each) for each in zip(slope_of(leaf), counts.matrix, strict=True)]


def _taped_sums(sums: Sums, tape: Tape) -> tuple[Sums, Known]:
    """Covariances are only made if the formula asks for them."""
    weight, asked = sums.weight[:, None, None], []
    means: Any = tape.leaf(sums.means)

    def deviations() -> Any:
        asked.append(tape.leaf(sums.moments / weight))
        return asked[0] * weight

    def known() -> list[Sensitivity]:
        by_covariance, covariances = np.zeros((2, len(sums.weight), len(sums.terms), len(sums.terms)))
        if asked:
            both_ways = slope_of(asked[0])
            by_covariance = np.tril(both_ways) + np.swapaxes(np.triu(both_ways, 1), 1, 2)
            covariances = asked[0].value
        return [ByTerms(sums.terms, sums.means, covariances, slope_of(means), by_covariance, sums.weight)]

    return Sums(sums.terms, sums.weight, means, deviations), known


def _taped_pairs(pairs: Pairs, tape: Tape, row_weight: float) -> tuple[list[list[Any]], Known]:
    taped = [[None if each is None else _taped_ranking(each, tape, row_weight) for each in row] for row in pairs]

    def known() -> list[Sensitivity]:
        every = [(a, b, ranking) for a, row in enumerate(taped) for b, ranking in enumerate(row) if ranking is not None]
        return [sensitivity for a, b, ranking in every for sensitivity in _by_step(ranking, (a, b))()]

    return taped, known


def _taped_ranking(ranking: Ranking, tape: Tape, row_weight: float) -> TapedRanking | ColumnRanking:
    if hasattr(ranking, "in_order"):  # the steps of a database, whose modules are loaded by whoever has one
        from referee.scoring.ranked_columns import ColumnRanking

        return ColumnRanking(cast("DatabaseRanking", ranking), tape, row_weight)
    return TapedRanking.on(tape, ranking, row_weight)


def _by_step(ranking: TapedRanking | ColumnRanking, place: tuple[int, ...]) -> Known:
    return lambda: [ByStep(ranking.ranking, ranking.slopes, place)]


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
