"""PostgreSQL: tables of a server, asked in a read-only transaction that sees one state of them."""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from weakref import finalize

from referee.errors import InputError, RefereeError, UsageError, WriteError, refuse_without
from referee.predictions import (
    READ,
    Answering,
    InPlace,
    ReadOptions,
    Source,
    Table,
    answered_table,
    bare_address,
    chosen_table,
    columns_of,
    memory_limit,
    named_table,
    quoted,
    refuse_beyond,
    refuse_duplicate_columns,
    say_scan,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    import psycopg
    import pyarrow as pa

    from referee.predictions import Run, WrittenTable

TIMEOUT = 600.0
"""Seconds for one query; a server has other users."""
LONGEST = 2**31 - 1
"""Milliseconds that the server knows; 0 would be no limit."""
CONNECTING = 15
WHERE = (
    "the password comes from PGPASSWORD, ~/.pgpass or PGSERVICEFILE, the rest from the address or PGHOST, PGUSER ..."
)
RIGHTS = "the role needs SELECT and INSERT on the table, and CREATE on its schema only where it is not there yet"
TABLES = """
SELECT n.nspname, c.relname, pg_catalog.pg_table_is_visible(c.oid),
       pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
"""
KINDS = {
    "bool": "boolean", "int2": "int16", "int4": "int32", "int8": "int64", "float4": "float32", "float8": "float64",
    "numeric": "decimal", "text": "string", "varchar": "string", "bpchar": "string", "name": "string", "date": "date",
    "timestamp": "timestamp", "timestamptz": "timestamp('UTC')",
}  # fmt: skip
"""PostgreSQL's types as Ibis calls them; any other is read as text."""
PLAIN_USER = re.compile(r"[^:/?#@]*")
QUERY = "a query"
CANCELLED, NO_RIGHT, WRONG_SQL = "57014", "42501", "42"
"""States, as the SQL standard and PostgreSQL call them; a class of them has two letters."""
CELL = 8
"""Bytes of a cell, at least."""


class Session:
    """A connection that reads, and what is asked of it: one table, or a query of the user's."""

    def __init__(self, source: str, options: ReadOptions) -> None:
        refuse_without("postgres", "psycopg", to="reading from PostgreSQL")
        told = _refuse_password(source)
        self.source, self.note = source, QUERY if options.sql is not None else ""
        self.seconds = TIMEOUT if options.timeout is None else options.timeout
        wanted = named_table(source, source.partition("#")[2], options)
        self.connection = self._connected(told)
        finalize(self, self.connection.close)
        self._settle()
        self.query = options.sql.strip().rstrip(";") if options.sql is not None else self._table(wanted)
        self.kinds = self._kinds()
        """The type of each column."""

    def _connected(self, told: dict[str, Any]) -> Any:
        import psycopg
        from psycopg.conninfo import make_conninfo

        settings: dict[str, Any] = {"connect_timeout": CONNECTING, "application_name": "referee"} | told
        try:
            return psycopg.connect(make_conninfo(**settings), autocommit=True)
        except psycopg.Error as error:
            raise InputError("E_SERVER", f"{self.source}: no connection: {_said(error)}", hint=WHERE) from None

    def _settle(self) -> None:
        """Read-only, one state of the tables, and not for ever."""
        from psycopg import IsolationLevel

        with self.in_words():
            milliseconds = min(max(self.seconds * 1000, 1), LONGEST)
            # Before a transaction begins, so that they outlive one that fails.
            for name, value in (("statement_timeout", f"{milliseconds:.0f}"), ("TimeZone", "UTC")):
                self.connection.execute("SELECT pg_catalog.set_config(%s, %s, false)", (name, value))
            self.connection.autocommit, self.connection.read_only = False, True
            self.connection.isolation_level = IsolationLevel.REPEATABLE_READ

    def _table(self, wanted: str | None) -> str:
        """The rows of the table that is meant."""
        with self.in_words():
            rows = self.connection.execute(TABLES).fetchall()
        known = {
            name if visible else f"{schema}.{name}": (schema, name)
            for schema, name, visible, readable in rows
            if readable or wanted is not None
        }
        shown = chosen_table(self.source, wanted, sorted(known))
        self.note = f"table {shown!r}"
        return f"SELECT * FROM {'.'.join(map(quoted, known[shown]))}"

    def _kinds(self) -> dict[str, str | None]:
        with self.in_words(), self._cursor() as cursor:
            columns = cursor.execute(f"SELECT * FROM (\n{self.query}\n) AS referee LIMIT 0").description
        refuse_duplicate_columns(self.source, [column.name for column in columns])
        known = {column.name: self.connection.adapters.types.get(column.type_code) for column in columns}
        return {name: KINDS.get(kind.name if kind else "") for name, kind in known.items()}

    def _cursor(self, name: str = "") -> Any:
        """Binary, as the protocol then takes one statement at a time, and numbers keep all their bits."""
        return self.connection.cursor(name, binary=True)

    @property
    def rows(self) -> str:
        """The query, with text for what has a type of its own."""
        cells = [
            quoted(name) if kind else f"CAST({quoted(name)} AS text) AS {quoted(name)}"
            for name, kind in self.kinds.items()
        ]
        return f"SELECT {', '.join(cells)} FROM (\n{self.query}\n) AS referee"

    def answer(self, sql: str, name: str, schema: pa.Schema) -> pa.Table:
        """Run a query about the table of that name."""
        import pyarrow as pa

        sql = for_server(sql)
        own = sql.removeprefix("WITH ")
        table = f"WITH {quoted(name)} AS NOT MATERIALIZED (\n{self.rows}\n)"
        with self.in_words(), self._cursor() as cursor:
            rows = cursor.execute(f"{table}, {own}" if own is not sql else f"{table}\n{sql}").fetchall()
        cells = zip(*rows, strict=True) if rows else [()] * len(schema)
        return pa.table([_array(column, field) for column, field in zip(cells, schema, strict=True)], schema.names)

    def expected(self) -> tuple[int, int]:
        """The rows that the server expects, and their bytes; it looks at its statistics, not at rows."""
        with self.in_words(), self._cursor() as cursor:
            (((told,),),) = cursor.execute(f"EXPLAIN (FORMAT JSON) {self.query}").fetchall()
        rows = int(told["Plan"]["Plan Rows"])
        return rows, rows * int(told["Plan"]["Plan Width"])

    def all_rows(self, options: ReadOptions) -> pa.Table:
        limit = memory_limit(options)
        with self.in_words():
            ((rows,),) = self._cursor().execute(f"SELECT count(*) FROM (\n{self.query}\n) AS referee").fetchall()
            size = rows * len(self.kinds) * CELL
            refuse_beyond(limit, size, self.source, f"its {rows:,} rows")
            say_scan(options, self.source, rows, size, READ)
            with self._cursor("referee") as cursor:
                return self._narrow(columns_of(cursor.execute(self.rows), self.source, limit))

    def _narrow(self, columns: pa.Table) -> pa.Table:
        """Numbers of single precision, which came as Python's own."""
        import pyarrow as pa

        for place, name in enumerate(columns.column_names):
            if self.kinds[name] == "float32" and pa.types.is_floating(columns.schema.field(name).type):
                columns = columns.set_column(place, name, columns.column(name).cast(pa.float32()))
        return columns

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Say what the server says, which never holds a password; whoever asks again is not told of it once more."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            if not self.connection.closed:
                self.connection.rollback()
            raise self._in_words(error) from error

    def _in_words(self, error: psycopg.Error) -> RefereeError:
        said, state = f"{self.source}: {_said(error)}", error.sqlstate or ""
        if state == CANCELLED:
            allowed = f"the limit for a query is {self.seconds:g} s; --timeout {self.seconds * 10:g} allows more"
            return InputError("E_TIMEOUT", said, hint=allowed)
        if state == NO_RIGHT:
            return InputError("E_RIGHTS", said, hint="the role needs only the right to SELECT")
        if state.startswith(WRONG_SQL) and self.note == QUERY:
            return UsageError("E_SQL", said, hint="--sql must be a single SELECT, as in psql")
        ended = self.connection.closed
        return InputError(
            "E_SERVER", said, hint="the connection ended: run again when the server is up" if ended else None
        )


MANY_SUMS = 8
SHARED = "shared"
"""What the names of columns begin with that several others are made of."""
TINY = "CAST('1e-150' AS DOUBLE PRECISION)"
"""What has no square, of which this server makes an error and not 0."""


def for_server(sql: str) -> str:
    """A query as this server takes it well.

    It works out the columns of a subquery once, which it would repeat in each of many sums, and squares of tiny numbers
    are 0.

    >>> for_server("SELECT SUM(x) FROM (SELECT LN(y) AS x FROM t) AS s")
    'SELECT SUM(x) FROM (SELECT LN(y) AS x FROM t) AS s'
    >>> for_server(f"SELECT {'SUM(x), ' * 8}SUM(x * x) FROM (SELECT LN(y) AS x FROM t) AS s")[-56:]
    'SUM(x * x) FROM (SELECT LN(y) AS x FROM t OFFSET 0) AS s'
    >>> for_server("SELECT POW(x, 2) AS y FROM t").replace("POWER", "POW")
    "SELECT CASE WHEN ABS(x) < CAST('1e-150' AS DOUBLE PRECISION) THEN 0 ELSE POW(x, 2) END AS y FROM t"
    """
    if sql.count("SUM(") <= MANY_SUMS and "POW(" not in sql and SHARED not in sql:
        return sql
    import sqlglot
    from sqlglot import expressions

    query = sqlglot.parse_one(sql, read="postgres")
    for select in query.find_all(expressions.Select):
        rows = select.find(expressions.From)
        is_many = sum(1 for column in select.expressions if column.find(expressions.Sum)) > MANY_SUMS
        if is_many and rows is not None and isinstance(rows.this, expressions.Subquery):
            rows.this.this.offset(0, copy=False)
        if any(column.alias.startswith(SHARED) for column in select.expressions):
            select.offset(0, copy=False)
    return query.transform(_without_tiny).sql("postgres")


def _without_tiny(node: Any) -> Any:
    import sqlglot
    from sqlglot import expressions

    is_square = isinstance(node, expressions.Pow) and node.expression.sql() == "2"
    if not is_square:
        return node
    base = node.this.sql("postgres")
    safe = f"CASE WHEN ABS({base}) < {TINY} THEN 0 ELSE POWER({base}, 2) END"
    return sqlglot.parse_one(safe, read="postgres")


def _refuse_password(address: str) -> dict[str, Any]:
    """The parts of an address; a password in it would be seen in the list of processes, in histories and in reports.

    Whatever a password may hold: before the last @ nothing but a name is expected.
    """
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    user, at, _ = address.partition("://")[2].rpartition("@")
    try:
        told: dict[str, Any] = conninfo_to_dict(address.partition("#")[0])
    except psycopg.Error:
        told = {"password": ""} if at else {}
    if (at and not PLAIN_USER.fullmatch(user)) or not told or "password" in told or "sslpassword" in told:
        message = f"{bare_address(address)}: not an address of PostgreSQL, or one with a password"
        raise UsageError("E_ADDRESS", message, hint=f"write {source.shown} (%40 for an @ in a name); {WHERE}")
    return told


def _said(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _array(cells: Any, field: pa.Field) -> pa.Array:
    """Cells as Arrow data; PostgreSQL adds up whole numbers to decimals, and these have digits of their own."""
    import pyarrow as pa

    if pa.types.is_decimal(field.type) and any(cell is not None for cell in cells):
        return pa.array(cells)
    if pa.types.is_integer(field.type) or pa.types.is_floating(field.type):
        plain = int if pa.types.is_integer(field.type) else float
        cells = [plain(cell) if isinstance(cell, Decimal) else cell for cell in cells]
    return pa.array(cells, field.type)


def open_postgresql(source: str | PathLike[str], options: ReadOptions) -> InPlace:
    """Open a table, which stays where it is; the connection is closed when nobody asks any more."""
    name = os.fspath(source)
    refuse_without("postgres", "ibis", to="reading from PostgreSQL")
    session = Session(name, options)
    kinds = {column: kind or "string" for column, kind in session.kinds.items()}
    table = answered_table(kinds, Answering("postgres", session.answer))
    return InPlace(name, table, (session.note,), "PostgreSQL", *session.expected())


def read_postgresql(source: str, options: ReadOptions) -> Table:
    """Read all rows of a table."""
    session = Session(source, options)
    with closing(session.connection):
        columns = session.all_rows(options)
    return Table(source, columns, notes=(session.note, f"{columns.num_rows:,} rows were read"))


@contextmanager
def write_postgresql(place: WrittenTable) -> Iterator[Run]:
    """One transaction, by a role that may write."""
    refuse_without("postgres", "psycopg", to="writing to PostgreSQL")
    import psycopg
    from psycopg.conninfo import make_conninfo

    told: dict[str, Any] = {"connect_timeout": CONNECTING, "application_name": "referee"}
    told |= _refuse_password(place.address)
    hint: str | None = WHERE
    try:
        with psycopg.connect(make_conninfo(**told)) as connection:
            hint = None

            def run(sql: str, *values: Any) -> list[Any]:
                try:
                    cursor = connection.execute(sql.replace("%", "%%").replace("?", "%s"), values)
                except psycopg.errors.InsufficientPrivilege as error:
                    raise WriteError("E_WRITE", f"{place.shown}: {_said(error)}", hint=RIGHTS) from None
                return cursor.fetchall() if cursor.description else []

            yield run
    except psycopg.Error as error:
        raise WriteError("E_WRITE", f"{place.shown}: {_said(error)}", hint=hint) from None


def has_table(run: Run, name: str) -> bool:
    """Whether a role would find a table of that name."""
    ((table,),) = run("SELECT pg_catalog.to_regclass(?)", quoted(name))
    return table is not None


source = Source(
    "PostgreSQL",
    what="A table, view or query of a server, summarised on the server where possible; opened read-only.",
    shown="postgresql://host/database#table",
    address=read_postgresql,
    in_place=open_postgresql,
    writes=write_postgresql,
    is_there=has_table,
    aliases=("postgres",),
)
