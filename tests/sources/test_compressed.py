from __future__ import annotations

import bz2
import gzip
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .refusals import refused

CSV = b"id,A\nr1,0.5\n"
PACK = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t"])
def test_content_tells_not_the_name(read_written, kind, name):
    table = read_written(name, PACK[kind](CSV))
    assert table.columns.to_pylist() == [{"id": "r1", "A": "0.5"}]
    assert table.notes == (kind,)


@pytest.mark.parametrize("kind", PACK)
def test_several_members(read_written, kind):
    assert read_written("t.csv", PACK[kind](CSV) + PACK[kind](b"r2,0.6\n")).rows == 2


@pytest.mark.parametrize("kind", PACK)
def test_cut_off(read_written, kind):
    with refused("E_COMPRESSED", "t.csv", kind, "damaged"):
        read_written("t.csv", PACK[kind](CSV * 100)[:-6])


@pytest.mark.parametrize("kind", PACK)
def test_beyond_the_limit(read_written, kind):
    with refused("E_TOOBIG", "t.csv", "max_memory=", exit_code=8):
        read_written("t.csv", PACK[kind](b"A\n" + b"0\n" * 5_000_000), max_memory=1_000_000)


def test_a_wrong_checksum(read_written):
    packed = bytearray(gzip.compress(CSV))
    packed[-5] ^= 1
    with refused("E_COMPRESSED", "gzip"):
        read_written("t.csv", bytes(packed))


def test_other_formats_inside(read_written, tmp_path):
    pq.write_table(pa.table({"A": [0.5]}), tmp_path / "t.parquet")
    assert read_written("t.parquet.gz", gzip.compress((tmp_path / "t.parquet").read_bytes())).rows == 1
    assert read_written("t.jsonl.gz", gzip.compress(b'{"A": 0.5}\n')).notes == ("gzip",)


@pytest.mark.parametrize(
    "inner",
    [gzip.compress(CSV), b"SQLite format 3\x00" + b"\x00" * 100, b"x" * 257 + b"ustar"],
    ids=["gzip", "sqlite", "tar"],  # of their own, as gzip writes the time of day
)
def test_what_is_not_looked_for_inside(read_written, inner):
    with refused("E_FORMAT", "inside gzip"):
        read_written("t.gz", gzip.compress(inner))
