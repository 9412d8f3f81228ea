"""Rows: what a scheme may know of the rows that it splits; and rows that stay together."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import counted
from referee.errors import InputError, UndefinedError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting.splits import Split


def column_of(values: Any, name: str, kind: str = "E_MISSING") -> Array:
    """One value of each row; a missing one is refused with its row."""
    column = np.asarray(values)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise UsageError("E_LENGTH", f"{name} has the shape {column.shape}; one value for each row is needed")
    missing = _missing(column)
    if missing.any():
        raise InputError(kind, f"{name} is missing in row {int(missing.argmax()) + 1}")
    return column


def _missing(column: Array) -> Array:
    if column.dtype.kind == "O":
        # Of all values only NaN, NaT and the like differ from themselves; pandas' NA refuses to say.
        return np.array([value is None or type(value).__name__ == "NAType" or value != value for value in column], bool)  # noqa: PLR0124
    if column.dtype.kind in "fcM":
        return np.asarray(column != column)  # noqa: PLR0124
    return np.zeros(len(column), bool)


def codes_of(values: Any, name: str) -> tuple[Array, tuple[str, ...]]:
    """The number of each value from 0 in the order of the values, and the values as they are shown."""
    column = column_of(values, name)
    if column.dtype.kind == "O":
        column = np.array([_shown(value) for value in column])
    distinct, codes = np.unique(column, return_inverse=True)
    return codes, tuple(_shown(value) for value in distinct)


def classes_of(y: Any) -> tuple[Array, tuple[str, ...]] | None:
    """The class of each row and their names; None where y holds numbers with fractions."""
    column = column_of(y, "y")
    if column.dtype.kind == "O" and all(isinstance(value, Number) for value in column):
        column = column.astype(float)
    if column.dtype.kind == "f" and (column % 1 != 0).any():
        return None
    return codes_of(column, "y")


def _shown(value: Any) -> str:
    whole = isinstance(value, float | np.floating) and value.is_integer()
    return str(int(value)) if whole else str(value)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moments_of(values: Any, column: str = "time") -> Array:
    """Which moment each row is of, from 0 for the earliest; rows of the same moment have the same number.

    >>> moments_of(["2024-03-01", "2024-01-01T12:00", "2024-03-01T00:00"])
    array([1, 0, 1])
    """
    name = f"column {column!r}"
    times = column_of(values, name, "E_TIME")
    if times.dtype.kind in "OUS":
        times = np.array(_microseconds([_read(value, name, row) for row, value in enumerate(times, 1)], name))
    elif times.dtype.kind not in "biufM":
        raise InputError("E_TIME", f"{name} holds {times.dtype}, not times")
    return np.unique(times, return_inverse=True)[1]


def _read(value: Any, name: str, row: int) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    text = value.decode() if isinstance(value, bytes) else str(value)
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            "E_TIME",
            f"{name}, row {row}: {text[:40]!r} is neither a number nor a date",
            hint="write dates as 2024-12-31 or 2024-12-31T23:59:59Z",
        ) from None


def _microseconds(times: Sequence[datetime], name: str) -> list[int]:
    """Since 1970; times with a zone cannot be put in order with times without one."""
    zoned = np.array([moment.utcoffset() is not None for moment in times], bool)
    if zoned.any() and not zoned.all():
        few = zoned if zoned.mean() <= 0.5 else ~zoned
        row = int(few.argmax()) + 1
        has, others = ("a", "do not have one") if zoned[row - 1] else ("no", "have one")
        raise InputError(
            "E_TIME",
            f"{name}, row {row} has {has} time zone, and other rows {others}: their order is not known",
            hint="write all times with a time zone, or all without",
        )
    since = (moment if moment.utcoffset() is not None else moment.replace(tzinfo=UTC) for moment in times)
    return [(moment - EPOCH) // timedelta(microseconds=1) for moment in since]


@dataclass(frozen=True, eq=False)
class Rows:
    """How many rows there are, and what is known of each.

    >>> rows = Rows.of(None, ["no", "yes", "no"])
    >>> rows.count, rows.classes, rows.strata
    (3, ('no', 'yes'), array([0, 1, 0]))
    """

    count: int
    labels: Array | None = None
    """The class of each row, where the target has classes."""
    classes: tuple[str, ...] = ()
    groups: Array | None = None
    moments: Array | None = None
    seed: int = 0
    cell: tuple[int, ...] = ()
    """Which split these are the training rows of, where they are not all rows."""
    what: str = "row"
    """What one of them is called: a row, or a group of rows."""
    given: tuple[Any, Any, Any] | None = None
    """The table, target and groups as they were given, for splitters that look at them."""

    @classmethod
    def of(cls, X: Any, y: Any = None, groups: Any = None, time: Any = None, *, seed: int = 0) -> Rows:  # noqa: N803 (as scikit-learn has it)
        count = _length(X if X is not None else y)
        for name, column in {"y": y, "groups": groups, "time": time}.items():
            if column is not None and _length(column) != count:
                raise UsageError("E_LENGTH", f"{name} has {_length(column):,} values for {counted(count, 'row')}")
        labels, classes = (None if y is None else classes_of(y)) or (None, ())
        group = None if groups is None else codes_of(groups, "the group")[0]
        moment = None if time is None else moments_of(time)
        return cls(count, labels, classes, group, moment, seed, given=(X, y, groups))

    @property
    def strata(self) -> Array:
        """What is to be shared out evenly: the classes, or nothing."""
        return np.zeros(self.count, np.int64) if self.labels is None else self.labels

    def random(self, repeat: int) -> np.random.RandomState:
        """The stream of one repeat, whatever was drawn before or beside it; NumPy keeps it the same for ever."""
        key = np.random.SeedSequence(self.seed % 2**64, spawn_key=(*self.cell, repeat))
        return np.random.RandomState(np.random.Philox(key))

    def within(self, split: Split) -> Rows:
        """The training rows of a split as rows of their own; copies of a row stay together."""
        groups = self.groups
        if groups is None and len(np.unique(split.train)) < len(split.train):
            groups = np.arange(self.count)
        labels, groups, moments = (
            None if column is None else column[split.train] for column in (self.labels, groups, self.moments)
        )
        cell = (*self.cell, split.repeat, split.fold)
        return replace(
            self, count=len(split.train), labels=labels, groups=groups, moments=moments, cell=cell, given=None
        )

    def rarest(self) -> tuple[str, int]:
        """The class with the fewest rows, or in the fewest groups; and their number."""
        strata = self.strata
        if self.groups is not None:
            classes = int(strata.max()) + 1
            strata = np.unique(self.groups.astype(np.int64) * classes + strata) % classes
        codes, counts = np.unique(strata, return_counts=True)
        return (self.classes[codes[counts.argmin()]] if self.classes else ""), int(counts.min())

    def refuse_folds(self, k: int, pieces: int | None = None, what: str | None = None) -> None:
        """Refuse more folds than there are rows, or other pieces that are not divided."""
        pieces, what = self.count if pieces is None else pieces, what or self.what
        if k > pieces:
            raise UndefinedError(
                "E_FOLDS",
                f"{counted(k, 'fold')} cannot be made of {counted(pieces, what)}",
                hint=f"at most {counted(pieces, 'fold')}: k={pieces}" if pieces > 1 else None,
            )

    def refuse_folds_of_classes(self, k: int) -> None:
        """Refuse more folds than can have a row of each class."""
        self.refuse_folds(k)
        name, pieces = self.rarest()
        if k > pieces:
            what = f"{counted(pieces, 'row')} of" if self.groups is None else f"{counted(pieces, 'group')} with"
            fewer = f"at most {counted(pieces, 'fold')} (k={pieces}); " if pieces > 1 else ""
            raise UndefinedError(
                "E_FOLDS",
                f"{counted(k, 'fold')}, but only {what} class {name!r}: a fold would have none",
                hint=f"{fewer}k_fold and random_subsampling do not need a row of every class in every fold",
            )


def _length(table: Any) -> int:
    if table is None:
        raise UsageError("E_USAGE", "nothing to split: give X, y or both")
    return int(table.shape[0]) if hasattr(table, "shape") else len(table)


class Together:
    """Rows that are not divided: those of a group, or of a moment."""

    def __init__(self, codes: Array) -> None:
        _, self.piece = np.unique(codes, return_inverse=True)
        self.sizes = np.bincount(self.piece)
        self._order = np.argsort(self.piece, kind="stable")
        self._starts = np.cumsum(self.sizes) - self.sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def as_rows(self, rows: Rows) -> Rows:
        """The pieces as if each was a row, of the class that most of its rows have."""
        labels = None if rows.labels is None else self._commonest(rows.labels)
        return replace(rows, count=len(self), labels=labels, groups=None, what="group", given=None)

    def _commonest(self, labels: Array) -> Array:
        classes = int(labels.max()) + 1
        pairs, counts = np.unique(self.piece.astype(np.int64) * classes + labels, return_counts=True)
        by_count = pairs[np.lexsort((-pairs, counts, pairs // classes))]
        last = np.append(np.diff(by_count // classes) > 0, True)
        return np.asarray(by_count[last] % classes)

    def rows(self, pieces: Array) -> Array:
        """All rows of the pieces, in their order in the table; as often as a piece is named."""
        sizes = self.sizes[pieces]
        shift = np.repeat(self._starts[pieces] - (np.cumsum(sizes) - sizes), sizes)
        return np.sort(self._order[shift + np.arange(len(shift))])

    def expanded(self, split: Split) -> Split:
        """A split of pieces as a split of their rows."""
        return split.moved(self.rows)
