"""Whether a value is a share of rows, or a mean of the classes' recalls: found from its formula."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from referee.arguments import arguments_of
from referee.errors import UsageError
from referee.influence.derivatives import gradient
from referee.summaries import Counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.metric import Metric

    Cells = tuple[Array, Array]
    """Which cells of a table hold the hits, and which all rows that count."""

TABLES, ROUNDING = 3, 1e-9
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
    found = []
    for table in _tables(classes):
        change = gradient(lambda points: _values(metric, points.reshape(-1, classes, classes)), table.reshape(-1))
        change = change.reshape(classes, classes)
        matters = np.abs(change) > 1e-6 * np.abs(change).max()
        found.append(((change > 0) & matters, matters))
    hits, rows = found[0]
    same = all(np.array_equal(hits, other[0]) and np.array_equal(rows, other[1]) for other in found)
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
        return all(abs(float(_values(metric, table[None])[0]) - expected(table)) < ROUNDING for table in tables)
    except UsageError:
        return False  # settings, such as a matrix of costs, are of another number of classes


def _tables(classes: int) -> list[Array]:
    draw = np.random.default_rng(0)
    return [draw.integers(1, 50, (classes, classes)).astype(float) for _ in range(TABLES)]


def _values(metric: Metric, tables: Array) -> Array:
    given = arguments_of(metric.value, {"counts": lambda: Counts(tables), "positive": lambda: 1})
    with np.errstate(all="ignore"), metric.answerable():
        return np.asarray(metric.value(**given, **metric.formula_settings(metric.value)))
