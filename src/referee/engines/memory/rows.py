"""The rows of one model as metrics see them, in the order of their scores; what is costly is made once."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.catalogue import arguments_of
from referee.engines.kernels import (
    compiled,
    deal_out,
    find_steps,
    merge_classes,
    sort_rows_by_digits,
    steps_by_unit,
    worth_compiling,
)
from referee.engines.ranked_lists import RankedLists
from referee.engines.ranked_scores import Ranking, joined_steps
from referee.predictions import Lists

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.engines.memory.baseline import Baseline
    from referee.predictions import Model, Predictions
    from referee.scoring import Metric

KEPT_ROWS = 1_000_000
"""Up to here row terms are kept for the next grouping of the same rows."""

ALL = slice(None)
OF_MODELS, SUMMARIES = "_rows_of_models", "_summaries_of_models"
"""What predictions keep of each model."""


class Rows:
    """Predictions of one model."""

    def __init__(self, predictions: Predictions, model: Model) -> None:
        self.predictions = predictions
        self.model = model
        self._terms: dict[object, dict[str, Array]] = {}
        self._falling: dict[object, tuple[Array, tuple[Array, Array, Array]]] = {}
        self.groupings = 0
        """How often these rows have been grouped into units."""
        self._part = ALL
        self._part_columns: dict[str, Any] = {}

    @cached_property
    def scale(self) -> float:
        """The power of two by which true and predicted numbers are multiplied so that their squares are finite."""
        if self.predictions.task != "regression":
            return 1.0
        return scale_to_one(max(largest(column) for column in (self.predictions.truth, *self.model.given_columns())))

    @cached_property
    def labels(self) -> Array:
        return self.labels_of(ALL)

    def cells_of(self, part: slice) -> Array:
        """The cell of the confusion matrix that each row falls into."""
        if part == ALL and self.predictions.rows <= KEPT_ROWS:
            return self._cells
        return self.predictions.truth[part] * len(self.predictions.classes) + self.labels_of(part)

    @cached_property
    def _cells(self) -> Array:
        return self.predictions.truth * np.int64(len(self.predictions.classes)) + self.labels

    def labels_of(self, part: slice) -> Array:
        """The model's decisions: its own, else the most probable class, else by the threshold."""
        model, predictions = self.model, self.predictions
        if model.labels is not None:
            return model.labels[part]
        if model.class_scores is not None and not predictions.decides_by_threshold(model):
            order = np.array(model.tie_order or range(len(model.class_scores)), np.int32)
            return order[np.argmax(np.stack([model.class_scores[code][part] for code in order]), axis=0)]
        assert predictions.positive is not None
        scores = model.scores if model.class_scores is None else model.class_scores[predictions.positive]
        assert scores is not None
        chosen = (scores[part] >= predictions.threshold).view(np.int8)
        return chosen if predictions.positive == 1 else 1 - chosen

    def score(self, code: int | None, *, as_probability: bool = False) -> Array:
        """What the model says for one class; its decisions stand in where it gives nothing else."""
        model = self.model
        if model.class_scores is not None:
            assert code is not None
            return _floats(model.class_scores[code])
        if model.scores is None:
            return (self.labels == code).astype(float)
        if code == self.predictions.positive:
            return _floats(model.scores)
        scores = np.asarray(model.scores, float)
        return 1 - scores if as_probability and self.are_probabilities else -scores

    def falling_rows(
        self, key: object, make: Callable[[], tuple[Array, tuple[Array, Array, Array]]]
    ) -> tuple[Array, tuple[Array, Array, Array]]:
        """Rows in falling order of a class's scores, for the next grouping of the same rows too."""
        if key not in self._falling:
            places, (scores, positives, negatives) = make()
            order = np.argsort(-scores, kind="stable")
            self._falling[key] = places[order], (scores[order], positives[order], negatives[order])
        return self._falling[key]

    def row_terms(self, metric: Metric, baseline: Baseline, part: slice = ALL) -> dict[str, Array]:
        """The metric's row terms for a part of the rows."""
        key = self.terms_key(metric)
        # A baseline depends on the grouping, so its terms are not the same next time.
        are_lasting = not baseline.used_by(metric)
        if are_lasting and key in self._terms:
            return {name: term[part] for name, term in self._terms[key].items()}
        terms = self._made_terms(metric, baseline, part)
        if are_lasting and part == ALL and self.predictions.rows <= KEPT_ROWS:
            self._terms[key] = terms
        return terms

    def terms_key(self, metric: Metric) -> object:
        """The same for metrics with the same row terms."""
        assert metric.row_terms is not None
        return metric.row_terms, metric.needs, repr(metric.formula_settings(metric.row_terms))

    def _made_terms(self, metric: Metric, baseline: Baseline, part: slice) -> dict[str, Array]:
        terms = self.terms_against(metric, lambda: baseline.columns(part), part)
        rows = len(self.predictions.truth[part])
        return {name: np.broadcast_to(np.asarray(term, float), rows) for name, term in terms.items()}

    def terms_against(self, metric: Metric, baseline: Callable[[], Any], part: slice = ALL) -> dict[str, Any]:
        """The metric's row terms, as its formula gives them, measured against a yardstick."""
        assert metric.row_terms is not None
        available: dict[str, Any] = {
            "truth": lambda: self._of_part("truth", part, lambda: self.truth_columns(part)),
            "prediction": lambda: self._of_part(metric.needs, part, lambda: self.prediction_columns(metric, part)),
            "baseline": baseline,
            "levels": lambda: tuple(self.model.quantiles or ()),
            "ranked": lambda: self._of_part("ranked", part, lambda: self.ranked_lists(part)),
            "order": lambda: self.model.tie_order or range(len(self.predictions.classes)),
            "others": lambda: self._of_part("others", part, lambda: self.other_scores(part)),
            "better": lambda: self.predictions.scored.better if self.predictions.scored else "higher",
            "xp": lambda: np,
        }
        with np.errstate(all="ignore"):
            return metric.row_terms(
                **arguments_of(metric.row_terms, available), **metric.formula_settings(metric.row_terms)
            )

    def _of_part(self, name: str, part: slice, make: Callable[[], Any]) -> Any:
        """Columns of the part that was asked for last, which serve all metrics."""
        if part == ALL and self.predictions.rows > KEPT_ROWS:
            return make()
        if self._part != part:
            self._part, self._part_columns = part, {}
        if name not in self._part_columns:
            self._part_columns[name] = make()
        return self._part_columns[name]

    def truth_columns(self, part: slice = ALL) -> Any:
        """The true numbers, or for each class whether it is the true one."""
        truth = self.predictions.truth[part]
        if self.predictions.task == "regression":
            return self._scaled(truth)
        if isinstance(truth, Lists):
            return truth.columns
        return [(truth == code).astype(float) for code in range(len(self.predictions.classes))]

    def _scaled(self, column: Array) -> Array:
        return np.asarray(column, float) if self.scale == 1 else np.asarray(column, float) * self.scale

    def prediction_columns(self, metric: Metric, part: slice = ALL) -> Any:
        """The predicted numbers, quantiles, or for each class its probability."""
        model = self.model
        if metric.needs == "quantiles":
            assert model.quantiles is not None
            return [self._scaled(column[part]) for column in model.quantiles.values()]
        if metric.needs == "values":
            assert model.values is not None
            return self._scaled(model.values[part])
        if model.class_scores is not None:
            return [np.asarray(column[part], float) for column in model.class_scores]
        assert model.scores is not None
        if isinstance(model.scores, Lists):
            return [column >= self.predictions.threshold for column in model.scores[part].columns]
        positive = np.asarray(model.scores[part], float)
        return [1 - positive, positive] if self.predictions.positive == 1 else [positive, 1 - positive]

    def ranked_lists(self, part: slice = ALL) -> RankedLists:
        """The items of each row, where rows are queries, in the order of their scores."""
        relevance: Any = self.predictions.truth[part]
        assert self.model.scores is not None
        scores: Any = self.model.scores[part]
        return RankedLists.of(relevance, scores)

    def other_scores(self, part: slice = ALL) -> list[Any]:
        """The scores of all other models; 0 where there is none."""
        scored = self.predictions.scored
        return [] if scored is None else [each[part] for each in scored.others(self.model.name)] or [0.0]

    @cached_property
    def are_probabilities(self) -> bool:
        """Whether its only scores are all between 0 and 1."""
        scores = self.model.scores
        return scores is not None and bool(scores.min(initial=0) >= 0 and scores.max(initial=1) <= 1)


def _floats(column: Array) -> Array:
    return column if column.dtype.kind == "f" else column.astype(float)


def rows_of(predictions: Predictions, model: Model) -> Rows:
    """The rows of a model, the same object as long as the predictions live: they keep it themselves."""
    made: dict[Model, Rows] = vars(predictions).setdefault(OF_MODELS, {})
    if model not in made:
        # Rows know predictions that do not know them, so that all goes as soon as nobody needs it.
        alone = copy(predictions)
        for kept in (OF_MODELS, SUMMARIES):
            vars(alone).pop(kept, None)
        made[model] = Rows(alone, model)
    return made[model]


SIGN = np.uint64(1 << 63)


def rising(scores: Array) -> tuple[Array, Array]:
    """The scores from the lowest, and the rows that they belong to."""
    values = scores.astype(np.float64) + 0.0  # -0.0 is 0.0
    bits = values.view(np.uint64)
    # Flipping the sign bit of positive numbers, and all bits of negative ones, makes their order that of the bits.
    bits ^= np.where(values < 0, ~np.uint64(0), SIGN)
    rows = np.arange(len(bits), dtype=np.uint32 if len(bits) < 2**32 else np.uint64)
    spare, spare_rows = np.empty_like(bits), np.empty_like(rows)
    moved = compiled(sort_rows_by_digits)(bits, spare, rows, spare_rows)
    bits, rows = (spare, spare_rows) if moved else (bits, rows)
    bits ^= np.where(bits < SIGN, ~np.uint64(0), SIGN)
    return bits.view(np.float64), rows


def steps_of_rows(scores: Array, steps: Array) -> Array:
    """For each row the first of the falling steps that is not above its score.

    >>> steps_of_rows(np.array([0.2, 0.9, 0.5]), np.array([0.9, 0.5, 0.1]))
    array([2, 0, 1])
    """
    if not worth_compiling(len(scores)):
        return np.searchsorted(-steps, -scores)
    step_of_row = np.empty(len(scores), np.int64)
    compiled(find_steps)(*rising(scores), steps.astype(np.float64), step_of_row)
    return step_of_row


def steps_of_sorted_rows(ranking: Ranking, order: Array) -> Array:
    """For each of rows without weights its step, where their order is known."""
    step_of_row = np.empty(len(order), np.int64)
    step_of_row[order] = np.repeat(np.arange(len(ranking.scores)), ranking.positives + ranking.negatives)
    return step_of_row


def rank_in_order(scores: Array, is_positive: Array, order: Array) -> Ranking:
    """Rank rows without weights, whose order is known, as one unit."""
    positives = is_positive.astype(np.int64)
    return joined_steps(scores, positives, 1 - positives, order, None, 1)


def rank(scores: Array, is_positive: Array, unit: Array | None = None, units: int = 1) -> Ranking:
    """Rank rows without weights; of many each class of each unit is sorted by itself, and the two are merged."""
    if not worth_compiling(len(scores)):
        return rank_in_order(scores, is_positive, np.argsort(-scores))
    group: Array = is_positive.view(np.uint8) if unit is None else unit.astype(np.int64) * 2 + is_positive
    rows = np.array([np.count_nonzero(~is_positive), 0]) if unit is None else np.bincount(group, minlength=2 * units)
    starts = np.concatenate([[0], np.cumsum(rows[:-1]), [len(scores)]])
    dealt, ends = np.empty_like(scores), np.empty(units, np.int64)
    compiled(deal_out)(scores, group, starts[:-1].copy(), dealt)
    for first, end in pairwise(starts.tolist()):
        dealt[first:end].sort()
    counter = np.int32 if len(scores) < 2**31 else np.int64
    steps = np.empty_like(scores), np.empty(len(scores), counter), np.empty(len(scores), counter)
    compiled(merge_classes)(dealt, starts, steps, ends)
    distinct, positives, negatives = (column[: ends[-1]] for column in steps)
    return Ranking(distinct, positives, negatives, np.concatenate([[0], ends]))


def rank_alone(values: Array) -> Ranking:
    """Rank rows without weights that are all of one class."""
    falling = -values.astype(float, copy=False)
    falling.sort()
    np.negative(falling, out=falling)
    first = np.flatnonzero(np.concatenate([[len(falling) > 0], falling[1:] != falling[:-1]]))
    rows = np.diff(first, append=len(falling))
    scores = falling if len(first) == len(falling) else falling[first]
    return Ranking(scores, rows, np.zeros_like(rows), np.array([0, len(first)]))


def rank_in_units(rows: tuple[Array, Array, Array], unit: Array, units: int) -> Ranking:
    """Rank rows (scores, positives, negatives) inside each unit."""
    if not worth_compiling(len(unit)):
        falling = np.argsort(-rows[0])
        by_unit = np.argsort(narrow(unit, units)[falling], kind="stable")
        return joined_steps(*rows, falling[by_unit], unit, units)
    falling = rising(rows[0])[1][::-1]
    return rank_falling((rows[0][falling], rows[1][falling], rows[2][falling]), unit[falling], units)


def rank_falling(rows: tuple[Array, Array, Array], unit: Array, units: int) -> Ranking:
    """Rank rows that stand in falling order of their scores inside each unit."""
    begins = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=units))])
    ends = begins[:-1].copy()
    scores, positives, negatives = rows
    # The steps, and the positives and negatives down to each.
    steps = [np.empty_like(column) for column in (scores, positives, negatives, positives, negatives)]
    compiled(steps_by_unit)(rows, unit, ends, tuple(steps))
    return _closed_up(steps, begins, ends)


def narrow(unit: Array, units: int) -> Array:
    """Small numbers are sorted by their digits, in one pass."""
    return unit.astype(np.uint16) if units <= 2**16 else unit


def _closed_up(steps: list[Array], begins: Array, ends: Array) -> Ranking:
    """Leave out the places that ties left free at the end of each unit."""
    lengths = ends - begins[:-1]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    if starts[-1] != begins[-1]:
        kept = np.repeat(begins[:-1] - starts[:-1], lengths) + np.arange(starts[-1])
        steps = [column[kept] for column in steps]
    scores, positives, negatives, tp, fp = steps
    return Ranking(scores, positives, negatives, starts, (tp, fp))
