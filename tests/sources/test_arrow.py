from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather

from referee.predictions import ReadOptions, read_table, unpacked_size

from .refusals import refused

TABLE = pa.table({"id": ["r1", None], "A": [0.5, 0.25], "c": pa.array(["x", "y"]).dictionary_encode()})


def ipc(table, new, compression=None, rows=None):
    sink = pa.BufferOutputStream()
    with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_files_and_streams_whatever_their_name(read_written, new, compression):
    assert read_written("t.csv", ipc(TABLE, new, compression)).columns.equals(TABLE)


def test_feather(tmp_path):
    feather.write_feather(TABLE, tmp_path / "t.feather")
    assert read_table(tmp_path / "t.feather").columns.equals(TABLE)


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
def test_the_promised_size_is_the_real_one(new, compression):
    table = pa.table({"A": np.zeros(100_000), "s": ["text"] * 100_000})
    data = pa.py_buffer(ipc(table, new, compression, rows=30_000))
    rows, size = unpacked_size(data.slice(8) if new is pa.ipc.new_file else data)
    assert rows == 100_000
    assert size == pytest.approx(table.nbytes, rel=0.01)


@pytest.mark.parametrize("new", [pa.ipc.new_file, pa.ipc.new_stream])
def test_more_rows_than_fit(read_written, new):
    content = ipc(pa.table({"A": np.zeros(2_000_000)}), new, "zstd")
    assert len(content) < 100_000
    with refused("E_TOOBIG", "t.arrow", "2,000,000 rows", "max_memory=", exit_code=8):
        read_written("t.arrow", content, max_memory=10_000_000)


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"ARROW1\x00\x00", b"\xff\xff\xff\xff", b"a,b\n1,2\n"])
def test_what_is_no_arrow_file(read_written, content):
    with refused("E_ARROW", "t.arrow", "damaged"):
        read_written("t.arrow", content)


def test_a_file_that_is_cut_off(read_written):
    with refused("E_ARROW", "t.arrow", "damaged"):
        read_written("t.arrow", ipc(TABLE, pa.ipc.new_file)[:-30])


def test_codes_that_point_nowhere(read_written):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), pa.array(["x"]), safe=False)
    with refused("E_ARROW", "t.arrow", "damaged"):
        read_written("t.arrow", ipc(pa.table({"c": codes}), pa.ipc.new_file))


def test_any_changed_byte_gives_a_table_or_an_error_never_a_crash(tmp_path):
    """In a process of its own, because a crash would take the tests along."""
    random.seed(0)
    for number in range(150):
        content = bytearray(ipc(TABLE, random.choice([pa.ipc.new_file, pa.ipc.new_stream]), "lz4"))
        for _ in range(random.choice([1, 3, 20])):
            content[random.randrange(8, len(content))] = random.randrange(256)
        (tmp_path / f"{number}.arrow").write_bytes(bytes(content))
    code = f"""
from pathlib import Path
from referee.errors import RefereeError
from referee.predictions import ReadOptions, read_table
for path in Path({str(tmp_path)!r}).iterdir():
    try:
        read_table(path, ReadOptions(max_memory=10**8)).columns.to_pylist()
    except RefereeError:
        pass
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_limit_counts_plain_batches_too(read_written):
    content = ipc(pa.table({"A": np.zeros(100_000)}), pa.ipc.new_stream)
    assert read_written("t.arrow", content, max_memory=2_000_000).rows == 100_000
    with refused("E_TOOBIG", exit_code=8):
        read_written("t.arrow", content, max_memory=1_000_000)
    assert ReadOptions().max_memory is None
