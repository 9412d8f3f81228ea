"""Summaries of rows that come in pieces: as few passes as possible, each for all that has been asked for."""

from __future__ import annotations

import gc
from dataclasses import replace
from functools import cached_property, reduce
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.memory.cells import label_cells
from referee.engines.ranked_scores import BLOCK
from referee.engines.stream.passes import (
    SCORES,
    Adding,
    Collecting,
    Known,
    Piece,
    cells_by,
    has_folds,
    survey_of,
    terms_key,
)
from referee.engines.stream.rankings import BlockRanking, Holder, Keys, SortedRanking, budget_of
from referee.engines.stream.whole import decisions_ranked, in_memory
from referee.engines.summaries import Counts
from referee.predictions import BATCH_ROWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.engines.memory import summary as memory
    from referee.engines.memory.cells import Cells as LabelCells
    from referee.engines.ranked_scores import Ranking
    from referee.engines.stream.passes import Cells
    from referee.engines.summaries import Sums
    from referee.predictions import Layout, Model, Predictions, Units
    from referee.scoring import Metric

    Phi = Callable[[dict[str, Array]], Array]


class Summary(Holder):
    unit = 0

    def __init__(self, predictions: Predictions, model: Model, by: Units | None) -> None:
        self.predictions, self.model, self.by = predictions, model, by
        self.units = len(by) if by else 1
        self.layout: Layout = predictions.truth.layout  # type: ignore[attr-defined]
        self.survey = survey_of(self.layout)
        self._wanted: list[Metric] = []
        self._counts: Counts | None = None
        self._sums: dict[object, Sums] = {}
        self._keys: dict[object, Keys] = {}
        self._rest: dict[object, Array] = {}
        self._rankings: dict[object, Ranking] = {}
        self.known_values: dict[object, Array] = {}
        """The values of classes: overall, by class and averaged they are the same."""
        self.kept: dict[object, Any] = {}
        """What others have made of these summaries, and may want again."""

    def prepare(self, metrics: Sequence[Metric]) -> None:
        """Say what will be asked, so that one pass can serve all of it."""
        self._wanted = list(metrics)

    @property
    def scale(self) -> float:
        return self.survey.scale(self.model)

    @property
    def counts(self) -> Counts:
        if self._counts is None:
            self._pass(self._wanted)
        assert self._counts is not None
        return self._counts

    @cached_property
    def label_cells(self) -> LabelCells:
        """The cells of the confusion matrix; which row is in which is not known here."""
        return label_cells(self.counts.matrix, lambda: np.empty(0, np.int64))

    @property
    def class_weights(self) -> Array:
        """Rows of each class: (unit, class)."""
        return self._cells.weight

    @property
    def total_weight(self) -> Array:
        return self._cells.weight.sum(axis=1).astype(float)

    def sums(self, metric: Metric) -> Sums:
        if terms_key(metric) not in self._sums:
            self._pass([metric, *self._wanted])
        return self._sums[terms_key(metric)]

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        """The rows ranked by the score for a class; as a probability, the other class's is one minus it."""
        if self.model.class_scores is None and self.model.scores is None:
            return decisions_ranked(self.counts, positive)
        if self.predictions.weight is not None:
            return self.whole.ranking(positive, as_probability=as_probability)
        column, change = self._column_of(positive, as_probability=as_probability)
        key = positive, *change.values()
        if key not in self._rankings:
            keys = [(self._group(column, unit, positive), self._others(column, unit, positive)) for unit in self._every]
            self._rankings[key] = self._few_at_once(SortedRanking(keys, **change))
        return self._rankings[key]

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        """Rank the rows of two classes by the score for the first."""
        if self.predictions.weight is not None or (self.model.class_scores is None and self.model.scores is None):
            return self.whole.pair_ranking(positive, negative)
        column, change = self._column_of(positive)
        units = [(self._group(column, unit, positive), self._group(column, unit, negative)) for unit in self._every]
        return self._few_at_once(SortedRanking(units, **change))

    def sorted_scores(self) -> Iterator[list[list[Array]]]:
        """Of each column of scores those of each class, unit by unit."""
        columns = [SCORES] if self.model.class_scores is None and self.model.scores is not None else self._all_columns
        codes = range(len(self.predictions.classes))
        for column in columns:
            yield [[self._group(column, unit, code) for unit in self._every] for code in codes]

    def ranking_of_term(self, metric: Metric) -> Ranking:
        """Rank all rows by the metric's only row term."""
        if self.predictions.weight is not None:
            return self.whole.ranking_of_term(metric)
        key = terms_key(metric)
        if key not in self._keys:
            self._collect_terms(key, metric)
        nothing = np.empty(0)
        return self._few_at_once(SortedRanking([(self._keys[key].of(unit), nothing) for unit in self._every]))

    def row_moments(self, metric: Metric, phi: Phi) -> tuple[float, float]:
        """The sums over rows of the square and the fourth power of a row value, each times its weight."""
        return self.row_moments_of({"": (metric, phi)})[""]

    def row_moments_of(self, asked: Mapping[str, tuple[Metric, Phi]]) -> dict[str, tuple[float, float]]:
        """Several of them in one pass."""
        squares: dict[str, list[float]] = {name: [] for name in asked}
        fourths: dict[str, list[float]] = {name: [] for name in asked}
        for piece in self._pieces([metric for metric, _ in asked.values()]):
            for part in piece.parts():
                weight = 1.0 if piece.weight is None else piece.weight[part]
                for name, (metric, phi) in asked.items():
                    squared = (phi(piece.terms(metric, part)) * weight) ** 2
                    squares[name].append(float(squared.sum()))
                    fourths[name].append(float((squared**2).sum()))
        return {name: (fsum(squares[name]), fsum(fourths[name])) for name in asked}

    def release(self) -> None:
        self._keys, self._rest, self._rankings = {}, {}, {}
        self.__dict__.pop("whole", None)
        # Where kernels were compiled just now, the keys were seen to stay until cycles were collected.
        gc.collect()

    @property
    def _every(self) -> range:
        return range(self.units)

    @cached_property
    def _cells(self) -> Cells:
        if self.by is None:
            assert self.survey.cells is not None
            return self.survey.cells
        return cells_by(self.layout, self.by)

    @cached_property
    def _groups(self) -> Cells:
        if not has_folds(self.predictions) and self.predictions.task != "regression":
            return self._cells
        return cells_by(self.layout, self.by, scale=self.scale, folds=True)

    def _pieces(self, metrics: Sequence[Metric]) -> Iterator[Piece]:
        facts = self.survey.facts.get(self.model.name)
        needs_baseline = any("baseline" in metric.row_arguments for metric in metrics) and (
            self.predictions.task != "regression" or self.predictions.baseline is None
        )
        yardstick = (self._groups, self.predictions.row_weight) if needs_baseline else ()
        known = Known(self.scale, bool(facts and facts.outside is None), *yardstick)
        for piece in self._from_keys() if SCORES in self._keys and self._told_by_keys else self._from_file():
            yield Piece(piece, self.model, self.by, known)

    def _from_file(self) -> Iterator[Predictions]:
        constant = all(column.constant is not None for column in self.model.given_columns())  # type: ignore[attr-defined]
        return self.layout.pieces([] if constant else [self.model.name])

    @property
    def _told_by_keys(self) -> bool:
        """Whether the true class and the score are all that is to know of a row."""
        others = self.by, self.predictions.weight, self.predictions.fold, self.model.labels, self.model.class_scores
        return self.predictions.task == "binary" and all(other is None for other in others)

    def _from_keys(self) -> Iterator[Predictions]:
        """All rows without reading the file again, in the order of their keys."""
        template, model = self.layout.template, self.layout.template.model(self.model.name)
        for code in range(len(self.predictions.classes)):
            keys = self._keys[SCORES].of(code)
            for start in range(0, len(keys), BATCH_ROWS):
                scores = keys[start : start + BATCH_ROWS]
                said = replace(model, scores=scores, labels=None)
                yield replace(template, truth=np.full(len(scores), code, np.int32), models=(said,), slices={})

    def _pass(self, metrics: Sequence[Metric]) -> None:
        """Count, add up and collect keys, all that is not known yet."""
        missing = {terms_key(m): m for m in metrics if "sums" in m.summaries and terms_key(m) not in self._sums}
        counts = self._counts is None and self.predictions.task != "regression"
        columns = self._key_columns(metrics)
        if columns and self._told_by_keys:
            self._collect(columns)
            columns = []
        adding = Adding(missing, by_unit=self.by is not None)
        matrices: list[Counts] = []
        with self._collecting(columns) as collecting:
            for piece in self._pieces(list(missing.values())):
                collecting.add(piece)
                adding.add(piece)
                matrices += [piece.counts] if counts else []
        self._keys |= collecting.keys
        self._sums |= adding.total
        if counts:
            self._counts = reduce(Counts.merge, matrices)

    def _collect(self, columns: Sequence[object]) -> None:
        with self._collecting(columns) as collecting:
            for piece in self._pieces([]):
                collecting.add(piece)
        self._keys |= collecting.keys

    def _collecting(self, columns: Sequence[object]) -> Collecting:
        rows, budget = self.predictions.rows, budget_of(self.layout)

        def claim(kind: np.dtype[Any]) -> None:
            size = rows * kind.itemsize
            budget.claim(self, len(columns) * size, rows, passing=size)

        return Collecting(columns, self.predictions.positive, lambda: self._cells.rows.reshape(-1), claim)

    def _key_columns(self, metrics: Sequence[Metric]) -> list[object]:
        """The columns whose keys a pass should collect on its way."""
        ranks = any("ranking" in metric.summaries or "pairs" in metric.summaries for metric in metrics)
        if not ranks or self._keys or self.predictions.weight is not None or self.predictions.task == "regression":
            return []
        if self.model.class_scores is not None:
            return list(range(len(self.model.class_scores)))
        return [] if self.model.scores is None else [SCORES]

    def _column_of(self, positive: int, *, as_probability: bool = False) -> tuple[object, dict[str, Any]]:
        """The column that ranks for a class, and how its keys become scores."""
        if self.model.class_scores is not None:
            return positive, {}
        if positive == self.predictions.positive:
            return SCORES, {}
        probabilities = as_probability and self.survey.facts[self.model.name].outside is None
        return SCORES, {"sign": -1.0, "offset": 1.0 if probabilities else 0.0}

    def _group(self, column: object, unit: int, code: int) -> Array:
        if column not in self._keys:
            self._collect([SCORES] if column == SCORES else self._all_columns)
        return self._keys[column].of(unit * len(self.predictions.classes) + code)

    def _others(self, column: object, unit: int, code: int) -> Array:
        codes = [other for other in range(len(self.predictions.classes)) if other != code]
        if len(codes) == 1:
            return self._group(column, unit, codes[0])
        if (column, unit) not in self._rest:
            parts = [self._group(column, unit, other) for other in codes]
            budget_of(self.layout).claim(self, sum(part.nbytes for part in parts), self.predictions.rows)
            self._rest[column, unit] = np.sort(np.concatenate(parts))
        return self._rest[column, unit]

    @property
    def _all_columns(self) -> list[object]:
        return list(range(len(self.model.class_scores or ())))

    def _collect_terms(self, key: object, metric: Metric) -> None:
        rows = self._cells.rows.sum(axis=1)
        budget_of(self.layout).claim(self, 8 * self.predictions.rows, self.predictions.rows)
        keys = Keys(rows, np.dtype(float))
        for piece in self._pieces([metric]):
            for part in piece.parts():
                (term,) = piece.terms(metric, part).values()
                keys.add(np.ascontiguousarray(term), piece.cells[part])
        keys.sort()
        self._keys[key] = keys

    @cached_property
    def whole(self) -> memory.Summary:
        """All rows at once, as long as nobody needs their room."""
        budget = budget_of(self.layout)
        rows = self.predictions.rows
        return in_memory(self.layout, self.model, self.by, lambda size: budget.claim(self, size, rows))

    def _few_at_once(self, ranking: BlockRanking) -> Ranking:
        return ranking.whole if int(ranking.P.sum() + ranking.N.sum()) <= BLOCK else ranking
