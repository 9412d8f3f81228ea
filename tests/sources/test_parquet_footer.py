"""What we read in a footer ourselves: the same as Arrow does, and an error where Arrow would end the process."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.predictions import chunks_of, read_table

from .refusals import refused

ROWS = 40
TABLES = {
    "few": pa.table({"y": [0, 1] * 20, "A": [0.25, 0.5] * 20}),
    "wide": pa.table({f"c{place}": [0.5] * ROWS for place in range(40)}),
    "texts": pa.table({"y": ["no", "yes"] * 20, "long": ["x" * place for place in range(ROWS)]}),
    "nested": pa.table({"y": [[1, 2, 3], None] * 20, "s": [{"a": True, "b": [b"x"]}] * ROWS}),
    "no rows": pa.table({"y": pa.array([], pa.int8()), "A": pa.array([], pa.float32())}),
    "noted": pa.table({"y": pa.array([True, None] * 20)}).replace_schema_metadata({"k" * 300: "v" * 70_000}),
}
WAYS = {
    "plain": {},
    "small groups": {"row_group_size": 3},
    "no dictionary": {"use_dictionary": False, "compression": "none"},
    "no statistics": {"write_statistics": False, "store_schema": False},
    "page index": {"write_page_index": True, "write_page_checksum": True, "compression": "zstd"},
    "old": {"version": "1.0", "data_page_version": "2.0"},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_the_same_as_arrow_reads(tmp_path, table, way):
    path = tmp_path / "t.parquet"
    pq.write_table(TABLES[table], path, **WAYS[way])
    known = pq.read_metadata(path)
    groups = [known.row_group(group) for group in range(known.num_row_groups)]
    expected = [
        [
            (column.num_values, column.total_uncompressed_size, column.has_dictionary_page)
            for column in map(group.column, range(known.num_columns))
        ]
        for group in groups
    ]
    assert chunks_of(path) == expected
    assert chunks_of(pa.py_buffer(path.read_bytes())) == expected


EACH_BYTE = """
import json, sys
from pathlib import Path
from referee.errors import RefereeError
from referee.predictions import ReadOptions, read_table
path, changed = map(Path, sys.argv[1:])
whole, codes = path.read_bytes(), {}
for place in range(len(whole) - 8 - int.from_bytes(whole[-8:-4], "little"), len(whole)):
    content = bytearray(whole)
    content[place] ^= 1 << place % 7
    changed.write_bytes(content)
    try:
        read_table(changed, ReadOptions(max_memory=10**8))
        code = "none"
    except RefereeError as error:
        code = error.code
    codes[code] = codes.get(code, 0) + 1
print(json.dumps(codes))
"""


def test_no_byte_of_a_footer_ends_the_process(tmp_path):
    """Among them are those of the histograms that Arrow ends it for: in a process of its own."""
    path = tmp_path / "t.parquet"
    pq.write_table(TABLES["few"], path)
    command = [sys.executable, "-c", EACH_BYTE, path, tmp_path / "changed.parquet"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["E_PARQUET"] > 100


def test_a_size_below_zero(tmp_path):
    """It would hide that another one is too large."""
    path = tmp_path / "t.parquet"
    pq.write_table(TABLES["few"], path, write_statistics=False)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    # 40 of 64 bits, first the rows of the file, then the values of a column: 80 is 40, and 79 is -40.
    place = content.index(b"\x16\x50", content.index(b"\x16\x50", footer) + 2) + 1
    path.write_bytes(content[:place] + b"\x4f" + content[place + 1 :])
    with refused("E_PARQUET", "damaged", "below 0"):
        read_table(path)


@pytest.mark.parametrize("sources", [["a.parquet"], ["a.parquet", "b.parquet"]])
def test_a_column_that_is_there_twice(tmp_path, sources):
    for source in sources:
        pq.write_table(pa.table([[0, 1], [0.5, 0.25], [0.5, 0.75]], names=["y", "A", "A"]), tmp_path / source)
    with refused("E_DUPCOL", "a.parquet", "'A'", "columns 2 and 3"):
        read_table(tmp_path / "*.parquet")
