"""Readers at their edges: damage inside readable files, foreign files in a folder, limits of exactness and size."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.errors import RefereeError
from referee.predictions import ReadOptions, memory, read_table
from referee.predictions.batches import open_batches
from referee.sources import csv as csv_source
from referee.sources.npz import _is_archive
from referee.sources.parquet import promised_size


def rows_of(path):
    return read_table(path).columns.to_pylist()


@pytest.fixture
def broken_text(tmp_path):
    """A Parquet file whose pages are sound and whose texts are not UTF-8."""
    offsets = pa.py_buffer(np.array([0, 1, 2, 3], np.int32))
    texts = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"a\xffb"))
    path = tmp_path / "broken.parquet"
    pq.write_table(pa.table({"y": [0, 1, 0], "name": texts}), path)
    return path


def test_damaged_values_in_a_readable_parquet_file(broken_text):
    with pytest.raises(RefereeError, match=r"broken\.parquet"):
        read_table(broken_text)
    pieces = open_batches(broken_text, ReadOptions())
    with pytest.raises(RefereeError, match=r"broken\.parquet"):
        list(pieces.read(["y", "name"]))
    assert sum(piece.rows for piece in pieces.read(["y"])) == 3


def test_a_folder_of_parquet_with_other_files(tmp_path):
    for number in range(2):
        pq.write_table(pa.table({"y": [number, 1], "A": [0.1, 0.9]}), tmp_path / f"part-{number}.parquet")
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / "README.md").write_text("about this folder")
    (tmp_path / "more.parquet").mkdir()
    assert [row["y"] for row in rows_of(tmp_path)] == [0, 1, 1, 1]


def test_the_footer_promises_the_bytes_of_the_columns(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": np.zeros(100), "b": np.ones(100)}), path)
    assert promised_size("t", path) == (100, 2 * 8 * 100)
    pq.write_table(pa.table({"a": np.zeros(100), "s": ["long text"] * 100}), path)
    text = pq.ParquetFile(path).metadata.row_group(0).column(1).total_uncompressed_size
    rows, size = promised_size("t", path)
    assert rows == 100
    assert 8 * 100 + text <= size <= 8 * 100 + text + 16 * 100


@pytest.mark.parametrize("cells", [[1, "a"], ["a", 2.5], [True, "a"]])
def test_mixed_types_in_one_list(cells):
    with pytest.raises(RefereeError, match="'A'"):
        read_table({"A": [*cells, cells[0]], "y": [0, 1, 0]})


def test_whole_numbers_of_json_lines_stay_exact(tmp_path):
    numbers = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1]
    path = tmp_path / "ids.jsonl"
    path.write_text("".join(json.dumps({"id": number, "x": 0.5}) + "\n" for number in numbers))
    assert [int(row["id"]) for row in rows_of(path)] == numbers


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n   \n\t\n", [("1", "2")]),
        ("a,b\n1,2\n\n\n", [("1", "2")]),
        ("\n\na,b\n1,2\n", [("1", "2")]),
        ("a\n1\n  \n", [("1",), ("  ",)]),
    ],
)
def test_blank_lines_at_the_end(tmp_path, text, rows):
    """They are no rows; where there is one column, a line of blanks is a cell."""
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert [tuple(row.values()) for row in rows_of(path)] == rows


def test_more_blank_lines_than_are_looked_at_at_once(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "\n" * 200_000)
    assert rows_of(path) == [{"a": "1", "b": "2"}]


def test_a_blank_line_between_rows_is_no_row_of_empty_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,2,3\n\n4,,6\n")
    with pytest.raises(RefereeError, match=r"row 2 \(line 3\) is blank"):
        read_table(path)
    path.write_text("a,b,c\n1,2,3\n,,7\n4,,6\n")
    assert [tuple(row.values()) for row in rows_of(path)] == [("1", "2", "3"), ("", "", "7"), ("4", "", "6")]


class TestSizeOfCsv:
    def pieces(self, path):
        return open_batches(path, ReadOptions()).pieces

    def test_a_plain_file_is_not_read_to_know_its_size(self, tmp_path, monkeypatch):
        path = tmp_path / "plain.csv"
        path.write_text("a,b\n" + "1,2\n" * 1000)
        pieces, size = self.pieces(path), path.stat().st_size
        monkeypatch.setattr(csv_source.CsvPieces, "_goes_beyond", lambda *_: pytest.fail("it was read"))
        self.assert_size(pieces, size, monkeypatch)

    def assert_size(self, pieces, size, monkeypatch):
        for held, too_large in ((size - 1, True), (size, False)):
            monkeypatch.setattr(memory, "machine_memory", lambda held=held: 2 * csv_source.COPIES * held)
            assert pieces.is_too_large(ReadOptions()) is too_large

    def test_a_limit_that_was_said_is_one_of_the_whole_process(self, tmp_path):
        path = tmp_path / "plain.csv"
        path.write_text("a,b\n" + "0.25,0.75\n" * 1_000_000)  # 16 MB as numbers, some of them several times
        assert self.pieces(path).is_too_large(ReadOptions(max_memory=250_000_000))
        assert not self.pieces(path).is_too_large(ReadOptions(max_memory=300_000_000))
        assert self.pieces(path).is_too_large(ReadOptions(max_memory=300_000_000, compares=True))

    def test_a_packed_file_is_as_large_as_what_is_in_it(self, tmp_path, monkeypatch):
        path, content = tmp_path / "packed.csv.gz", b"a,b\n" + b"".join(b"%d,%d\n" % (n * n, n**3) for n in range(1000))
        path.write_bytes(gzip.compress(content))
        self.assert_size(self.pieces(path), len(content), monkeypatch)


WEKA = "inst#,actual,predicted,error,prediction\n{}"


def test_folds_of_weka_are_counted_anew(tmp_path):
    path = tmp_path / "out.csv"
    lines = [f"{inst},1:yes,2:no,+,0.75" for inst in (1, 2, 1, 2, 3, 1)]
    path.write_text(WEKA.format("\n".join(lines)))
    assert [row["fold"] for row in rows_of(path)] == [1, 1, 2, 2, 2, 3]
    path.write_text(WEKA.format("\n".join(lines[:2])))
    assert "fold" not in rows_of(path)[0]
    assert "fold" not in read_table(path).told.roles


def test_rows_of_arff_without_a_weight_have_weight_one(tmp_path):
    path = tmp_path / "w.arff"
    path.write_text("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4,{2.5}\n5,6\n")
    table = read_table(Path(path)).columns.to_pylist()
    assert [list(row.values()) for row in table] == [[1, 2, 1], [3, 4, 2.5], [5, 6, 1]]
    path.write_text("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n1,2\n3,4,{1}\n")
    assert [list(row.values()) for row in read_table(path).columns.to_pylist()] == [[1, 2], [3, 4]]


def test_a_row_of_arff_that_begins_with_a_quoted_brace(tmp_path):
    path = tmp_path / "b.arff"
    head = "@relation r\n@attribute a string\n@attribute b numeric\n@attribute t date 'yyyy-MM-dd'\n@data\n"
    path.write_text(head + "'{',5,1999-12-31\n{0 z, 1 7}\n{0 'x y', 2 2001-02-03}\n")
    found = [list(row.values()) for row in rows_of(path)]
    assert [row[1] for row in found] == [5, 7, 0]
    assert (found[0][0], found[2][0]) == ("{", "x y")
    # What a sparse row leaves out is 0: of dates Java's, the beginning of 1970.
    assert [row[2].date().isoformat() for row in found] == ["1999-12-31", "1970-01-01", "2001-02-03"]


@pytest.mark.parametrize(("row", "fields"), [("3", 1), ("3,4,5", 3)])
def test_rows_of_another_length_are_named(tmp_path, row, fields):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n1,2\n{row}\n5,6\n")
    with pytest.raises(RefereeError, match=rf"row 2 \(line 3\) has {fields} field") as caught:
        read_table(path)
    assert caught.value.code == "E_RAGGED"


def test_notes_of_pieces(tmp_path):
    plain, packed = tmp_path / "t.csv", tmp_path / "t.csv.gz"
    plain.write_text("a;b\n1;2\n")
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    for number in range(2):
        pq.write_table(pa.table({"y": [number]}), tmp_path / f"{number}.parquet")
    expected = {plain: ("delimiter ';'",), packed: ("gzip",), tmp_path / "*.parquet": ("2 files",)}
    for path, notes in expected.items():
        assert open_batches(str(path), ReadOptions()).pieces.notes == notes
        assert read_table(str(path)).notes == notes
    assert open_batches(str(tmp_path / "0.parquet"), ReadOptions()).pieces.notes == ()


def test_values_of_an_inspect_log(tmp_path):
    values = [True, 0.25, None, "C", "I", 3]
    samples = [{"id": n, "scores": {"match": {"value": value}}} for n, value in enumerate(values)]
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    found = rows_of(path)
    assert [row["match"] for row in found] == [1, 0.25, None, 1, 0, 3]
    assert {row["epoch"] for row in found} == {1}
    samples[1]["scores"]["match"]["value"] = ["odd"]
    path.write_text(json.dumps(log))
    with pytest.raises(RefereeError, match="sample 2"):
        read_table(path)


def test_a_table_of_duckdb_is_as_large_as_its_columns(tmp_path):
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select n::double as a, n::bigint as b from range(1000) r(n)")
    assert read_table(f"duckdb:///{path}#t", ReadOptions(max_memory=17_000)).rows == 1000
    with pytest.raises(RefereeError, match="1,000 rows"):
        read_table(f"duckdb:///{path}#t", ReadOptions(max_memory=15_999))


def test_an_array_needs_twice_its_file(tmp_path):
    path = tmp_path / "scores.npy"
    np.save(path, np.zeros(1000))
    twice = 2 * path.stat().st_size
    assert read_table(path, ReadOptions(max_memory=twice)).rows == 1000
    with pytest.raises(RefereeError, match=r"scores\.npy") as caught:
        read_table(path, ReadOptions(max_memory=twice - 1))
    assert caught.value.code == "E_TOOBIG"


def test_an_archive_of_other_files_is_no_archive_of_arrays():
    import zipfile

    def packed(name):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(name, b"x")
        return file.getvalue()

    assert _is_archive(packed("y.npy"))
    assert not _is_archive(packed("header.json"))
    assert not _is_archive(b"\0" * 26 + packed("y.npy")[26:])


def test_levels_of_an_attribute_end_in_a_bracket(tmp_path):
    path = tmp_path / "rows.arff"
    path.write_text("@relation r\n@attribute y {a, b\n@attribute A numeric\n@data\na,0.5\n")
    with pytest.raises(RefereeError, match=r"levels of attribute 'y' do not end in '}'"):
        read_table(path)


def test_folds_of_a_weka_file_are_told(tmp_path):
    head = "=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n"
    rows = "     1        1:n        1:n       0.8 \n     2        2:p        1:n   +   0.6 \n"
    (tmp_path / "two.txt").write_text(head + rows + rows.replace("0.6", "0.7"))
    (tmp_path / "one.txt").write_text(head + rows)
    assert read_table(tmp_path / "two.txt").columns.column("fold").to_pylist() == [1, 1, 2, 2]
    assert "fold" not in read_table(tmp_path / "one.txt").columns.column_names


def test_a_run_that_did_not_end_says_so(tmp_path):
    sample = {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}}
    log = {"eval": {"task": "t", "model": "m"}, "samples": [sample]}
    for status, notes in (("success", ()), ("cancelled", ("the run's status is 'cancelled'",))):
        (tmp_path / "log.json").write_text(json.dumps({"version": 2, "status": status} | log))
        assert read_table(tmp_path / "log.json").notes == notes


def test_a_frame_without_a_named_index_stays_as_it_is():
    pandas = pytest.importorskip("pandas")
    plain = pandas.DataFrame({"y": [0, 1], "A": [0.5, 0.25]}, index=[7, 3])
    assert read_table(plain).columns.column_names == ["y", "A"]
    two = plain.set_index(pandas.MultiIndex.from_arrays([["a", "b"], [1, 2]], names=["site", None]))
    assert read_table(two).columns.to_pydict() == {"site": ["a", "b"], "y": [0, 1], "A": [0.5, 0.25]}
