"""Influences: how a value moves with the weight of each row, as tables over cells of rows that are alike."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import total as exact_total
from referee.arrays import unscaled
from referee.engines import known_as, steps_of_rows, summarise
from referee.records import dataclass
from referee.scoring.counted_changes import changes_of_tables
from referee.scoring.formula import class_values, given_for_class, given_for_pool, given_whole, values, where_defined
from referee.scoring.sensitivity import ByCell, ByStep, ByTerms, sensitivities
from referee.scoring.tape import Tape, Var, backward
from referee.scoring.taped_steps import UnitByUnitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.arrays import Array
    from referee.engines import Cells, Ranking, Summary
    from referee.predictions import Model, Predictions
    from referee.scoring.metric import Metric
    from referee.scoring.sensitivity import Sensitivity

ALL = slice(None)
MOST_KEPT = 1 << 28
"""Bytes of tables that are kept of one model for the next who asks; none has more than half of them."""


@dataclass(frozen=True, eq=False)
class Influence:
    """The derivative of a value by the weight of each row: what tables say of its cells, and what its terms add."""

    summary: Any
    """The memory engine's; it keeps influences, and they do not keep it."""
    tables: dict[Cells, Array]
    terms: tuple[tuple[Metric, ByTerms], ...] = ()
    added: tuple[Array, ...] = ()
    """For each row, where rows have nothing in common."""
    units_power: int = 0
    """Of the units of the truth, which was scaled."""

    def on(self, summary: Any) -> Influence:
        """The same with its summary, or without it."""
        return Influence(summary, self.tables, self.terms, self.added, self.units_power)

    @property
    def cells(self) -> Cells | None:
        """Those that say everything about a row, if there are such."""
        return next(iter(self.tables)) if len(self.tables) == 1 and not self.terms and not self.added else None

    def of_cells(self, part: slice = ALL) -> Array:
        """What rows of each of these cells add."""
        ((cells, table),) = self.tables.items()
        return self._unscaled(table[part] - self._mean[cells.unit_in(part)])

    def of_rows(self, part: slice = ALL) -> Array:
        """What each of some rows adds."""
        unit = None if self.summary.by is None else self.summary.by.codes[part]
        rows = len(self.summary.predictions.truth[part])
        total: Array = np.repeat(-self._mean, rows) if unit is None else -self._mean[unit]
        for cells, table in self.tables.items():
            total += table[cells.place[part]]
        for metric, by_terms in self.terms:
            total += by_terms.of_rows(self.summary.rows.row_terms(metric, self.summary.baseline, part), unit)
        for column in self.added:
            total += column[part]
        return self._unscaled(total)

    @cached_property
    def _mean(self) -> Array:
        """All weights times two change nothing, so that this is 0, but for what is smoothed at a cut."""
        total = np.zeros(self.summary.units)
        for cells, table in self.tables.items():
            total += cells.weighted_sums(table, self.summary.units)
        for column in self.added:
            total += self.summary.totals(column)
        return total / self.summary.total_weight

    def _unscaled(self, changes: Array) -> Array:
        return unscaled(changes, self.summary.scale, self.units_power)

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in (*self.tables.values(), *self.added))


def influences(predictions: Predictions, model: Model, metric: Metric, code: int | None = None) -> Array:
    """The influence of each row on a metric's value, or on its value for one class.

    >>> from referee import Predictions, metrics
    >>> predictions = Predictions.from_arrays([1, 0, 1, 1], {"m": [0.9, 0.2, 0.4, 0.7]})
    >>> influences(predictions, predictions.models[0], metrics["accuracy"])
    array([ 0.25,  0.25, -0.75,  0.25])
    """
    changes = row_changes(summarise(predictions, model), metric, code)
    weight = predictions.rows if predictions.weight is None else predictions.weight.sum()
    return changes * weight


def row_changes(summary: Summary, metric: Metric, code: int | None = None) -> Array:
    """The derivative of the value by the weight of each row."""
    with np.errstate(all="ignore"):
        return influence(summary, metric, code).of_rows()


def influence(summary: Summary, metric: Metric, code: int | None = None) -> Influence:
    """Of the rows on a metric's value, or on its value for one class; made once."""
    if metric.per_class and code is None and metric.settings.get("average") is None:
        code = summary.predictions.positive
    key = ("influence", metric.full_name if code is None else known_as(metric, code))
    if key in summary.kept:
        return summary.kept[key].on(summary)
    if summary.units > 1 and not _goes_by_units(summary, metric):
        raise UnitByUnitError
    with np.errstate(all="ignore"):
        made = _whole(summary, metric) if not metric.per_class else _of_classes(summary, metric, code)
    bytes_kept = made.bytes + summary.kept.get("bytes", 0)
    is_average = metric.per_class and code is None  # quickly made of what is kept for its classes
    if max(bytes_kept, 2 * made.bytes) <= MOST_KEPT and not is_average:
        summary.kept |= {key: made.on(None), "bytes": bytes_kept}
    return made


def _goes_by_units(summary: Summary, metric: Metric) -> bool:
    """Whether a value needs no more of each unit than what stands on the tape."""
    is_median = metric.row_terms is not None and "ranking" in metric.summaries
    return not (is_median or "pairs" in metric.summaries or summary.baseline.used_by(metric))


def _of_classes(summary: Summary, metric: Metric, code: int | None) -> Influence:
    average, classes = metric.settings.get("average"), range(len(summary.predictions.classes))
    if code is not None:
        return _of_class(summary, metric, code)
    if average == "micro":
        return _pooled(summary, metric)
    each = [influence(summary, metric, every) for every in classes]
    return _averaged(summary, metric, each, weighted=average == "weighted")


def _of_class(summary: Summary, metric: Metric, code: int) -> Influence:
    if metric.summaries == ("counts",):
        change = changes_of_tables(summary, metric)[:, code]
        return Influence(
            summary, {summary.label_cells: _one_against_rest(change, code, len(summary.predictions.classes))}
        )
    given = given_for_class(metric, summary, code)
    return _joined(summary, metric, _ways(summary, metric, given, known_as(metric, code)), code)


def _averaged(summary: Summary, metric: Metric, each: list[Influence], *, weighted: bool) -> Influence:
    if summary.units > 1 and (weighted or metric.summaries != ("counts",)):
        raise UnitByUnitError
    weights = summary.class_weights[0] if weighted else np.ones(len(each))
    shares = [(part, share) for part, share in zip(each, (weights / weights.sum()).tolist(), strict=True) if share]
    parts = [(cells, table * share) for part, share in shares for cells, table in part.tables.items()]
    if weighted:
        # A row also makes its own class count more.
        value = values(metric, summary, len(each), summary.predictions.positive)[0]
        own = np.array([class_values(metric, summary, code)[0] - value for code in range(len(each))]) / weights.sum()
        cells = parts[0][0]
        same = cells.truth is not None and all(other is cells for other, _ in parts)
        parts.append((cells, own[cells.truth]) if same else (summary.truth_cells, own))
    terms = tuple((metric, by.times(share)) for part, share in shares for metric, by in part.terms)
    added = tuple(column * share for part, share in shares for column in part.added)
    return Influence(summary, _added_up(parts), terms, added)


def _pooled(summary: Summary, metric: Metric) -> Influence:
    """In the micro average each row takes part once for every class."""
    classes = range(len(summary.predictions.classes))
    if metric.summaries == ("counts",):
        change = changes_of_tables(summary, metric)[:, -1]
        each = [_one_against_rest(change, code, len(classes)) for code in classes]
        return Influence(summary, {summary.label_cells: np.sum(each, axis=0)})
    if summary.units > 1:
        raise UnitByUnitError
    given = given_for_pool(summary, len(classes))
    (by_step,) = sensitivities(metric, given, summary.predictions.row_weight)
    assert isinstance(by_step, ByStep)
    places = [summary.pooled_steps(code) for code in classes]
    parts = [
        _on_steps(summary, code, by_step.slopes.take(place, axis=1), as_probability=True)
        for code, place in zip(classes, places, strict=True)
    ]
    return Influence(summary, _added_up(parts))


def _whole(summary: Summary, metric: Metric) -> Influence:
    if metric.summaries == ("counts",):
        return Influence(summary, {summary.label_cells: changes_of_tables(summary, metric).reshape(-1)})
    if "ranking" in metric.summaries:
        return _of_median(summary, metric)
    predictions = summary.predictions
    given = given_whole(metric, summary, len(predictions.classes), predictions.positive)
    return _joined(summary, metric, _ways(summary, metric, given, metric.full_name), None)


def _ways(summary: Summary, metric: Metric, given: dict[str, Any], key: object) -> list[Sensitivity]:
    """How rows reach the value; a database gives that, too, as asking once more would cost a scan."""

    def note(value: Array) -> None:
        summary.known_values[key] = unscaled(where_defined(metric, value), summary.scale, metric.units_power)

    row_weight = summary.predictions.row_weight
    return sensitivities(metric, given, row_weight, None if summary.predictions.has_rows else note)


def _joined(summary: Any, metric: Metric, ways: list[Sensitivity], code: int | None) -> Influence:
    """All the ways in which rows reach the value."""
    parts, terms = [], []
    for way in ways:
        if isinstance(way, ByTerms):
            terms.append((metric, way))
        elif isinstance(way, ByCell):
            classes = len(summary.predictions.classes)
            change = way.change.reshape(-1) if code is None else _one_against_rest(way.change[None], code, classes)
            parts.append((summary.label_cells, change))
        elif not way.place:
            assert code is not None
            parts.append(_on_steps(summary, code, way.slopes, as_probability=metric.needs == "probabilities"))
    pairs = [way for way in ways if isinstance(way, ByStep) and way.place]
    in_memory = summary.predictions.has_rows
    parts += [(summary.pair_cells(*way.place), way.slopes) for way in pairs if not in_memory]
    added = [_changes_of_pairs(summary, pairs)] if pairs and in_memory else []
    added += [_changes_of_baseline(summary, metric, way) for _, way in terms if _moves_baseline(summary, metric)]
    return Influence(summary, _added_up(parts), tuple(terms), tuple(added), metric.units_power)


def _added_up(parts: Iterable[tuple[Cells, Array]]) -> dict[Cells, Array]:
    tables: dict[Cells, Array] = {}
    for cells, table in parts:
        tables[cells] = tables[cells] + table if cells in tables else table
    return tables


def _one_against_rest(change: Array, code: int, classes: int) -> Array:
    """For all cells of the confusion matrix what is known of one class against the rest; unit by unit."""
    own = (np.arange(classes) == code).astype(int)
    return change[:, own[:, None], own[None, :]].reshape(-1)


def _on_steps(summary: Summary, code: int, slopes: Array, *, as_probability: bool) -> tuple[Cells, Array]:
    """For the cells of a class's ranking; where that is another one turned, for the cells of that one."""
    turned = summary.turned_steps(code, as_probability=as_probability)
    if turned is None:
        return summary.step_cells(code, as_probability=as_probability), slopes.reshape(-1)
    # Both ways backwards is the same memory from its end.
    table = slopes.reshape(-1)[::-1] if isinstance(turned, slice) else slopes[::-1, turned].reshape(-1)
    return summary.step_cells(1 - code), table


def _changes_of_pairs(summary: Summary, pairs: list[ByStep]) -> Array:
    """Through rankings of two classes each: only their rows take part."""
    truth, total = summary.predictions.truth, np.zeros(summary.predictions.rows)
    rows_of = [np.flatnonzero(truth == code) for code in range(len(summary.predictions.classes))]
    for pair in pairs:
        scores = summary.rows.score(pair.place[0])
        for code, slopes in zip(pair.place, pair.slopes[::-1], strict=True):
            rows = rows_of[code]
            step = steps_of_rows(scores[rows], pair.ranking.scores).clip(0, len(pair.ranking.scores) - 1)
            total[rows] += slopes[step]
    return total


def _of_median(summary: Any, metric: Metric) -> Influence:
    """A median moves by the side a row is on, over the density of rows there."""
    weight, row_weight = float(summary.total_weight[0]), summary.predictions.row_weight
    # Hall and Sheather (1988), for a median and 95%.
    reach = min(0.97 * (weight / row_weight) ** (-1 / 3), 0.45) if weight and row_weight else 0.45
    median = values(metric, summary, 0, None)[0] * summary.scale**metric.units_power
    levels, ranking = [0.5 - reach, 0.5 + reach], summary.ranking_of_term(metric)
    if not summary.predictions.has_rows:
        from referee.scoring.ranked_columns import slopes_about, weighted_quantiles

        low, high = weighted_quantiles(ranking, levels, row_weight)
        table: Any = slopes_about(ranking, median, (high - low) / (2 * reach) / np.float64(2 * weight))
        return Influence(summary, {summary.term_cells(metric): table}, units_power=metric.units_power)
    (term,) = summary.rows.row_terms(metric, summary.baseline).values()
    low, high = _quantiles(ranking, levels, row_weight) if weight else (np.nan, np.nan)
    changes = (high - low) / (2 * reach) * np.sign(term - median) / 2 / weight
    return Influence(summary, {}, added=(changes,), units_power=metric.units_power)


def _quantiles(falling: Ranking, levels: list[float], row_weight: float) -> Array:
    """Straight lines from row to row; rows that tie, or were seen several times, are a level stretch."""
    score, weight = falling.scores[::-1], falling.positives[::-1]
    last = np.cumsum(weight)
    wanted = np.asarray(levels) * last[-1]
    here = np.searchsorted(last, wanted)
    before = np.maximum(here - 1, 0)
    gap = np.where(here > 0, np.minimum(weight[here], row_weight), 0)
    level = last[here] - weight[here] + gap
    share = np.clip(np.divide(level - wanted, gap, out=np.zeros(len(wanted)), where=gap > 0), 0, 1)
    return score[here] - share * (score[here] - score[before])


def _moves_baseline(summary: Summary, metric: Metric) -> bool:
    """Where the yardstick is the mean of the evaluated rows, a row moves it as well."""
    return summary.baseline.used_by(metric) and summary.baseline.is_estimated


def _changes_of_baseline(summary: Summary, metric: Metric, by_terms: ByTerms) -> Array:
    """Through the mean that is the yardstick, or through each class's share."""
    regression, given = summary.predictions.task == "regression", summary.baseline.columns(ALL)
    tape = Tape()
    # A number for each row, so that the sum of all slopes does not depend on the order of the rows.
    leaves = [
        tape.leaf(np.broadcast_to(share, summary.predictions.rows)) for share in ([given] if regression else given)
    ]
    terms = summary.rows.terms_against(metric, lambda: leaves[0] if regression else leaves)
    slopes = zip(terms.values(), by_terms.by_mean[0].tolist(), strict=True)
    moved = [term * slope for term, slope in slopes if isinstance(term, Var)]
    weight = float(by_terms.weight[0])
    if moved:
        value = sum(moved[1:], moved[0])
        backward((value if summary.weight is None else value * summary.weight).sum() / weight)
    total: Array = np.zeros(summary.predictions.rows)
    truth = summary.rows.truth_columns()
    for leaf, column in zip(leaves, [truth] if regression else truth, strict=True):
        if leaf.slope is not None:
            total += exact_total(leaf.slope) * (column - leaf.value) / weight
    return total
