"""What one more row in a cell of a confusion matrix changes: one run of a formula for all models, classes and units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import known_as
from referee.scoring.formula import where_defined
from referee.scoring.sensitivity import cell_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.arrays import Array
    from referee.scoring.metric import Metric

ROUNDING = 1e-9
CLASS_TABLES = "tables of classes"


def run_together(summaries: Sequence[Any], metrics: Iterable[Metric]) -> None:
    """Run each counts formula once for several models: what it costs hangs on the formula, hardly on its numbers."""
    for metric in metrics:
        if metric.summaries == ("counts",) and metric.built_in:
            _run(summaries, metric)


def changes_of_tables(summary: Any, metric: Metric) -> Array:
    """By each cell, (unit, table, true, predicted): of the whole matrix, or of each class and at last of their pool."""
    key = _key(metric)
    if key not in summary.kept:
        _run([summary], metric)
    changes: Array = summary.kept[key][0]
    return changes


def run_with_added(summary: Any, metric: Metric, code: int | None, units: slice) -> tuple[Array, Array] | None:
    """Values and changes of tables of two with a little added to each cell; None where the formula was not run."""
    kept: dict[object, Any] = getattr(summary, "kept", {})
    _, with_added = kept.get(_key(metric), (None, None))
    if with_added is None:
        return None
    own = summary.predictions.positive if code is None else code
    values, changes = (part[units, own if metric.per_class else 0] for part in with_added)
    return values, changes


def rows_in_cells(matrices: Array, row_weight: float) -> Array:
    """How many rows are in each cell, without the rounding of sums of weights."""
    rows = matrices / row_weight
    if row_weight == 1 and matrices.dtype.kind in "iu":
        return rows
    whole = np.rint(rows)
    return np.where(np.abs(rows - whole) <= ROUNDING * (1 + whole), whole, rows)


def _key(metric: Metric) -> object:
    return "changes", known_as(metric, -1) if metric.per_class else metric.full_name


def _run(summaries: Sequence[Any], metric: Metric) -> None:
    """Leave values and changes with each summary."""
    every = [_tables(summary, metric) for summary in summaries]
    flat = [tables.reshape(-1, *tables.shape[2:]) for of_summary in every for tables in of_summary]
    positive = 1 if metric.per_class else summaries[0].predictions.positive
    with np.errstate(all="ignore"), metric.answerable():
        values, changes = cell_changes(metric, np.concatenate(flat) if len(flat) > 1 else flat[0], positive)
    start = 0
    for summary, of_summary in zip(summaries, every, strict=True):
        runs: list[tuple[Array, Array]] = []
        for tables in of_summary:
            part = slice(start, start := start + tables.shape[0] * tables.shape[1])
            runs.append((values[part].reshape(tables.shape[:2]), changes[part].reshape(tables.shape)))
        (of_tables, moved), *with_added = runs
        summary.kept[_key(metric)] = moved, with_added[0] if with_added else None
        _keep_values(summary, metric, where_defined(metric, of_tables))


def _keep_values(summary: Any, metric: Metric, of_tables: Array) -> None:
    if metric.per_class:
        codes = range(len(summary.predictions.classes))
        summary.known_values |= {known_as(metric, code): of_tables[:, code] for code in codes}
    else:
        summary.known_values[metric.full_name] = of_tables[:, 0]


def _tables(summary: Any, metric: Metric) -> list[Array]:
    """What the formula is given, and the same with a little added to each cell: (unit, table, true, predicted) each."""
    own = _of_classes(summary) if metric.per_class else summary.counts.matrix[:, None]
    if not _takes_added(summary, metric):
        return [own]
    alone = own[:, :-1] if metric.per_class else own
    return [own, rows_in_cells(alone, summary.predictions.row_weight) + metric.cells_added]


def _takes_added(summary: Any, metric: Metric) -> bool:
    of_two = metric.per_class or len(summary.predictions.classes) == 2
    return bool(metric.cells_added and of_two and summary.predictions.has_equal_rows)


def _of_classes(summary: Any) -> Array:
    """One class against the rest, for every class, and at last all of them pooled."""
    if CLASS_TABLES not in summary.kept:
        codes = range(len(summary.predictions.classes))
        each = [summary.counts.against_rest(code).matrix for code in codes]
        summary.kept[CLASS_TABLES] = np.stack([*each, np.sum(each, axis=0)], axis=1)
    tables: Array = summary.kept[CLASS_TABLES]
    return tables
