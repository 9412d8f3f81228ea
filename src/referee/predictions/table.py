"""Table: columns of cells as they were read, and values of Python as such columns."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import field
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, get_args

from referee.errors import CallError, InputError, UsageError, did_you_mean
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa


Engine = Literal["auto", "memory", "stream", "database", "spark"]
FEW_ROWS = 100_000
"""A table of a database with no more is read by `evaluate`, as rows give every interval and sums only some."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a source; None means that it is detected from the content.

    >>> ReadOptions(delimiter=";", decimal=",").decimal
    ','
    """

    table: str | None = None
    sql: str | None = None
    """A query whose result is the table, instead of `table`."""
    timeout: float | None = None
    """Seconds that a server may take for one query (default: 10 minutes)."""
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str = "."
    max_memory: int | None = None
    engine: Engine = "auto"
    """Where rows are summed up: here, here in batches, or where they are; of Parquet also by DuckDB or Spark."""
    push_down: bool = True
    """Whether sums over rows are enough for what is asked; the functions that ask say so."""
    why_rows: str | None = None
    """Why a comparison takes rows and not their sums, where that is so; the functions say so."""
    read_up_to: int = 0
    """So many rows of a database are read all the same, where they say more than their sums; the functions say so."""
    compares: bool = False
    """Whether models are compared, which rows in batches do not allow; the functions say so."""
    say: Callable[[str], None] | None = None
    """Is told of a large scan before it begins: who makes it, of how many rows and bytes."""
    model: str | None = None
    """Whose results a file holds that is of one model (default: as the file says, or by its name)."""

    def __post_init__(self) -> None:
        if self.engine not in get_args(Engine):
            near = did_you_mean(self.engine, get_args(Engine))
            raise UsageError("E_ENGINE", f"there is no engine {self.engine!r}; {near}")
        for name in ("table", "sql", "delimiter", "encoding", "decimal", "model"):
            if not isinstance(getattr(self, name), str | None):
                raise CallError("E_KEYWORD", f"{name}={getattr(self, name)!r} is not text")
        for name in ("timeout", "max_memory"):
            value = getattr(self, name)
            if not isinstance(value, Real | None) or isinstance(value, bool):
                raise CallError("E_KEYWORD", f"{name}={value!r} is not a number")
            if value is not None and not float(value) > 0:
                raise UsageError("E_PARAMETER", f"{name}={value!r} must be a positive number")


@dataclass(frozen=True)
class Told:
    """What a file says of itself, where the user says nothing.

    >>> Told("J48", {"truth": "actual"}).roles
    {'truth': 'actual'}
    """

    model: str
    """Whose results they are."""
    roles: Mapping[str, Any]
    """By the keywords that a user would say."""
    scores: Sequence[str] = ()
    """Columns of scores, of which one is compared."""
    benchmark: str = ""
    """What the scores are of: other results of the same model are its next part."""
    lower: frozenset[str] = field(default_factory=frozenset)
    """Scores of which less is better."""


@dataclass(frozen=True)
class Table:
    """Columns of one source.

    `text` is true where every cell is text as written (CSV): numbers are then parsed when a column's role is
    known, so that labels keep their spelling and an error can show the cell.
    """

    name: str
    columns: pa.Table
    text: bool = False
    decimal: str = "."
    notes: tuple[str, ...] = ()
    first_row: int = 1
    """The number of the first row, where this is a part of a larger table."""
    row_numbers: Sequence[int] | None = None
    """The number of each row, where they were picked from a larger table."""
    ids: str | None = None
    """The column that tells rows apart, where they are in no order, as those of a server."""
    is_part: bool = False
    by_position: bool = False
    """Whether its rows are known by their place alone, as those of an array are."""
    told: Told | None = None
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Column -> all values that it may have, where the file declares them."""

    def __post_init__(self) -> None:
        refuse_duplicate_columns(self.name, self.columns.column_names)

    @property
    def rows(self) -> int:
        return int(self.columns.num_rows)

    def row_number(self, place: int) -> int:
        """The number in the source of the row at this place, the first being 1."""
        return self.first_row + place - 1 if self.row_numbers is None else int(self.row_numbers[place - 1])

    def place(self, place: int) -> str:
        """What the row at this place is called."""
        if self.ids is None:
            return f"row {self.row_number(place)}"
        return f"id {self.column(self.ids)[place - 1].as_py()}"

    def counted(self, rows: int) -> str:
        """So many rows, in words; of a part only those seen so far are known."""
        return ("1 row" if rows == 1 else f"{rows:,} rows") + (" so far" if self.is_part else "")

    def column(self, name: str) -> pa.ChunkedArray:
        if self.columns.schema.get_field_index(name) < 0:
            hint = did_you_mean(name, self.columns.column_names)
            raise UsageError("E_NOCOL", f"{self.name} has no column {name!r}; {hint}", hint=hint)
        return self.columns.column(name)


def refuse_duplicate_columns(source: str, names: list[str]) -> None:
    places = defaultdict(list)
    for place, name in enumerate(names, start=1):
        places[name].append(place)
    for name, at in places.items():
        if len(at) > 1:
            where = " and ".join(str(place) for place in at)
            raise InputError(
                "E_DUPCOL",
                f"{source}: duplicate column {name!r} (columns {where})",
                hint="rename one of them; nothing is guessed",
            )


KINDS = (
    (type(None), "missing"),
    (bool, "boolean"),
    (str, "text"),
    (bytes, "binary"),
    (Decimal, "number"),
    (Integral, "number"),
    (Real, "number"),
    (list | tuple, "list"),
    (dict, "struct"),
)


def kind_of(value: object) -> str:
    """Name the kind of a value.

    >>> kind_of(1), kind_of("n/a"), kind_of(True)
    ('number', 'text', 'boolean')
    """
    return next((name for kind, name in KINDS if isinstance(value, kind)), type(value).__name__)


def column_of(values: Sequence[Any], source: str, column: str, first_row: int = 1) -> pa.Array:
    """Make an Arrow array of values of one kind, or raise an InputError with the row of the first of another kind.

    >>> column_of([1, None, 2**63], "preds.db", "id").type
    DataType(uint64)
    """
    import pyarrow as pa

    refuse_mixed(values, source, column, first_row)
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, ValueError, TypeError) as error:
        return _exact_integers(values) if _all_integers(values) else _numbers(values, source, column, error)


def refuse_mixed(values: Sequence[Any], source: str, column: str, first_row: int) -> None:
    if len(set(map(type, values)) - {type(None)}) <= 1:
        return
    first_kind = None
    for row, value in enumerate(values, start=first_row):
        kind = kind_of(value)
        if kind == "missing":
            continue
        first_kind = first_kind or kind
        if kind != first_kind:
            raise mixed_error(source, column, row, value, first_kind)


def mixed_error(source: str, column: str, row: int, value: object, expected: str) -> InputError:
    code = "E_NOTNUM" if (kind_of(value), expected) == ("text", "number") else "E_TYPE"
    plural = expected if expected == "text" else f"{expected}s"
    return InputError(
        code,
        f"{source}: column {column!r}, row {row}: {value!r} is {kind_of(value)}, the rows before hold {plural}",
        hint="a column must hold values of one kind",
    )


def _all_integers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, Integral) for value in values)


def _exact_integers(values: Sequence[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(values, pa.uint64())
    except (pa.ArrowException, OverflowError):
        # Wider than any number type: its digits as text are still exact.
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def _numbers(values: Sequence[Any], source: str, column: str, error: Exception) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    except (TypeError, ValueError, OverflowError):
        message = f"{source}: column {column!r} cannot be read: {error}"
        raise InputError("E_TYPE", message, hint="a column must hold values of one kind") from error


def length_of(what: str, values: Any) -> int:
    """How many values there are; an error where they have no order, or can be seen only once."""
    if not isinstance(values, str | bytes | set | frozenset):
        with suppress(TypeError):
            return len(values)
    raise UsageError(
        "E_SOURCE", f"{what} is not an array but a {type(values).__name__}", hint="give a list or an array"
    )


def shape_of(thing: Any) -> tuple[int, ...]:
    """The lengths of its axes; lists of different lengths are two axes.

    >>> shape_of([0.2, 0.7]), shape_of([[1], [1, 2]])
    ((2,), (2, 2))
    """
    shape = getattr(thing, "shape", None)
    if isinstance(shape, tuple):
        return shape
    import numpy as np

    try:
        return np.shape(thing)
    except ValueError:
        with suppress(ValueError):  # of lists that hold themselves
            return (len(thing), max(np.size(part) for part in thing))
        return (len(thing), 2)
