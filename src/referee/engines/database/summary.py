"""Summaries of one model in a database, each asked for when a formula needs it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.changes import ColumnCells, StepColumns
from referee.engines.database.models_together import sums_together
from referee.engines.database.rankings import DatabaseRanking, Questions, TurnedRanking
from referee.engines.database.rows import Rows
from referee.engines.database.sums import DatabaseBaseline, centred, kept_rows
from referee.engines.summaries import Counts, Sums
from referee.predictions import fetch, number, table_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.arrays import Array
    from referee.predictions import Model, Predictions, Units
    from referee.scoring import Metric


class Summary:
    unit = 0

    def __init__(self, predictions: Predictions, model: Model, by: Units | None) -> None:
        self.predictions = predictions
        self.by = by
        self.units = len(by) if by else 1
        self.rows = Rows(predictions, model)
        self.baseline = DatabaseBaseline(self.rows, by)  # type: ignore[arg-type]
        self.questions = Questions()
        self._rankings: dict[tuple[int, bool], DatabaseRanking] = {}
        self._pair_rankings: dict[tuple[int, int], DatabaseRanking] = {}
        self._term_rankings: dict[str, DatabaseRanking] = {}
        self._cells: dict[tuple[int, bool], StepColumns] = {}
        self.known_sums: dict[str, Sums] = {}
        self._expected: list[Metric] = []
        self.known_values: dict[object, Array] = {}
        self.kept: dict[object, Any] = {}
        """What others have made of these summaries, and may want again."""

    def prepare(self, metrics: Iterable[Metric]) -> None:
        """Say which metrics will be asked for, so that one query makes the sums of all of them."""
        task = self.predictions.task
        fitting = (m for m in metrics if "sums" in m.summaries and task in m.tasks)
        self._expected = [m for m in fitting if self.rows.gives(m.needs)]

    @property
    def scale(self) -> float:
        return self.rows.scale

    @cached_property
    def total_weight(self) -> Array:
        if self.predictions.weight is None and self.by is None:
            return np.array([float(self.predictions.rows)])
        return centred(self.table, self.unit_codes, self.units, self.rows.unit_weight, []).weight

    @cached_property
    def counts(self) -> Counts:
        classes = len(self.predictions.classes)
        rows = self._kept(truth=self.predictions.truth, label=self.rows.labels)
        cells = fetch(rows.group_by("unit", "truth", "label").aggregate(rows=self._size(rows)))
        matrix = np.zeros((self.units, classes, classes), cells["rows"].dtype)
        matrix[cells["unit"], cells["truth"], cells["label"]] = cells["rows"]
        return Counts(matrix)

    @property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        return self.counts.true

    def ranking(self, positive: int, *, as_probability: bool = False) -> DatabaseRanking:
        """The rows ranked by the score for a class; as a probability, the other class's is one minus it."""
        key = self._way(positive, as_probability=as_probability)
        if key not in self._rankings and self._is_turned(positive):
            self._rankings[key] = self._turned(self.ranking(1 - positive), complement=key[1])
        if key not in self._rankings:
            rows = self._kept(score=self._score(*key), truth=self.predictions.truth)
            weights, is_own = self.class_weights, rows.truth == positive
            totals = weights[:, positive], weights.sum(axis=1) - weights[:, positive]
            self._rankings[key] = self._ranked(rows, is_own, ~is_own, totals)
        return self._rankings[key]

    def _ranked(self, rows: Any, positive: Any, negative: Any, totals: tuple[Array, Array]) -> DatabaseRanking:
        keys = ["score"] if self.units == 1 else ["unit", "score"]
        sizes = {"positives": self._size(rows, positive), "negatives": self._size(rows, negative)}
        return DatabaseRanking(rows.group_by(keys).aggregate(**sizes), totals, self.units, self.questions)

    def _turned(self, other: DatabaseRanking, *, complement: bool) -> DatabaseRanking:
        """That of the other class; as probabilities, near scores may become equal ones."""
        turned = TurnedRanking(other)
        if not complement:
            return turned
        keys = ["score"] if self.units == 1 else ["unit", "score"]
        steps = turned.grouped.mutate(score=number(1.0) + turned.grouped.score)
        sizes = {name: steps[name].sum() for name in ("positives", "negatives")}
        grouped = steps.group_by(keys).aggregate(**sizes)
        return DatabaseRanking(grouped, (turned.P, turned.N), self.units, self.questions)

    def _way(self, code: int, *, as_probability: bool) -> tuple[int, bool]:
        """A class, and whether its scores are one minus those of the other."""
        return code, self._is_turned(code) and as_probability and self.rows.are_probabilities

    def _is_turned(self, code: int) -> bool:
        """Whether a class's ranking is that of the positive class from the other end."""
        model, given = self.rows.model, self.predictions.positive
        return model.scores is not None and model.class_scores is None and given is not None and code != given

    def _score(self, code: int, complement: bool) -> Any:
        score: Any = self.rows.score(code)
        if not self._is_turned(code):
            return score
        return (number(1.0) - score if complement else -score) + number(0.0)

    @cached_property
    def label_cells(self) -> ColumnCells:
        classes, truth, labels = len(self.predictions.classes), self.predictions.truth, self.rows.labels
        code, unit = self._code_of_class(truth) * classes + labels, np.arange(self.units).repeat(classes**2)
        of_truth = np.tile(np.repeat(np.arange(classes), classes), self.units)
        return ColumnCells(code, self.counts.matrix.reshape(-1), of_truth, unit if self.units > 1 else 0)

    @cached_property
    def truth_cells(self) -> ColumnCells:
        classes = len(self.predictions.classes)
        of_truth, unit = np.tile(np.arange(classes), self.units), np.arange(self.units).repeat(classes)
        code = self._code_of_class(self.predictions.truth)
        by_unit = unit if self.units > 1 else 0
        return ColumnCells(code, self.class_weights.reshape(-1), of_truth, by_unit, are_classes=True)

    def _code_of_class(self, truth: Any) -> Any:
        return truth if self.units == 1 else self.unit_codes.cast("int64") * len(self.predictions.classes) + truth

    def step_cells(self, code: int, *, as_probability: bool = False) -> StepColumns:
        """The rows of a class, and of all others, at each step of its ranking."""
        key = self._way(code, as_probability=as_probability)
        if key not in self._cells:
            ranking = self.ranking(code, as_probability=as_probability)
            self._cells[key] = StepColumns(ranking, code, self._score(*key), self.predictions.truth == code)
        return self._cells[key]

    def turned_steps(self, code: int, *, as_probability: bool) -> None:
        """Every class has a ranking of its own."""

    def pooled_steps(self, code: int) -> None:
        """Rows find their places by their scores."""

    @cached_property
    def pooled_ranking(self) -> DatabaseRanking:
        """All decisions 'is it this class?' ranked as if they were of one class."""
        every = [self.ranking(code, as_probability=True) for code in range(len(self.predictions.classes))]
        return every[0].pooled(every)

    def pair_ranking(self, positive: int, negative: int) -> DatabaseRanking:
        """Rank the rows of two classes by the score for the first."""
        key = positive, negative
        if key not in self._pair_rankings:
            rows = self._kept(score=self.rows.score(positive), truth=self.predictions.truth)
            rows = rows.filter((rows.truth == positive) | (rows.truth == negative))
            totals = self.class_weights[:, positive], self.class_weights[:, negative]
            self._pair_rankings[key] = self._ranked(rows, rows.truth == positive, rows.truth == negative, totals)
        return self._pair_rankings[key]

    def pair_cells(self, positive: int, negative: int) -> StepColumns:
        """The rows of two classes at each step of their ranking."""
        truth: Any = self.predictions.truth
        is_positive = truth == positive
        within, ranking = is_positive | (truth == negative), self.pair_ranking(positive, negative)
        return StepColumns(ranking, positive, self.rows.score(positive), is_positive, within)

    def ranking_of_term(self, metric: Metric) -> DatabaseRanking:
        """Rank all rows by the metric's only row term."""
        if metric.full_name not in self._term_rankings:
            (term,) = self.rows.row_terms(metric, self.baseline).values()
            rows = self._kept(score=term)
            every, totals = rows.weight > 0, (self.total_weight, np.zeros(self.units))
            self._term_rankings[metric.full_name] = self._ranked(rows, every, ~every, totals)
        return self._term_rankings[metric.full_name]

    def sums(self, metric: Metric) -> Sums:
        if metric.full_name not in self.known_sums:
            batch = {m.full_name: m for m in (metric, *self._expected) if m.full_name not in self.known_sums}
            made = sums_together({(self, name): each for name, each in batch.items()})
            self.known_sums |= {name: sums for (_, name), sums in made.items()}
        return self.known_sums[metric.full_name]

    @property
    def table(self) -> Any:
        return table_of(self.predictions.truth)

    @property
    def unit_codes(self) -> Any:
        import ibis

        return self.by.codes if self.by else ibis.literal(0)

    def _kept(self, **columns: Any) -> Any:
        return kept_rows(self.table, self.unit_codes, self.rows.unit_weight, columns)

    def _size(self, rows: Any, where: Any = None) -> Any:
        """The number of rows, whole, or their weight."""
        if self.predictions.weight is None:
            return rows.count(where=where)
        return rows.weight.sum(where=where).fill_null(number(0.0))
