from __future__ import annotations

import subprocess
import sys
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.predictions import ReadOptions, numbers, read_table, texts
from referee.predictions.cell_labels import labels

from .refusals import refused

TABLE = pa.table({"id": ["r1", "r2"], "y": [1, 0], "A": [0.5, 0.25]})


def write(path, table=TABLE, **options):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(table, path, **options)
    return path


def test_a_file_whatever_its_name(tmp_path):
    table = read_table(write(tmp_path / "preds.csv"))
    assert table.columns.equals(TABLE)
    assert not table.text


def test_a_folder_and_a_glob_in_order(tmp_path):
    for number in (2, 0, 1):
        write(tmp_path / "parts" / f"part-{number}.parquet", pa.table({"A": [number]}))
    (tmp_path / "parts" / "_SUCCESS").touch()
    write(tmp_path / "parts" / "_metadata.parquet", pa.table({"other": [1]}))
    for source in ("parts", "parts/part-*.parquet"):
        table = read_table(tmp_path / source)
        assert table.columns.to_pydict() == {"A": [0, 1, 2]}
        assert table.notes == ("3 files",)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"A": ["x"]}, ["column 'A'", "string", "double"]),
        ({"B": [0.5]}, ["column 'A'", "missing"]),
        ({"A": [0.5], "B": [1]}, ["column 'B'", "missing"]),
    ],
)
def test_files_of_one_table_must_agree(tmp_path, other, words):
    write(tmp_path / "parts" / "a.parquet", pa.table({"A": [0.5]}))
    write(tmp_path / "parts" / "b.parquet", pa.table(other))
    with refused("E_SCHEMA", "b.parquet", "a.parquet", *words):
        read_table(tmp_path / "parts")


def test_folders_in_folders_are_not_guessed(tmp_path):
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts" / "day=1" / "a.parquet")
    with refused("E_ISDIR", "day=1", exit_code=2, hint="**/*.parquet"):
        read_table(tmp_path / "parts")
    assert read_table(tmp_path / "parts" / "**" / "*.parquet").rows == 2


def damaged(path):
    """Change the last value of a column, and leave the footer as it is."""
    content = bytearray(path.read_bytes())
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(2)
    content[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 0xFF
    path.write_bytes(bytes(content))
    return path


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_checksums_find_any_damage(tmp_path, compression):
    path = write(tmp_path / "t.parquet", compression=compression, write_page_checksum=True, use_dictionary=False)
    with refused("E_PARQUET", "t.parquet", "damaged"):
        read_table(damaged(path))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"a,b\n1,2\n", b"PAR1" + b"\xff" * 100 + b"PAR1"])
def test_what_is_no_parquet_file(read_written, content):
    with refused("E_PARQUET", "t.parquet", "damaged"):
        read_written("t.parquet", content)


def test_a_file_that_is_cut_off(tmp_path, read_written):
    content = write(tmp_path / "whole.parquet").read_bytes()
    with refused("E_PARQUET", "t.parquet", "damaged"):
        read_written("t.parquet", content[:-20])


def test_any_changed_byte_gives_a_table_or_an_error_never_a_crash(tmp_path):
    """In a process of its own, because a crash would take the tests along."""
    path = write(tmp_path / "t.parquet", write_page_checksum=False)
    code = f"""
import random, sys
from pathlib import Path
from referee.errors import RefereeError
from referee.predictions import ReadOptions, read_table
from referee.predictions import is_numeric
path, changed = Path({str(path)!r}), Path({str(tmp_path / "changed.parquet")!r})
random.seed(0)
for _ in range(300):
    content = bytearray(path.read_bytes())
    for _ in range(random.choice([1, 3, 20])):
        content[random.randrange(4, len(content))] = random.randrange(256)
    changed.write_bytes(bytes(content))
    try:
        table = read_table(changed, ReadOptions(max_memory=10**8))
        [is_numeric(table, name) for name in table.columns.column_names]
    except RefereeError:
        pass
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_more_rows_than_fit(tmp_path):
    table = pa.table({"y": pa.array([0] * 1_000_000, pa.int64()), "A": pa.array([0.5] * 1_000_000)})
    path = write(tmp_path / "bomb.parquet", table, compression="zstd")
    with refused("E_TOOBIG", "bomb.parquet", "1,000,000 rows", "max_memory=", exit_code=8):
        read_table(path, ReadOptions(max_memory=2_000_000))


def test_one_long_text_repeated_stays_small(tmp_path):
    path = write(tmp_path / "t.parquet", pa.table({"s": ["x" * 2000] * 100_000}))
    table = read_table(path, ReadOptions(max_memory=5_000_000))
    assert table.columns.nbytes < 1_000_000
    assert labels(table, "s")[1] == ("x" * 2000,)
    assert texts(table, "s").nbytes < 1_000_000
    with refused("E_NOTNUM", "column 's', row 1"):
        numbers(table, "s")


def test_texts_that_fit_are_read_as_text(tmp_path):
    ids = [f"id{number}" for number in range(20_000)]
    path = write(tmp_path / "t.parquet", pa.table({"id": ids}))
    table = read_table(path, ReadOptions(max_memory=5_000_000))
    assert table.columns.column("id").type == pa.string()
    assert texts(table, "id").tolist() == ids


def test_nested_columns_do_not_stop_the_others(tmp_path):
    table = pa.table({"A": [[0.5]], "s": [["x"]], "d": [Decimal("0.5")], "m": [{"k": 1}]})
    read = read_table(write(tmp_path / "t.parquet", table))
    assert numbers(read, "d").tolist() == [0.5]
    with refused("E_TYPE", "column 'A'", "list"):
        numbers(read, "A")


@pytest.mark.parametrize(
    ("case", "code", "exit_code", "words"),
    [
        ("100_corrupt_page.parquet", "E_PARQUET", 3, ["damaged"]),
        ("102_bomb.parquet", "E_TOOBIG", 8, ["600,000,000 rows", "max_memory="]),
    ],
)
def test_shared_cases(shared, case, code, exit_code, words):
    with refused(code, case, *words, exit_code=exit_code):
        read_table(shared / "cases" / case, ReadOptions(max_memory=2**30))


def test_a_damaged_file_does_not_crash_the_process(shared):
    path = str(shared / "cases" / "100_corrupt_page.parquet")
    code = f"from referee.predictions import read_table; read_table({path!r})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "damaged" in run.stderr
