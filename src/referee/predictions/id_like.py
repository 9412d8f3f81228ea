"""Columns that are no predictions: ids, counts of the rows, times, folds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import distinct
from referee.errors import InputError
from referee.predictions.cells import is_numeric, numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table

FIRST_ROWS = 1000
"""So many rows tell what a column is, in whatever piece of a source they come."""
FEWEST_ROWS = 10
"""Of fewer, predictions may happen to be 1, 2, 3."""
MANY_ROWS, MOST_CLASSES = 100, 20
"""Whole numbers that differ in so many rows are ids where the truth is one of a few classes, unless they rank these."""
TELLS_APART = 2.5
"""Standard errors between the mean rank of a class and that of all rows: what ranks have that a model gave."""
ID_NAME = re.compile(
    r"(?i:(.*[_ .-])?(id|idx|index|key|nr|no|row|row_?(id|index|no|nr|num|number)|number|unnamed: ?\d+|level_\d+))"
    r"|__index_level_\d+__|.*[a-z0-9]I[Dd]|"
)
"""What columns of ids are called, or nothing at all."""
TIME_NAME = re.compile(
    r"(?i:(.*[_ .-])?(age|years?|yr|quarter|month|week|weekday|day|hour|minute|date|datetime|time|time_?stamp|epoch)"
    r"(_(of_(year|month|week|day)|ms|s|utc))?)|.*[a-z0-9](Age|Year|Date|Time|Timestamp)"
)
"""What columns of times and ages are called, if they hold whole numbers."""
NOTHING_ELSE = re.compile(r"(?i:age|date|datetime|time|time_?stamp|epoch)")
"""What they are called whatever numbers they hold."""
CORRELATED = 0.3
"""With the truth: what times and ages seldom are, and predictions nearly always."""
EPOCHS = tuple((1e8 * unit, 5e9 * unit) for unit in (1, 1e3, 1e6, 1e9))
"""From 1973 to 2128, in seconds, milliseconds, microseconds and nanoseconds since 1970."""
FOLD_NAME = re.compile(r"(?i:((cv|k|outer|test)[_ .-]?)?(fold|split)s?([_ .-]?(id|idx|index|no|nr|num|number))?)")
"""What columns of the folds of a cross-validation are called."""
NUMBERED = r"^\s*([A-Za-z]+[_ .-]?)?[0-9]+(\.0*)?\s*$"
MOST_FOLDS, UNEVEN = 100, 3
"""Folds have about as many rows each, so the largest has at most so many times the rows of the smallest."""
COUNTS, ID, TIME = "counts the rows as an id does", "looks like an id", "looks like a time or an age"
FOLD = "looks like the folds of a cross-validation"


def with_id_like(sources: Sequence[AlignedTable], roles: Roles) -> Roles:
    """Look for columns that are no models unless they are named; only the first rows of the sources are needed."""
    if roles.id_like is not None:
        return roles
    if roles.models is not None or roles.columns or roles.labels:
        return replace(roles, id_like={})
    heads = [_head(source.table) for source in sources]
    names = dict.fromkeys(name for head in heads for name in head.columns.column_names if name not in roles.taken)
    looks = {name: [_look(head, name, roles) for head in heads if name in head.columns.column_names] for name in names}
    return replace(roles, id_like={name: each[0] for name, each in looks.items() if each[0] and all(each)})


def _head(table: Table) -> Table:
    return replace(table, columns=table.columns.slice(0, FIRST_ROWS), row_numbers=None)


def _look(head: Table, column: str, roles: Roles) -> str | None:
    """What a column looks like; None if it may hold predictions."""
    values = _numbers(head, column)
    if values is None or not len(values):
        return None
    truth = _numbers(head, roles.truth) if roles.truth in head.columns.column_names else None
    if truth is not None and _predicts(values, truth):
        return None
    whole = np.array_equal(values, np.floor(values))
    if whole and len(values) >= FEWEST_ROWS and bool((np.diff(values) == 1).all()):
        return COUNTS
    if looks_like_folds(head, column):
        return FOLD
    is_shuffled = whole and _are_shuffled_ids(values) and not _ranks(values, head, roles.truth)
    if is_shuffled or (whole and ID_NAME.fullmatch(column.strip()) and not _are_labels(values, truth)):
        return ID
    return TIME if _is_time(column.strip(), values, truth, whole=whole) else None


def looks_like_folds(table: Table, column: str) -> bool:
    """By its name, and by a few numbers, or texts that end in them, which about as many rows have each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not FOLD_NAME.fullmatch(column.strip()):
        return False
    cells = table.columns.column(column)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    counts = pc.value_counts(cells.combine_chunks())
    rows = counts.field("counts").to_numpy()
    numbered = pc.all(pc.match_substring_regex(counts.field("values").cast(pa.string()), NUMBERED), skip_nulls=False)
    few = 2 <= len(rows) <= min(MOST_FOLDS, table.rows // 2)
    return few and bool(numbered.as_py()) and int(rows.max()) <= UNEVEN * int(rows.min())


def _are_shuffled_ids(values: Array) -> bool:
    """Whether no two rows of many have the same number."""
    return len(values) >= MANY_ROWS and len(np.unique(values)) == len(values)


def _ranks(values: Array, head: Table, truth: str) -> bool:
    """Whether it ranks the rows by the truth, as the ranks of a model do: by the rank sum of its commonest label."""
    if truth not in head.columns.column_names:
        return True
    labels = np.asarray(head.columns[truth].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False))
    inside = labels == np.bincount(labels[labels >= 0].astype(np.int64)).argmax()
    rows, ones = len(values), int(inside.sum())
    if not 0 < ones < rows:
        return True
    expected, variance = ones * (rows + 1) / 2, ones * (rows - ones) * (rows + 1) / 12
    rank_sum = float((np.argsort(np.argsort(values)) + 1)[inside].sum())
    return abs(rank_sum - expected) > TELLS_APART * variance**0.5 or len(np.unique(labels)) > MOST_CLASSES


def _numbers(head: Table, column: str) -> Array | None:
    if not is_numeric(head, column):
        return None
    try:
        return numbers(head, column)
    except InputError:  # a missing cell: its error belongs to the models
        return None


@np.errstate(over="ignore", invalid="ignore")  # numbers whose sum is beyond all numbers predict nothing
def _predicts(values: Array, truth: Array) -> bool:
    """Whether it is nearer to the truth than the truth's mean is, as predictions of numbers are."""
    errors, spread = np.abs(values - truth), np.abs(truth - truth.mean())
    return bool(errors.mean() < spread.mean()) and len(distinct(truth)) > 2


def _are_labels(values: Array, truth: Array | None) -> bool:
    """Whether it may hold decisions: 0 and 1, or labels that repeat."""
    labels = distinct(values)
    if np.isin(labels, (0, 1)).all():
        return True
    return truth is not None and len(labels) < len(values) and bool(np.isin(labels, truth).all())


def _is_time(column: str, values: Array, truth: Array | None, *, whole: bool) -> bool:
    """By its name where its numbers are no probabilities, or by numbers that only times have."""
    if truth is not None and _follows(values, truth):
        return False
    if NOTHING_ELSE.fullmatch(column) or (whole and TIME_NAME.fullmatch(column)):
        return bool(values.min() < 0 or values.max() > 1) and not _are_labels(values, truth)
    return whole and len(values) >= FEWEST_ROWS and (_are_epochs(values) or _are_dates(values))


def _follows(values: Array, truth: Array) -> bool:
    """Whether it is on the scale of a truth of numbers, and rises with it or is always the same."""
    if len(distinct(truth)) <= 2 or not truth.min() <= np.median(values) <= truth.max():
        return False
    with np.errstate(all="ignore"):  # numbers whose squares are too large follow nothing
        return not np.ptp(values) or float(np.corrcoef(values, truth)[0, 1]) > CORRELATED


def _are_epochs(values: Array) -> bool:
    return any(bool(((low <= values) & (values < high)).all()) for low, high in EPOCHS)


def _are_dates(values: Array) -> bool:
    """Written as 20241231."""
    year, month, day = values // 10_000, values // 100 % 100, values % 100
    is_date = (year >= 1900) & (year < 2100) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(is_date.all())
