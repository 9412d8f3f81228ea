"""Intervals of metrics that are counted: of shares, and of what is joined from shares."""

from __future__ import annotations

from functools import cache
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import made_up
from referee.catalogue import arguments_of
from referee.engines import Counts
from referee.errors import UsageError
from referee.scoring.counted_changes import ROUNDING, rows_in_cells, run_with_added
from referee.scoring.derivatives import gradient
from referee.scoring.intervals import Spread, clopper_pearson, interval, jeffreys, mover, name_of_interval
from referee.scoring.sensitivity import cell_changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.scoring.metric import Metric

    Cells = tuple[Array, Array]
    """Which cells of a table hold the hits, and which all rows that count."""
    Ends = tuple[float, float]
    Share = tuple[float, float]
    """Hits and rows."""

TABLES, SAME_VALUE = 3, 1e-9

MOST_CLASSES = 3
"""So many show a pattern that holds for more."""


def share_cells(metric: Metric, classes: int) -> Cells | None:
    """The hits and the rows of which the value is the share, in every table; None if it is no share."""
    few = _share_cells(metric, min(classes, MOST_CLASSES))
    return few if few is None or classes <= MOST_CLASSES else _continued(few, classes)


@cache
def _share_cells(metric: Metric, classes: int) -> Cells | None:
    if metric.summaries != ("counts",) or tuple(metric.range) != (0, 1):
        return None
    shares = []
    for table in _tables(classes):
        change = gradient(lambda points: _values(metric, points.reshape(-1, classes, classes)), table.reshape(-1))
        change = change.reshape(classes, classes)
        matters = np.abs(change) > 1e-6 * np.abs(change).max()
        shares.append(((change > 0) & matters, matters))
    hits, rows = shares[0]
    same = all(np.array_equal(hits, other[0]) and np.array_equal(rows, other[1]) for other in shares)
    is_one = same and _is_always(metric, lambda table: table[hits].sum() / table[rows].sum(), classes)
    return (hits, rows) if is_one else None


def _continued(few: Cells, classes: int) -> Cells | None:
    """The same cells of more classes, if all classes are treated alike."""
    right = np.eye(len(few[0]), dtype=bool)
    if any(side[here].min() != side[here].max() for side in few for here in (right, ~right)):
        return None
    hits, rows = (np.where(np.eye(classes, dtype=bool), side[0, 0], side[0, 1]) for side in few)
    return hits, rows


@cache
def is_mean_of_recalls(metric: Metric) -> bool:
    """Whether it is that for any two classes, and for three where it takes them together; along its range."""
    if metric.summaries != ("counts",):
        return False
    low, high = metric.range
    several = "multiclass" in metric.tasks and not metric.per_class

    def mean_recall(table: Array) -> float:
        return float(low + (high - low) * (np.diag(table) / table.sum(axis=1)).mean())

    with np.errstate(all="ignore"):
        return all(_is_always(metric, mean_recall, classes) for classes in ((2, 3) if several else (2,)))


def _is_always(metric: Metric, expected: Callable[[Array], float], classes: int) -> bool:
    tables = _tables(classes)
    try:
        return all(abs(float(_values(metric, table[None])[0]) - expected(table)) < SAME_VALUE for table in tables)
    except UsageError:
        return False  # settings, such as a matrix of costs, are of another number of classes


def _tables(classes: int) -> list[Array]:
    return [*np.floor(1 + 49 * made_up(TABLES, classes, classes))]


def _values(metric: Metric, tables: Array) -> Array:
    given = arguments_of(metric.value, {"counts": lambda: Counts(tables), "positive": lambda: 1})
    with np.errstate(all="ignore"), metric.answerable():
        return np.asarray(metric.value(**given, **metric.formula_settings(metric.value)))


def counted_interval(
    summary: Any, metric: Metric, value: float, code: int | None, alpha: float
) -> tuple[Ends, str] | None:
    """The interval and what it is called; None where the value is something else, or rows are not all alike."""
    if metric.summaries != ("counts",) or not summary.predictions.has_equal_rows:
        return None
    low, high = metric.range
    shares = _shares(summary, metric, code)
    if shares and abs(value - low - (high - low) * np.mean([hits / rows for hits, rows in shares])) < ROUNDING:
        if len(shares) == 1:
            ends, name = clopper_pearson(*shares[0], alpha), EXACT
        else:
            ends, name = mover(shares, [jeffreys(*share, alpha) for share in shares]), JOINED
        return (low + (high - low) * ends[0], low + (high - low) * ends[1]), name
    if metric.cells_added and (counts := _table_of_two(summary, metric, code)) is not None:
        known = run_with_added(summary, metric, code, slice(summary.unit, summary.unit + 1))
        return with_added(metric, counts, value, alpha, summary.predictions.positive, known), SMOOTHED
    return None


def exact_bounds(summary: Any, metric: Metric, alpha: float) -> Ends | None:
    """Between what a value of two classes lies if the share of right calls of each class lies in its exact interval.

    For metrics that gain by every right call. None where there is no table of two classes, or rows are not all alike.
    """
    is_counted = metric.summaries == ("counts",) and summary.predictions.has_equal_rows
    counts = _table_of_two(summary, metric, None) if is_counted else None
    if counts is None:
        return None
    rows = counts.sum(axis=1)
    ends = [clopper_pearson(right, all_, alpha / 2) for right, all_ in zip(np.diag(counts), rows, strict=True)]
    low, high = (_with_right_calls(metric, rows, np.array(right)) for right in zip(*ends, strict=True))
    return low, high


def _with_right_calls(metric: Metric, rows: Array, right: Array) -> float:
    """The value where so large a share of the rows of each class is called rightly."""
    wrong = rows * (1 - right)
    table = np.array([[rows[0] * right[0], wrong[0]], [wrong[1], rows[1] * right[1]]])
    return float(_values(metric, table[None])[0])


EXACT = "Clopper-Pearson"
JOINED = "Jeffreys, joined by MOVER"
AT_A_CUT = ("ks",)
"""Rankings whose value is the difference of two shares at one threshold."""
SMOOTHED = "Fisher's z, a quarter added to each cell"


def kind_of_interval(metric: Metric) -> str:
    """What the interval of a value inside the metric's range is called."""
    if share_cells(metric, 2) is not None:
        return EXACT
    if is_mean_of_recalls(metric):
        return JOINED
    plain = name_of_interval(nan, metric.range)
    if metric.name in AT_A_CUT:
        return f"{JOINED}; of more than two classes {plain}"
    if not metric.cells_added:
        return plain
    return SMOOTHED if "multiclass" not in metric.tasks else f"{SMOOTHED}; of more than two classes {plain}"


def _shares(summary: Any, metric: Metric, code: int | None) -> list[Share]:
    """The shares of rows that the value is, or is the mean of; none if it is something else."""
    if is_mean_of_recalls(metric):
        counts = _of_one_class(summary, metric, code)
        if counts is None:
            return []
        return [(hits, rows) for hits, rows in zip(np.diag(counts), counts.sum(axis=1), strict=True) if rows]
    average = metric.settings.get("average") if code is None else None
    counts = _of_one_class(summary, metric, code) if average is None else None
    if counts is not None:
        cells = share_cells(metric, len(counts))
        return [] if cells is None else _counted(counts, [cells])
    return _shares_of_classes(summary, metric, together=average in ("micro", "weighted"))


def _shares_of_classes(summary: Any, metric: Metric, *, together: bool) -> list[Share]:
    """Each class against the rest, if no row takes part in the shares of two."""
    counts, cells = rows_in_cells(summary.counts.matrix[0], summary.predictions.row_weight), share_cells(metric, 2)
    if cells is None:
        return []
    own = np.eye(len(counts), dtype=int)[:, :, None] | np.zeros((1, 1, len(counts)), int)
    place = own, own.transpose(0, 2, 1)  # for each class: whether a cell's true class is it, and its predicted one
    hits, rows = (side[place] for side in cells)
    if rows.sum(axis=0).max() > 1:
        return []
    if together:
        return _counted(counts, [(np.any(hits, axis=0), np.any(rows, axis=0))])
    return _counted(counts, list(zip(hits, rows, strict=True)))


def _counted(counts: Array, cells: list[tuple[Array, Array]]) -> list[Share]:
    counted = [(float(counts[hits].sum()), float(counts[rows].sum())) for hits, rows in cells]
    return counted if all(rows for _, rows in counted) else []


def _of_one_class(summary: Any, metric: Metric, code: int | None) -> Array | None:
    """The table that the formula is given: of all classes, or of one against the rest; None if it is given several."""
    code = summary.predictions.positive if code is None else code
    if metric.per_class and code is None:
        return None
    counts = summary.counts.against_rest(code) if metric.per_class else summary.counts
    return rows_in_cells(counts.matrix[0], summary.predictions.row_weight)


def _table_of_two(summary: Any, metric: Metric, code: int | None) -> Array | None:
    average = metric.settings.get("average") if code is None else None
    counts = None if average else _of_one_class(summary, metric, code)
    return counts if counts is not None and len(counts) == 2 else None


def with_added(
    metric: Metric,
    counts: Array,
    value: float,
    alpha: float,
    positive: int | None = 1,
    known: tuple[Array, Array] | None = None,
) -> Ends:
    """With a little in each cell, for the centre and for its variance: an empty cell is no certainty.

    `known` are value and changes there, if the formula was run for that before.
    """
    rows = counts + metric.cells_added
    (centre,), (slopes,) = cell_changes(metric, rows[None], positive) if known is None else known
    change = slopes - (slopes * rows).sum() / rows.sum()
    spread = Spread(float((rows * change**2).sum()), inf)
    low, high = interval(float(centre), spread, metric.range, alpha, nan)
    return min(low, value), max(high, value)
