"""What a database says of one model: counts, sums and rankings, each asked for when it is needed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.answers import Rounds, parts_of
from referee.engines.database.models_together import sums_together
from referee.engines.database.pair_sums import ColumnCells, StepColumns
from referee.engines.database.rankings import DatabaseRanking, TurnedRanking
from referee.engines.database.rows import Rows
from referee.engines.database.sums import ClassSteps, DatabaseBaseline, centred, kept_rows, ranked
from referee.engines.summaries import Counts, Sums
from referee.predictions import dialect_of, fetch, fetch_row, number, room_of, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from referee.arrays import Array, Column
    from referee.engines.ranked_scores import Ranking
    from referee.predictions import Model, Predictions, Units
    from referee.scoring import Metric


IN_PROCESS = ("duckdb", "sqlite", "polars", "datafusion")


MOST_STEPS = 4_000_000
"""Of a ranking that are fetched within this process; more would take much memory."""


STEP_BYTES, SHARE_OF_STEPS = 72, 8
"""What a step takes when it is here, with its weights; all steps may take an eighth of a limit that was said."""


def is_near(predictions: Predictions) -> bool:
    """Whether a database runs here and has few rows: nothing travels, and to fetch steps is faster than to ask."""
    room, size = room_of(predictions.truth), STEP_BYTES * predictions.rows * len(predictions.models)
    fits = room is None or SHARE_OF_STEPS * size <= room
    return fits and predictions.rows <= MOST_STEPS and is_in_process(predictions)


def is_in_process(predictions: Predictions) -> bool:
    return dialect_of(predictions.truth) in IN_PROCESS


class Summary:
    unit = 0

    def __init__(self, predictions: Predictions, model: Model, by: Units | None) -> None:
        self.predictions = predictions
        self.by = by
        self.units = len(by) if by else 1
        self.rows = Rows(predictions, model)
        self.baseline = DatabaseBaseline(self.rows, by)  # type: ignore[arg-type]
        self._steps: dict[int, ClassSteps] = {}
        self._rankings: dict[Any, Ranking] = {}
        self._cells: dict[Any, StepColumns] = {}
        self.rounds = Rounds()
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

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        """The rows ranked by the score for a class; as a probability, the other class's is one minus it."""
        key = self._key(positive, as_probability=as_probability)
        if key not in self._rankings:
            self._rankings[key] = self._in_place(*key) if self.by is None else self._fetched(*key)
        return self._rankings[key]

    @property
    def bytes_fetched(self) -> int:
        """Of steps of rankings, which left the database."""
        rankings = (each for each in self._rankings.values() if isinstance(each, DatabaseRanking))
        steps = sum(each.whole.scores.nbytes * 3 for each in rankings if "whole" in vars(each) and not each.is_turned)
        return steps + sum(each.scores.nbytes * (1 + len(each.sizes)) for each in self._steps.values())

    def _key(self, code: int, *, as_probability: bool) -> tuple[int, bool]:
        """A class, and whether its probability is one minus that of the other."""
        return code, self._is_turned(code) and as_probability and self.rows.are_probabilities

    def _is_turned(self, code: int) -> bool:
        """Whether a class's ranking is that of the positive class from the other end."""
        model, given = self.rows.model, self.predictions.positive
        return model.scores is not None and model.class_scores is None and given is not None and code != given

    def _fetched(self, positive: int, complement: bool) -> Ranking:
        given = self.predictions.positive
        steps = (
            self._steps_of(given).turned(float(complement)) if self._is_turned(positive) and given is not None else None
        )
        return (steps or self._steps_of(positive)).against_rest(positive)

    def _in_place(self, positive: int, complement: bool) -> DatabaseRanking:
        given = self.predictions.positive
        if self._is_turned(positive) and not complement and given is not None:
            return TurnedRanking(self.ranking(given))  # type: ignore[arg-type]
        weights = self.class_weights[0]
        return self._ranked(self._one_against_rest(positive, complement), weights[positive], weights.sum(), positive)

    def _one_against_rest(self, positive: int, complement: bool) -> Any:
        truth = self.predictions.truth
        return self._kept(score=self._score(positive, complement), is_positive=truth == positive)

    def _ranked(self, rows: Any, positives: float, total: float, code: int | None = None) -> DatabaseRanking:
        """Rows with a score, a weight, and whether they are positive; those of one class are told apart by its code."""
        parts = parts_of(rows, self.predictions)
        ranking = DatabaseRanking(rows, self._sizes, (positives, total - positives), parts, code, self.rounds)
        vars(ranking).update(row_weight=self.predictions.row_weight, is_near=is_near(self.predictions))
        return ranking

    @cached_property
    def pooled_ranking(self) -> DatabaseRanking | None:
        """All decisions 'is it this class?' as if they were of one class."""
        if self.by is not None:
            return None
        codes, total = range(len(self.predictions.classes)), float(self.class_weights[0].sum())
        first, *others = (self._one_against_rest(*self._key(code, as_probability=True)) for code in codes)
        return self._ranked(first.union(*others) if others else first, total, total * len(codes))

    def pooled_steps(self, code: int) -> None:
        """Rows find them by their scores."""

    def _sizes(self, rows: Any) -> dict[str, Any]:
        """What rows with a score add up to, and of weights their powers, which errors take."""
        sides = {"positives": rows.is_positive, "negatives": ~rows.is_positive}
        sizes = {side: self._size(rows, where) for side, where in sides.items()}
        if self.predictions.weight is None or self.predictions.weight_kind == "frequency":
            return sizes
        square = rows.weight * rows.weight
        powers = {2: square, 4: square * square}
        return sizes | {
            f"{side}_{power}": each.sum(where=where).fill_null(number(0.0))
            for power, each in powers.items()
            for side, where in sides.items()
        }

    def _score(self, code: int, complement: bool) -> Any:
        score: Any = self.rows.score(code)
        if not self._is_turned(code):
            return score
        return (number(1.0) - score if complement else -score) + number(0.0)

    @cached_property
    def label_cells(self) -> ColumnCells:
        classes, truth, labels = len(self.predictions.classes), self.predictions.truth, self.rows.labels
        return ColumnCells(truth * classes + labels, np.repeat(np.arange(classes), classes))

    @cached_property
    def truth_cells(self) -> ColumnCells:
        return ColumnCells(self.predictions.truth, np.arange(len(self.predictions.classes)))

    def step_cells(self, code: int, *, as_probability: bool = False) -> StepColumns:
        """The rows of a class, and of all others, at each step of its ranking."""
        key = self._key(code, as_probability=as_probability)
        if key not in self._cells:
            self._cells[key] = StepColumns(self._score(*key), self.predictions.truth == code)
        return self._cells[key]

    def pair_cells(self, positive: int, negative: int) -> StepColumns:
        """The rows of two classes at each step of the first one's ranking."""
        key = positive, negative, "pair"
        if key not in self._cells:
            truth: Any = self.predictions.truth
            is_positive = truth == positive
            takes_part = is_positive | (truth == negative)
            self._cells[key] = StepColumns(self._score(positive, complement=False), is_positive, takes_part)
        return self._cells[key]

    def term_cells(self, metric: Metric) -> StepColumns:
        """All rows at each step of the ranking by the metric's only row term."""
        import ibis

        (term,) = self.rows.row_terms(metric, self.baseline).values()
        return self._cells.setdefault((metric.full_name, "term"), StepColumns(term, ibis.literal(value=True)))

    def turned_steps(self, code: int, *, as_probability: bool) -> None:
        """Every class has a ranking of its own."""

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        key = positive, negative, "pair"
        if self.by is not None:
            return self._steps_of(positive).against(positive, negative)
        if key not in self._rankings:
            cells, (own, other) = self.pair_cells(positive, negative), self.class_weights[0][[positive, negative]]
            rows = self._kept(score=cells.score, is_positive=cells.is_positive, takes_part=cells.takes_part)
            self._rankings[key] = self._ranked(rows.filter(rows.takes_part), own, own + other)
        return self._rankings[key]

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        cells, key = self.term_cells(metric), (metric.full_name, "term")
        if self.by is not None:
            rows = self._kept(score=cells.score)
            return ranked(rows, {0: self._size(rows)}, self.units).against_rest(0)
        if key not in self._rankings:
            total, rows = self.total_weight[0], self._kept(score=cells.score, is_positive=cells.is_positive)
            self._rankings[key] = self._ranked(rows, total, total)
        return self._rankings[key]

    def _steps_of(self, code: int) -> ClassSteps:
        if code not in self._steps:
            rows = self._kept(score=self.rows.score(code), truth=self.predictions.truth)
            sizes = {each: self._size(rows, rows.truth == each) for each in range(len(self.predictions.classes))}
            self._steps[code] = ranked(rows, sizes, self.units)
        return self._steps[code]

    def sums(self, metric: Metric) -> Sums:
        if metric.full_name not in self.known_sums:
            batch = {m.full_name: m for m in (metric, *self._expected) if m.full_name not in self.known_sums}
            made = sums_together({(self, name): each for name, each in batch.items()})
            self.known_sums |= {name: sums for (_, name), sums in made.items()}
        return self.known_sums[metric.full_name]

    def row_moments(self, metric: Metric, phi: Callable[[dict[str, Column]], Column]) -> tuple[float, float]:
        """The sums over rows of the square and the fourth power of a row value, each times its weight."""
        rows = self._kept(**self.rows.row_terms(metric, self.baseline))
        terms = {name: rows[name] for name in rows.columns if name not in ("unit", "weight")}
        valued = rows.select(value=phi(terms) * rows.weight)
        squares = valued.select(square=valued.value * valued.value)
        moments = fetch_row(squares.aggregate(second=squares.square.sum(), fourth=(squares.square**2).sum()))
        return float(moments["second"]), float(moments["fourth"])

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
