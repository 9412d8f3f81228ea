from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

import duckdb
import pytest

from referee.predictions import ReadOptions, cursor_rows, numbers, quoted, read_table, texts

from .refusals import refused

HOSTILE = 't"; DROP TABLE x; --'


def sqlite_file(path, tables):
    with closing(sqlite3.connect(path)) as connection, connection:
        _fill(connection, tables)
    return path


def duckdb_file(path, tables):
    with closing(duckdb.connect(str(path))) as connection:
        _fill(connection, tables, "BIGINT", "DOUBLE")
    return path


def _fill(connection, tables, id_type="", value_type=""):
    for name, rows in tables.items():
        connection.execute(f'CREATE TABLE {quoted(name)} (id {id_type}, "A"" OR 1=1" {value_type})')
        if rows:
            connection.executemany(f"INSERT INTO {quoted(name)} VALUES (?, ?)", rows)


KINDS = {"sqlite": sqlite_file, "duckdb": duckdb_file}
ROWS = [(2**53 + 1, 0.5), (2**53, 0.25)]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def database(tmp_path, kind):
    def make(tables, name="f"):
        return KINDS[kind](tmp_path / f"{name}.{kind}", tables)

    return make


def test_the_only_table_needs_no_name(database, kind):
    path = database({"preds": ROWS})
    for source in (path, f"{kind}:///{path}", f"{kind}:///{path}#preds"):
        table = read_table(source)
        assert table.columns.column("id").to_pylist() == [2**53 + 1, 2**53]
        assert table.notes == ("table 'preds'", "2 rows were read")[: 1 + (kind == "duckdb")]


def test_hostile_names(database, kind):
    path = database({HOSTILE: ROWS, "x": ROWS})
    for table in (
        read_table(path, ReadOptions(table=HOSTILE)),
        read_table(f"{kind}:///{path}#{HOSTILE}"),
        read_table(f"{kind}:///{path}#{quote(HOSTILE)}"),
    ):
        assert numbers(table, 'A" OR 1=1').tolist() == [0.5, 0.25]
    assert read_table(path, ReadOptions(table="x")).rows == 2


def test_which_of_several(database, kind):
    path = database({"a": ROWS, "b": ROWS})
    with refused("E_TABLE", "2 tables", "'a' and 'b'", "table=", exit_code=2):
        read_table(path)
    with refused("E_TABLE", "no table 'aa'", "did you mean 'a'", exit_code=2):
        read_table(f"{kind}:///{path}#aa")
    with refused("E_TABLE", "'a'", "'b'", exit_code=2):
        read_table(f"{kind}:///{path}#a", ReadOptions(table="b"))


def test_no_table_and_no_rows(database, kind):
    with refused("E_TABLE", "no table", exit_code=2):
        read_table(f"{kind}:///{database({})}")
    with refused("E_NOROWS", "no data rows"):
        read_table(database({"t": []}, "g"))


@pytest.mark.parametrize("name", ["a b", "a%20b", "a?mode=rw", "ü", "a'b"])
def test_addresses_are_decoded_once(database, kind, tmp_path, monkeypatch, name):
    path = database({"t": ROWS}, name)
    monkeypatch.chdir(tmp_path)
    assert read_table(f"{kind}:///{quote(str(path))}#t").rows == 2
    assert read_table(f"{kind}:///{quote(path.name)}").rows == 2


def test_a_missing_file_is_not_made(kind, tmp_path):
    with refused("E_NOFILE", exit_code=2):
        read_table(f"{kind}:///{tmp_path}/none.db#t")
    with refused("E_ISDIR", exit_code=2):
        read_table(f"{kind}:///{tmp_path}#t")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files(database, kind):
    path = database({"t": ROWS})
    content = bytearray(path.read_bytes())
    content[20:] = b"\xff" * (len(content) - 20)
    path.write_bytes(bytes(content))
    with refused(f"E_{kind.upper()}", path.name):
        read_table(path)


def test_beyond_the_limit(database, monkeypatch):
    monkeypatch.setattr(cursor_rows, "ROWS_AT_ONCE", 100)
    path = database({"t": [(number, 0.5) for number in range(1000)]})
    with refused("E_TOOBIG", "rows", "max_memory=", exit_code=8):
        read_table(path, ReadOptions(max_memory=4000))


@pytest.mark.parametrize("rows_at_once", [2, 50_000])
@pytest.mark.parametrize(
    ("values", "code", "words"),
    [
        ([1, 0.5, None, "n/a"], "E_NOTNUM", ["row 4", "'n/a'", "text"]),
        (["a", None, "b", 3], "E_TYPE", ["row 4", "3", "number"]),
        ([1, 2, b"x"], "E_TYPE", ["row 3", "binary"]),
    ],
)
def test_values_of_another_kind(tmp_path, monkeypatch, rows_at_once, values, code, words):
    monkeypatch.setattr(cursor_rows, "ROWS_AT_ONCE", rows_at_once)
    path = sqlite_file(tmp_path / "f.db", {"t": [(value, 0) for value in values]})
    with refused(code, "f.db", "column 'id'", *words):
        read_table(path)


def test_whole_and_other_numbers_in_different_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(cursor_rows, "ROWS_AT_ONCE", 2)
    path = sqlite_file(tmp_path / "f.db", {"t": [(None, 0), (None, 0), (1, 0), (2, 0), (0.5, 0)]})
    assert read_table(path).columns.column("id").to_pylist() == [None, None, 1, 2, 0.5]


def test_text_that_is_not_utf8(tmp_path):
    path = sqlite_file(tmp_path / "f.db", {"t": []})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO t VALUES (CAST(x'ff' AS TEXT), 0)")
    with refused("E_ENCODING", "f.db", "UTF-8"):
        read_table(path)


def test_a_file_that_another_program_has_locked(tmp_path, monkeypatch):
    path = sqlite_file(tmp_path / "f.db", {"t": ROWS})
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, timeout=0, **options))
    with closing(connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with refused("E_SQLITE", "locked"):
            read_table(path)


def test_views_are_tables_too(tmp_path):
    path = sqlite_file(tmp_path / "f.db", {"t": ROWS})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE VIEW v AS SELECT id FROM t")
    assert texts(read_table(path, ReadOptions(table="v")), "id").tolist() == [str(2**53 + 1), str(2**53)]


def test_a_view_cannot_read_other_files(tmp_path, written):
    secret = written("secret.csv", "a,b\n1,2\n")
    path = duckdb_file(tmp_path / "f.duckdb", {})
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute(f"CREATE VIEW v AS SELECT * FROM read_csv('{secret}')")
    with refused("E_DUCKDB", "f.duckdb"):
        read_table(path)


def test_schemas_of_duckdb(tmp_path):
    path = duckdb_file(tmp_path / "f.duckdb", {"t": ROWS})
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute('CREATE SCHEMA "s""x"; CREATE TABLE "s""x".t AS SELECT 1 AS one')
    assert read_table(path, ReadOptions(table='s"x.t')).columns.to_pydict() == {"one": [1]}
    assert read_table(path, ReadOptions(table="t")).rows == 2


def test_shared_case(shared):
    path = shared / "cases" / "110_hostile.sqlite"
    table = read_table(path, ReadOptions(table=HOSTILE))
    assert len(numbers(table, 'A" OR 1=1')) == 40
