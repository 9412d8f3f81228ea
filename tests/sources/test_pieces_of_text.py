"""Text in pieces of any size is what Python's csv module reads; sizes are reckoned before anything is read."""

from __future__ import annotations

import csv
import gzip
import json
import zipfile

import numpy as np
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.errors import RefereeError
from referee.predictions import ReadOptions, memory, read_table
from referee.predictions.batches import open_batches
from referee.sources.csv import _lines
from referee.sources.parquet import HONEST_RATIO, ParquetPieces
from referee.sources.polars_lazy import rows_and_bytes
from tests.sources.refusals import refused

LONG_NAMES = [f"column_{number}_" + "x" * 40 for number in range(4)]
ROWS = [[str(n), "y" * (n % 9), f'say "{n}"\nand, more', str(n / 8)] for n in range(60)]


def text_of(rows, newline, names=LONG_NAMES):
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [names, *rows]]
    return newline.join(lines) + newline


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("rows", [1, 3, 1000])
def test_pieces_are_the_rows_that_python_reads(tmp_path, newline, encoding, rows):
    """Smaller than the line of names, than a row, than the file."""
    path = tmp_path / "rows.csv"
    path.write_bytes(text_of(ROWS, newline).encode(encoding))
    pieces = open_batches(path, ReadOptions()).pieces
    found = [row for piece in pieces.read(LONG_NAMES, rows) for row in piece.to_pylist()]
    with path.open(encoding=encoding, newline="") as file:
        expected = list(csv.DictReader(file))
    assert [tuple(row.values()) for row in found] == [tuple(row.values()) for row in expected]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_of_a_piece_are_those_of_python(newline):
    text = f"a,b{newline}1,2{newline}{newline}3,4"
    assert _lines(text.encode()) == len(text.splitlines()) - 1


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bad", [1, 2, 40, 59])
def test_a_row_of_a_later_piece_is_named_with_its_line(tmp_path, newline, bad):
    """Each row before has one line, and the names have the first."""
    lines = ["a,b", *(f"{n},{n}" for n in range(1, 61))]
    lines[bad] += ",9"
    path = tmp_path / "rows.csv"
    path.write_bytes(newline.join(lines).encode())
    pieces = open_batches(path, ReadOptions()).pieces
    with refused("E_RAGGED", f"row {bad} (line {bad + 1})"):
        for _ in pieces.read(["a", "b"], 1):
            pass


def test_blank_lines_at_the_end_are_no_rows_of_a_last_piece(tmp_path):
    path = tmp_path / "rows.csv"
    for ending in ("", "\n", "\n\n\n", "\r\n\r\n"):
        path.write_bytes(("a,b\n" + "1,2\n" * 30 + "3,4" + ending).encode())
        pieces = open_batches(path, ReadOptions()).pieces
        assert sum(piece.num_rows for piece in pieces.read(["a", "b"], 2)) == 31


class TestSizes:
    @pytest.mark.parametrize(
        ("work", "options"), [(2, {}), (8, {"max_memory": 10**9}), (14, {"max_memory": 10**9, "compares": True})]
    )
    def test_of_parquet(self, tmp_path, monkeypatch, work, options):
        """What the memory does not hold, unless no honest file is so large: that is not read in pieces but refused."""
        monkeypatch.setattr(memory, "machine_memory", lambda: 20_000)
        options = ReadOptions(**options)
        most = memory.room_for_rows(options) / work
        (tmp_path / "rows.parquet").write_bytes(b"x" * (int(most / HONEST_RATIO) + 1))
        sizes = {most + 1: True, most - 1: False, HONEST_RATIO * (most / HONEST_RATIO + 2): False}
        for size, too_large in sizes.items():
            pieces = ParquetPieces("p", [tmp_path / "rows.parquet"], ["a"], 9, size, 20_000, ())
            assert pieces.is_too_large(options) is too_large, size

    def test_of_a_lazy_frame(self):
        frame = polars.LazyFrame({"y": range(10), "a": range(10), "b": range(10)})
        assert rows_and_bytes(frame) == (10, 10 * 3 * 8)

    def test_of_samples_in_an_archive(self, tmp_path):
        """What is unpacked counts, four times, of the members that are read."""
        path, sample = tmp_path / "log.eval", {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}
        content = {
            "_journal/start.json": {},
            "header.json": {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}},
            "summaries.json": [sample | {"id": n} for n in range(50)],
            "samples/large.json": "x" * 100_000,
        }
        with zipfile.ZipFile(path, "w") as archive:
            for name, each in content.items():
                archive.writestr(name, json.dumps(each))
        needed = 4 * sum(len(json.dumps(content[name])) for name in ("header.json", "summaries.json"))
        assert needed < path.stat().st_size
        assert read_table(path, ReadOptions(max_memory=10**7)).rows == 50
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, each in content.items():
                archive.writestr(name, json.dumps(each))
        assert path.stat().st_size < needed
        assert read_table(path, ReadOptions(max_memory=needed)).rows == 50
        with refused("E_TOOBIG", "its samples", exit_code=8):
            read_table(path, ReadOptions(max_memory=needed - 1))


def test_scores_of_samples_are_numbers_or_have_them(tmp_path):
    path = tmp_path / "log.json"
    samples = [{"id": 1, "scores": {"match": 0.5}}, {"id": 2, "scores": {"match": {"value": {"f1": 1, "em": 0}}}}]
    for sample, expected in zip(samples, ({"match": 0.5}, {"match/f1": 1.0, "match/em": 0.0}), strict=True):
        log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": [sample]}
        path.write_text(json.dumps(log))
        (row,) = read_table(path).columns.to_pylist()
        assert {name: row[name] for name in expected} == expected


def test_samples_that_do_not_name_their_metrics(tmp_path):
    path = tmp_path / "samples_sums.jsonl"
    lines = [{"doc_id": n, "doc": {"q": "?"}, "target": "4", "acc": n % 2, "f1": n / 4, "said": "x"} for n in range(4)]
    path.write_text("\n".join(map(json.dumps, lines)))
    columns = read_table(path).columns
    assert columns.column("acc").to_pylist() == [0, 1, 0, 1]
    assert columns.column("f1").to_pylist() == [0, 0.25, 0.5, 0.75]
    assert "said" not in columns.column_names


def test_a_prediction_of_weka_that_is_missing(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("inst#,actual,predicted,error\n1,2.5,2,-0.5\n2,3,?,?\n")
    columns = read_table(path).columns
    assert [1.0 * cell if cell is not None else None for cell in columns.column(columns.column_names[-1]).to_pylist()] \
        == [2.0, None]  # fmt: skip


def test_a_relational_attribute_is_refused_by_name(tmp_path):
    path = tmp_path / "bags.arff"
    path.write_text("@relation r\n@attribute bag relational\n@attribute a numeric\n@end bag\n@data\n'1'\n")
    with refused("E_ARFF", "'bag' is relational", hint="MultiInstanceToPropositional"):
        read_table(path)


def test_narrow_numbers_of_an_archive_keep_their_values(tmp_path):
    """Halves are made floats, which Arrow can reckon with; others stay as they are."""
    kinds = [np.float16, np.float32, np.float64, np.int8]
    np.savez(tmp_path / "a.npz", **{kind.__name__: np.array([0, 1, 2]).astype(kind) for kind in kinds})
    table = read_table(tmp_path / "a.npz").columns
    kept = {name: str(table.schema.field(name).type) for name in table.column_names}
    assert kept == {"float16": "float", "float32": "float", "float64": "double", "int8": "int8"}


def test_a_long_text_that_is_repeated_is_read_as_what_it_says(tmp_path):
    """Few texts and many rows: the footer promises little, and each row has the whole text."""
    path = tmp_path / "rows.parquet"
    texts = [None, "", "a" * 3000]
    pq.write_table(pa.table({"t": pa.array([texts[n % 3] for n in range(300)]), "n": range(300)}), path)
    for limit in (10**5, 10**9):
        try:
            found = read_table(path, ReadOptions(max_memory=limit)).columns.column("t").to_pylist()
        except RefereeError as error:
            assert error.code == "E_TOOBIG"
            assert limit == 10**5
        else:
            assert found == [texts[n % 3] for n in range(300)]


def test_a_packed_piece_ends_where_the_file_ends(tmp_path):
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 100 + b"5,6"))
    pieces = open_batches(path, ReadOptions()).pieces
    assert [row for piece in pieces.read(["b"], 3) for row in piece.column("b").to_pylist()] == ["2"] * 100 + ["6"]


def test_rows_of_a_plain_file_are_reckoned_and_those_of_a_packed_one_are_not(tmp_path):
    plain, packed = tmp_path / "rows.csv", tmp_path / "rows.csv.gz"
    plain.write_bytes(b"a,b\n" + b"1,2\n" * 999)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert open_batches(plain, ReadOptions()).pieces.about_rows == 1000
    assert open_batches(packed, ReadOptions()).pieces.about_rows is None


def test_a_mark_before_text_is_skipped_once(tmp_path):
    """Also where pieces are smaller than the mark, and in encodings that take it away themselves."""
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes("a,b\n1,2\n3,4\n".encode(encoding))
        pieces = open_batches(path, ReadOptions()).pieces
        found = [tuple(row.values()) for piece in pieces.read(["a", "b"], 1) for row in piece.to_pylist()]
        assert found == [("1", "2"), ("3", "4")]


def test_dates_of_arff_have_their_zone(tmp_path):
    path = tmp_path / "rows.arff"
    head = "@relation r\n@attribute at date {}\n@attribute a numeric\n@data\n{},1\n"
    for form, cell, hour, zone in (
        ('"yyyy-MM-dd HH:mm:ssZ"', '"2024-05-06 12:30:00+0200"', 10, "UTC"),
        ('"yyyy-MM-dd HH:mm:ss"', '"2024-05-06 12:30:00"', 12, None),
    ):
        path.write_text(head.format(form, cell))
        cells = read_table(path).columns.column("at")
        assert (cells.type.tz, cells[0].as_py().hour) == (zone, hour)
