"""Queries: expressions of a database's columns, and who answers them."""

from __future__ import annotations

from contextlib import contextmanager
from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from referee.document import Progress
from referee.errors import InputError, UsageError
from referee.predictions.file_stamps import Stamps
from referee.predictions.formats import heeding_signals, readable
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from referee.arrays import Array, Column

FLOAT = "float64"
EXTREMES = "_extremes"
"""Of each model's numbers, as far as they are known; kept beside predictions, which are what they are."""


def number(value: float) -> Column:
    """A number with all its digits; SQL would read 0.1 as a decimal, and turn 17 digits of it into a near float."""
    import ibis

    return ibis.literal(repr(float(value))).cast(FLOAT)


def lookup(column: Column, values: Mapping[Any, Any]) -> Column:
    """What each value of a column stands for; nan becomes NULL, which compares as NumPy's nan does: never true."""
    import ibis

    if not values:
        return ibis.null(FLOAT)
    pairs = [(_as_literal(key), _as_literal(value)) for key, value in values.items()]
    return column.cases(*pairs)


def _as_literal(value: Any) -> Any:
    import ibis

    if not isinstance(value, float):
        return ibis.literal(value)
    return ibis.null(FLOAT) if isnan(value) else number(value)


def table_of(column: Column) -> Any:
    """The table that a column belongs to."""
    (table,) = column.op().relations
    return table.to_expr()


@dataclass(frozen=True, eq=False)
class Answering:
    """Who runs the queries about a table, where Ibis has no connection of its own."""

    dialect: str
    answer: Callable[[str, str, pa.Schema], pa.Table]
    """Runs SQL that calls the table by a name; its result has the columns of a schema."""
    room: int | None = None
    """Bytes that this process may take, where the user said so."""


_answering: WeakKeyDictionary[Any, Answering] = WeakKeyDictionary()
"""By the table that stands for what is asked."""


def answered_table(schema: Any, answering: Answering) -> Any:
    """An Ibis table whose queries somebody else runs; its name is its own, as equal tables would be one."""
    import ibis

    table = ibis.table(schema, name=ibis.util.gen_name("referee"))
    _answering[table.op()] = answering
    return table


def table_of_relation(
    relation: Any, source: str, stamps: Stamps | None = None, folder: object = None, room: int | None = None
) -> Any:
    """An Ibis table for a DuckDB relation, whose connection is its own, and so may be its files and their folder."""
    import ibis
    import pyarrow as pa

    with readable(source):
        kinds = relation.limit(0).to_arrow_table().schema.types
    stamps = stamps or Stamps(())
    fields = [pa.field(column, kind) for column, kind in zip(relation.columns, kinds, strict=True)]

    def answer(sql: str, name: str, schema: pa.Schema, _: object = folder) -> pa.Table:
        with stamps.unchanged(), readable(source):
            return pa.RecordBatchReader.from_stream(relation.query(name, sql)).read_all().cast(schema)

    return answered_table(ibis.Schema.from_pyarrow(pa.schema(fields)), Answering("duckdb", answer, room))


def _asked(expression: Any) -> tuple[Any, Answering] | None:
    """The table that a query is about, and who runs it, where Ibis does not."""
    import ibis.expr.operations as ops

    tables = expression.op().find(ops.UnboundTable)
    return next(((table, _answering[table]) for table in tables if table in _answering), None)


def room_of(column: Column) -> int | None:
    """How many bytes this process may take for what a column's table is asked, where the user said so."""
    asked = _asked(column)
    return None if asked is None else asked[1].room


def dialect_of(column: Column) -> str:
    """The SQL that is spoken where a column is."""
    asked = _asked(column)
    return str(column.get_backend().name) if asked is None else asked[1].dialect


def fetch_table(expression: Any) -> pa.Table:
    """Run a query; its result as an Arrow table."""
    import ibis

    with Progress(None, "waiting for the database"):
        if (asked := _asked(expression)) is not None:
            table, answering = asked
            sql = str(ibis.to_sql(expression, dialect=answering.dialect))
            return answering.answer(sql, table.name, expression.schema().to_pyarrow())
        with _of_drivers():
            return expression.to_pyarrow()


OWN = frozenset(("builtins", "ibis", "pyarrow", "sqlglot"))
"""Packages whose errors are ours: they write the queries."""

LACKING = ("OperationNotDefinedError", "UnsupportedOperationError", "UnsupportedBackendType")
"""What Ibis says of a backend that cannot do what others can."""


@contextmanager
def _of_drivers() -> Iterator[None]:
    """Say of what the driver of a user's own connection says that the database said it."""
    try:
        with heeding_signals():
            yield
    except Exception as error:
        driver = type(error).__module__.partition(".")[0]
        said = str(error).strip().partition("\n")[0] or type(error).__name__
        if driver == "ibis" and type(error).__name__ in LACKING:
            what = f"the database has no words for a query that this takes: {said}"
            raise UsageError("E_DATABASE", what, hint="--engine memory reads the rows") from error
        if driver in OWN:
            raise
        raise InputError("E_DATABASE", f"the database did not answer a query ({driver}): {said}") from error


def fetch(expression: Any) -> dict[str, Array]:
    """Run a query; its result as arrays by name."""
    rows = fetch_table(expression)
    return {name: rows.column(name).to_numpy() for name in rows.column_names}


def fetch_row(expression: Any) -> dict[str, Any]:
    """Run a query that gives one row."""
    (row,) = fetch_table(expression).to_pylist()
    return dict(row)


class Operations:
    """The array operations that row terms are written in, as expressions of a database."""

    nan, inf = nan, inf

    def where(self, condition: Column, yes: Any, no: Any) -> Column:
        return condition.ifelse(_column(yes), _column(no))

    def abs(self, column: Any) -> Column:
        return _column(column).abs()

    def log(self, column: Any) -> Column:
        """Of 0 minus infinity, as NumPy has it; some databases stop there."""
        column = _column(column)
        if _is_positive(column.op()):
            return column.ln()
        is_positive = column > 0
        of_others = (column == 0).ifelse(number(-inf), number(nan))
        return is_positive.ifelse(is_positive.ifelse(column, number(1)).ln(), of_others)

    def sqrt(self, column: Any) -> Column:
        column = _column(column)
        return (column >= 0).ifelse((column >= 0).ifelse(column, number(0)).sqrt(), number(nan))

    def exp(self, column: Any) -> Column:
        return _column(column).exp()

    def square(self, column: Any) -> Column:
        return _column(column) * _column(column)

    def sign(self, column: Any) -> Column:
        return _column(column).sign().cast(FLOAT)

    def maximum(self, a: Any, b: Any) -> Column:
        import ibis

        return ibis.greatest(_column(a), _column(b))

    def minimum(self, a: Any, b: Any) -> Column:
        import ibis

        return ibis.least(_column(a), _column(b))

    def clip(self, column: Any, low: Any, high: Any) -> Column:
        return self.minimum(self.maximum(column, low), high)

    def __getattr__(self, name: str) -> Any:
        raise UsageError(
            "E_OPERATION",
            f"xp.{name} is not available in databases",
            hint="row terms may use where, abs, log, sqrt, exp, square, sign, maximum, minimum and clip",
        )


def _is_positive(operation: Any) -> bool:
    """Whether it is the larger of something and a positive number."""
    import ibis.expr.operations as ops

    return isinstance(operation, ops.Greatest) and any(map(_is_positive_number, operation.arg))


def _is_positive_number(operation: Any) -> bool:
    """As `number` writes it."""
    import ibis.expr.operations as ops

    return isinstance(operation, ops.Cast) and isinstance(operation.arg, ops.Literal) and float(operation.arg.value) > 0


def _column(value: Any) -> Column:
    return number(value) if isinstance(value, int | float) else value
