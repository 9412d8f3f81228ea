from __future__ import annotations

import gzip
import os
from itertools import count

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.predictions import ReadOptions, locations, memory_limit, read_table
from referee.sources import parquet
from tests.case_record import COMMAND_LINE, PYTHON

from .refusals import refused

CSV = "id,A\nr1,0.5\n"


def test_a_path_as_text_and_as_path(written):
    path = written("t.csv", CSV)
    assert read_table(path).columns == read_table(str(path)).columns
    assert read_table(path).name == str(path)


def test_a_missing_file_and_its_neighbour(written, tmp_path):
    written("preds.csv", CSV)
    with refused("E_NOFILE", "perds.csv", "did you mean 'preds.csv'?", exit_code=2):
        read_table(tmp_path / "perds.csv")
    with refused("E_NOFILE", "no such folder", exit_code=2):
        read_table(tmp_path / "nowhere" / "preds.csv")


@pytest.mark.parametrize("name", ["a\x00b", "a" * 5000, ""])
def test_names_that_cannot_be_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with refused("E_NOFILE" if name else "E_ISDIR", exit_code=2):
        read_table(name)


def test_a_directory_without_parquet_files(tmp_path):
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    with refused("E_ISDIR", "folder.csv", "directory", exit_code=2):
        read_table(folder)


def test_a_name_with_the_signs_of_a_glob(written):
    assert read_table(written("a[1]*.csv", CSV)).rows == 1


def test_a_glob_of_one_file_and_of_none(written, tmp_path):
    written("preds.csv", CSV)
    assert read_table(tmp_path / "pre*.csv").rows == 1
    (tmp_path / "folder.parquet").mkdir()
    with refused("E_NOFILE", "*.parquet", exit_code=2):
        read_table(tmp_path / "*.parquet")


def test_a_glob_of_other_files_than_parquet(written, tmp_path):
    written("a.csv", CSV)
    written("b.csv", CSV)
    with refused("E_FORMAT", "2 files", "a.csv", exit_code=2):
        read_table(tmp_path / "*.csv")


@pytest.mark.parametrize("address", ["https://host/preds.csv", "s3://bucket/preds.csv", "oracle://host/db#preds"])
def test_addresses_that_are_not_read_here(address):
    with refused("E_ADDRESS", address, exit_code=2):
        read_table(address)


def bytes_of(kind):
    sink = pa.BufferOutputStream()
    table = pa.table({"A": [0.5]})
    if kind == "parquet":
        pq.write_table(table, sink)
    elif kind == "arrow":
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    plain = {"csv": CSV.encode(), "jsonl": b'{"A": 1}\n', "csv.gz": gzip.compress(CSV.encode())}
    return plain.get(kind) or sink.getvalue().to_pybytes()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "csv.gz", "parquet", "arrow"])
@pytest.mark.case("188", COMMAND_LINE, PYTHON)
def test_a_file_that_changes_while_it_is_read(referee, written, monkeypatch, kind):
    path = written(f"t.{kind}", bytes_of(kind))

    times = count(1)

    def limit_and_touch(options):
        """Stands between the first look at the file and the reading, and changes it each time."""
        os.utime(path, ns=(next(times),) * 2)
        return memory_limit(options)

    for module in (locations, parquet):
        monkeypatch.setattr(module, "memory_limit", limit_and_touch)
    with refused("E_CHANGED", f"t.{kind}", "changed while it was being read"):
        read_table(path)
    path.touch()
    said = referee("compare", path, "--truth", "A", "--goal", "mae", "--engine", "memory")
    assert (said.code, said.json["error"]["code"]) == (3, "E_CHANGED")


def test_the_change_is_named_and_not_the_damage_it_did(written, monkeypatch):
    path = written("t.csv", CSV)
    read = locations.read_bytes

    def read_and_append(file, limit):
        with file.open("a") as growing:
            growing.write("r2")
        return read(file, limit)

    monkeypatch.setattr(locations, "read_bytes", read_and_append)
    with refused("E_CHANGED", "t.csv", "changed while it was being read"):
        read_table(path)


def test_a_file_that_disappears(written, monkeypatch):
    path = written("t.csv", CSV)
    read = locations.read_bytes

    def read_and_remove(file, limit):
        data = read(file, limit)
        file.unlink()
        return data

    monkeypatch.setattr(locations, "read_bytes", read_and_remove)
    with refused("E_CHANGED", "t.csv"):
        read_table(path)


def test_a_file_beyond_the_limit(written):
    with refused("E_TOOBIG", "t.csv", "max_memory=", exit_code=8):
        read_table(written("t.csv", CSV), ReadOptions(max_memory=5))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names do not exist here")
def test_a_pipe(tmp_path):
    """It may never end; what a shell pipes in by `<(...)` is tested in faults/test_breaking.py."""
    os.mkfifo(tmp_path / "pipe")
    with refused("E_SPECIAL", "pipe", "named pipe", exit_code=8):
        read_table(tmp_path / "pipe")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(written):
    path = written("t.csv", CSV)
    path.chmod(0)
    with refused("E_READ", "t.csv", "Permission denied"):
        read_table(path)
