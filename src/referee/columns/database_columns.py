"""Columns of a database table: what metrics do with them, and how small results of queries are fetched."""

from __future__ import annotations

from math import inf, isnan, nan
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array, Column

FLOAT = "float64"


def number(value: float) -> Column:
    """A number with all its digits; SQL would read 0.1 as a decimal, and turn 17 digits of it into a near float."""
    import ibis

    return ibis.literal(repr(float(value))).cast(FLOAT)


def lookup(column: Column, found: Mapping[Any, Any]) -> Column:
    """What each value of a column stands for; nan becomes NULL, which compares as NumPy's nan does: never true."""
    import ibis

    if not found:
        return ibis.null(FLOAT)
    pairs = [(_as_literal(key), _as_literal(value)) for key, value in found.items()]
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


_relations: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""DuckDB relations by the table that stands for them: they run queries themselves."""


def table_of_relation(relation: Any) -> Any:
    """An Ibis table for a DuckDB relation, whose connection is its own."""
    import ibis

    fields = dict(zip(relation.columns, relation.limit(0).to_arrow_table().schema.types, strict=True))
    schema = ibis.Schema.from_pyarrow(_arrow_schema(fields))
    table = ibis.table(schema, name=ibis.util.gen_name("relation"))
    _relations[table.op()] = relation
    return table


def _arrow_schema(fields: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    return pa.schema([pa.field(name, kind) for name, kind in fields.items()])


def fetch_table(expression: Any) -> Any:
    """Run a query; its result as an Arrow table."""
    import ibis
    import ibis.expr.operations as ops
    import pyarrow as pa

    for table in expression.op().find(ops.UnboundTable):
        if table in _relations:
            sql = str(ibis.to_sql(expression, dialect="duckdb"))
            rows = pa.RecordBatchReader.from_stream(_relations[table].query(table.name, sql)).read_all()
            return rows.cast(expression.schema().to_pyarrow())
    return expression.to_pyarrow()


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
            f"xp.{name} is not known to databases",
            hint="row terms may use where, abs, log, sqrt, exp, square, sign, maximum, minimum and clip",
        )


def _column(value: Any) -> Column:
    return number(value) if isinstance(value, int | float) else value
