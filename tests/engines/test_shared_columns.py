"""Columns that others are made of are worked out once, and what comes out stays what it was."""

from __future__ import annotations

import duckdb
import ibis
import numpy as np

from referee.engines.database.shared_columns import worked_out_once
from referee.sources.postgresql import for_server

TABLE = ibis.table({"a": "float64", "b": "float64", "part": "int64"}, name="numbers")


def nested():
    """A polynomial of a polynomial, which SQL would write out again and again."""
    first = TABLE.a * TABLE.b + TABLE.a * 2.0 + 1.0
    second = first * first * TABLE.b - first / 3.0 + 0.5
    third = second * second - second * first + second / 7.0
    return {"sum": third.sum(), "most": (third * third).max(where=second > 0.0), "plain": TABLE.a.min()}


def test_the_same_comes_out():
    draw = np.random.default_rng(3)
    a, b = draw.normal(size=(2, 100))
    first = a * b + 2 * a + 1
    second = first**2 * b - first / 3 + 0.5
    third = second**2 - second * first + second / 7
    numbers = duckdb.connect()
    numbers.register("numbers", {"a": a, "b": b, "part": np.zeros(100, int)})
    table, columns = worked_out_once(TABLE, nested())
    ((total, most, least),) = numbers.sql(str(ibis.to_sql(table.aggregate(**columns), dialect="duckdb"))).fetchall()
    np.testing.assert_allclose([total, most], [third.sum(), (third**2)[second > 0].max()], rtol=1e-12)
    assert least == a.min()


def test_what_is_shared_is_written_once():
    table, columns = worked_out_once(TABLE, nested(), kept=["part"])
    sql = str(ibis.to_sql(table.aggregate(**columns), dialect="postgres"))
    assert len(sql) < len(str(ibis.to_sql(TABLE.aggregate(**nested()), dialect="postgres"))) / 2
    assert sql.count('"a" * ') == 2
    assert "part" in table.columns
    assert for_server(sql).count("OFFSET 0") == sql.count("SELECT") - 1


def test_what_nothing_shares_stays_where_it_is():
    table, columns = worked_out_once(TABLE, {"sum": (TABLE.a * TABLE.b).sum(), "most": TABLE.b.max()})
    assert table is TABLE
    assert columns["sum"].equals((TABLE.a * TABLE.b).sum())
