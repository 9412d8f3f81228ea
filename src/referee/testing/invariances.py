"""What must hold on any predictions that a metric applies to, also at the ends of what there can be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import Counts, Ranking, Sums, summarise
from referee.predictions import Lists
from referee.scoring import Metric, Summary, Uncertainty, uncertainty, values
from referee.testing.samples import (
    HIGHEST,
    LISTS,
    UNTIED,
    binary,
    columns_of,
    dealt,
    exact_unless_sums,
    multiclass,
    multilabel,
    ranking,
    regression,
    renamed,
    require,
    same,
    score,
    scored,
    scores,
    summary_of,
    take,
    with_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring import Task


def degenerate(task: Task) -> Iterator[Predictions]:
    """Give the cases in which something is missing: a class, a decision, any variation."""
    if task == "scores":
        yield from map(scored, ([1.0, 2.0, 4.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0]))
    elif task == "regression":
        varied, equal = [1.0, 2.0, 4.0], [0.1, 0.1, 0.1]
        truths = (varied, equal, [0.0, 0.0, 0.0], [0.0, 1.0, 2.0])
        yield from (regression(y, p) for y in truths for p in (varied, [0.3, 0.3, 0.3], y))
    elif task in LISTS:
        lists = ([[0, 0, 0]], [[1, 1, 1]], [[0, 1, 1]])
        yield from (LISTS[task](y, p) for y in lists for p in ([[0.25, 0.25, 0.25]], [[0.25, 0.75, 0.5]], y))
    elif task == "binary":
        truths_and_scores = (
            ([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]),
            ([0.25] * 4, [0.75] * 4, [0.25, 0.25, 0.75, 0.75]),
        )
        yield from (binary(y, p) for y in truths_and_scores[0] for p in (*truths_and_scores[1], y))
    else:
        columns = (UNTIED[:4], UNTIED[[0, 0, 0, 0]])
        labels = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1], [0, 1, 2, 0]])
        yield from (multiclass(y, p) for y in labels for p in (*columns, np.eye(3)[y]))


def hopeless(task: Task) -> Iterator[Predictions]:
    """As wrong as predictions can be: sure of the wrong class, upside down, saying nothing, missing the only one."""
    rows = np.arange(400)
    if task == "scores":
        yield scored(np.full(400, -HIGHEST))
    elif task == "regression":
        truth = (rows % 7 + 1) / 4
        yield from (regression(truth, -truth), regression(truth, truth - HIGHEST))
    elif task == "ranking":
        yield ranking([(rows == 0).astype(float)], [rows.astype(float)])
    elif task == "multilabel":
        truth = np.stack([rows % 2, 1 - rows % 2], axis=1)
        yield from (multilabel(truth, 1.0 - truth), multilabel(truth, np.zeros((400, 2))))
    elif task == "binary":
        half, rare = rows % 2, (rows == 0).astype(int)
        yield from (binary(half, 1.0 - half), binary(half, np.full(400, 0.5)), binary(0 * half, np.ones(400)))
        yield from (binary(rare, 1.0 - rare), binary(half, np.ones(400)), binary(half, np.zeros(400)))
    else:
        thirds = rows % 3
        yield multiclass(thirds, np.eye(3)[(thirds + 1) % 3])
        yield multiclass(thirds, (1 - np.eye(3)[thirds]) / 2)
        yield multiclass(thirds, np.full((400, 3), 1 / 3))
        yield multiclass(rows % 2 * 2, np.eye(3)[2 - rows % 2 * 2])


INCREASING: tuple[Callable[[Array], Array], ...] = (
    lambda x: x / 4,
    lambda x: 8 * x - 3,
    lambda x: x**3,
    lambda x: np.where(x > 0.25, x + 1, x),
)
"""Strictly increasing, and exact for multiples of 1/64 in [0, 1]."""


def check_range(metric: Metric, predictions: Predictions) -> None:
    low, high = metric.range
    value = score(metric, predictions)
    require(metric, np.isnan(value) or low <= value <= high, f"{value!r} is between {low} and {high}")


def check_row_order(metric: Metric, predictions: Predictions) -> None:
    rows = np.arange(predictions.rows)
    value = score(metric, predictions)
    for order in (rows[::-1], np.random.default_rng(0).permutation(rows)):
        other = score(metric, take(predictions, order))
        require(
            metric,
            same(value, other, exact_unless_sums(metric)),
            f"the order of rows is no matter: {value!r} {other!r}",
        )


def check_repeated_rows(metric: Metric, predictions: Predictions) -> None:
    times = np.arange(predictions.rows) % 3 + 1
    weighted = score(metric, replace(predictions, weight=times.astype(float)))
    repeated = score(metric, take(replace(predictions, weight=None), np.repeat(np.arange(len(times)), times)))
    require(
        metric, same(weighted, repeated), f"a row of weight 2 is a row that stands twice: {weighted!r} {repeated!r}"
    )


def check_doubled_weights(metric: Metric, predictions: Predictions) -> None:
    weight = np.ones(predictions.rows) if predictions.weight is None else predictions.weight
    once, twice = (score(metric, replace(predictions, weight=factor * weight)) for factor in (1.0, 2.0))
    require(metric, same(once, twice, 0), f"only the ratio of weights matters: {once!r} {twice!r}")


def check_weights(metric: Metric, predictions: Predictions) -> None:
    """Weights mean the same for the standard error and the interval as for the value."""
    rows = np.arange(predictions.rows)
    plain, times = replace(predictions, weight=None), (rows % 3).astype(float) if len(rows) > 1 else np.ones(1)
    given = predictions.weight if predictions.weight is not None else times
    counted = replace(plain, weight=times, weight_kind="frequency")
    for claim, some, other in (
        ("weights of one are no weights", replace(plain, weight=np.ones(len(rows))), plain),
        ("only the ratio of weights matters", replace(plain, weight=given), replace(plain, weight=3 * given)),
        ("a row without weight is no row", replace(plain, weight=given), take(replace(plain, weight=given), given > 0)),
        ("a row seen twice is a row that stands twice", counted, take(plain, np.repeat(rows, times.astype(int)))),
    ):
        known, also = (_known(metric, each) for each in (some, other))
        require(metric, _alike(known, also), f"{claim}, in value, interval and standard error: {known} {also}")


def _known(metric: Metric, predictions: Predictions) -> tuple[float, Uncertainty | None]:
    value = score(metric, predictions)
    summary = summarise(predictions, predictions.models[0])
    return value, uncertainty(summary, metric, value, None, 0.05) if np.isfinite(value) else None


def _alike(some: tuple[float, Uncertainty | None], others: tuple[float, Uncertainty | None]) -> bool:
    (a, known), (b, also) = some, others
    if not same(a, b, 1e-9) or known is None or also is None:
        return same(a, b, 1e-9) and known is also
    return known.interval == also.interval and bool(np.allclose(known[:3], also[:3], rtol=1e-9, atol=1e-12))


def check_renamed_classes(metric: Metric, predictions: Predictions) -> None:
    classes = len(predictions.classes)
    value = score(metric, predictions)
    orders = (np.arange(classes)[::-1], *(() if metric.ordinal else (np.roll(np.arange(classes), 1),)))
    for order in orders if classes and not _tied(predictions) else ():
        other = score(metric, renamed(predictions, order.tolist()))
        require(metric, same(value, other), f"the classes' names and order are no matter: {value!r} {other!r}")


def _tied(predictions: Predictions) -> bool:
    """Whether a row has two classes with the same probability, of which the first is taken."""
    columns = columns_of(predictions)
    return columns.ndim == 2 and bool((np.diff(np.sort(columns, axis=1)) == 0).any())


def check_units_alone(metric: Metric, predictions: Predictions) -> None:
    by = dealt(predictions.rows, 3)
    for unit, value in enumerate(scores(metric, predictions, by)[: predictions.rows]):
        alone = score(metric, take(predictions, by.codes == unit))
        equal = same(value, alone, exact_unless_sums(metric))
        require(metric, equal, f"a unit's value is that of its rows: {value!r} {alone!r}")


def check_merged_batches(metric: Metric, predictions: Predictions) -> None:
    # With folds, so that the baseline of a row is the same in a batch and in all rows.
    predictions = replace(predictions, fold=dealt(predictions.rows, 2)) if predictions.rows > 1 else predictions
    whole = score(metric, predictions)
    parts = summary_of(predictions, dealt(predictions.rows, 2 if predictions.rows > 1 else 1))
    merged = values(metric, _Merged(parts), len(predictions.classes), predictions.positive)[0]
    require(metric, same(whole, merged), f"the summaries of batches merge: {whole!r} {merged!r}")


class _Merged:
    """The units of a summary, put together again by `merge`."""

    units = 1

    def __init__(self, parts: Summary) -> None:
        self.parts, self.predictions = parts, parts.predictions
        self.scale = parts.scale

    @property
    def class_weights(self) -> Array:
        return self.parts.class_weights.sum(axis=0, keepdims=True)

    @property
    def counts(self) -> Counts:
        return self._together(self.parts.counts, lambda counts, unit: Counts(counts.matrix[unit]))

    def sums(self, metric: Metric) -> Sums:
        def part(sums: Sums, unit: slice) -> Sums:
            return Sums(sums.terms, sums.weight[unit], sums.means[unit], sums.moments[unit])

        return self._together(self.parts.sums(metric), part)

    def ranking(self, positive: int, *, as_probability: bool = False) -> Ranking:
        return self._together(self.parts.ranking(positive, as_probability=as_probability), _unit_ranking)

    def pair_ranking(self, positive: int, negative: int) -> Ranking:
        return self._together(self.parts.pair_ranking(positive, negative), _unit_ranking)

    def ranking_of_term(self, metric: Metric) -> Ranking:
        return self._together(self.parts.ranking_of_term(metric), _unit_ranking)

    def _together(self, summary: Any, part: Callable[[Any, slice], Any]) -> Any:
        first, *others = [part(summary, slice(unit, unit + 1)) for unit in range(self.parts.units)]
        for other in others:
            first = first.merge(other)
        return first


def _unit_ranking(ranking: Ranking, unit: slice) -> Ranking:
    begin, end = ranking.starts[unit.start], ranking.starts[unit.stop]
    steps = slice(begin, end)
    return Ranking(
        ranking.scores[steps], ranking.positives[steps], ranking.negatives[steps], np.array([0, end - begin])
    )


def check_scaled_units(metric: Metric, predictions: Predictions) -> None:
    if predictions.classes or isinstance(predictions.truth, Lists):
        return
    (model,) = predictions.models
    assert model.values is not None
    quantiles = model.quantiles and {level: 4 * column for level, column in model.quantiles.items()}
    scaled = replace(
        predictions, truth=4 * predictions.truth, models=(replace(model, values=4 * model.values, quantiles=quantiles),)
    )
    limit = {"x": 4 * (metric.defaults | dict(metric.settings))["x"]} if "x" in metric.defaults else {}
    expected = score(metric, predictions) * 4.0**metric.units_power
    value = score(metric.bind(**limit) if limit else metric, scaled)
    require(metric, same(expected, value, 0), f"its units are those of the truth to the power {metric.units_power}")


def check_only_order_matters(metric: Metric, predictions: Predictions) -> None:
    if metric.needs != "scores":
        return
    value = score(metric, predictions)
    for place in range(len(INCREASING)):
        other = score(metric, mapped(predictions, place))
        require(metric, same(value, other, 0), f"only the order of the scores matters: {value!r} {other!r}")


def mapped(predictions: Predictions, place: int) -> Predictions:
    """The same order of scores; each class's column goes through another map, as classes are not compared."""
    if isinstance(lists := predictions.models[0].scores, Lists):
        return with_columns(predictions, lists.with_values(INCREASING[place](lists.values)))
    columns = columns_of(predictions)
    if columns.ndim == 1:
        return with_columns(predictions, INCREASING[place](columns))
    maps = [INCREASING[(place + code) % len(INCREASING)] for code in range(columns.shape[1])]
    return with_columns(predictions, np.stack([go(column) for go, column in zip(maps, columns.T, strict=True)], axis=1))


def check_only_decisions_matter(metric: Metric, predictions: Predictions) -> None:
    if metric.needs != "labels":
        return
    if isinstance(lists := predictions.models[0].scores, Lists):
        hard: Any = lists.with_values(lists.values >= predictions.threshold)
    else:
        hard = _decisions(predictions)
    value, other = score(metric, predictions), score(metric, with_columns(predictions, hard))
    require(metric, same(value, other, 0), f"only the decisions matter: {value!r} {other!r}")


def _decisions(predictions: Predictions) -> Array:
    decided = summarise(predictions, predictions.models[0]).rows.labels
    return np.asarray(
        decided == predictions.positive if predictions.task == "binary" else np.eye(len(predictions.classes))[decided]
    )


ENGINE_CHECKS = (
    check_row_order,
    check_repeated_rows,
    check_doubled_weights,
    check_units_alone,
    check_merged_batches,
    check_scaled_units,
)
"""What an engine could get wrong; the others are about formulas."""

INVARIANCE_CHECKS = (
    check_range,
    check_row_order,
    check_repeated_rows,
    check_doubled_weights,
    check_weights,
    check_renamed_classes,
    check_units_alone,
    check_merged_batches,
    check_scaled_units,
    check_only_order_matters,
    check_only_decisions_matter,
)
