"""Files that are read in pieces have the rows that Python's own readers find, whatever the size of a piece."""

from __future__ import annotations

import csv
import gzip
import io
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from referee.errors import RefereeError
from referee.predictions import ReadOptions, read_table
from referee.predictions.batches import open_batches
from tests.sources.refusals import refused

NAMES = ["id", "text", "x"]
CELLS = [[str(n), ["plain", 'a "word"', "two\nlines", "ä, é", "", "x" * 200][n % 6], f"{n / 7:.3f}"] for n in range(90)]


def as_csv(rows, **options):
    out = io.StringIO()
    csv.writer(out, **options).writerows(rows)
    return out.getvalue()


def pieces_of(path, rows, **options):
    return list(open_batches(path, ReadOptions(**options)).pieces.read(NAMES, rows))


def cells_of(pieces):
    return [list(row.values()) for piece in pieces for row in piece.to_pylist()]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("rows", [2, 20, 1000])
def test_rows_of_csv(tmp_path, rows, encoding):
    for ending, blank in (("\n", ""), ("\r\n", "\r\n\r\n"), ("\n", "\n\n   \n")):
        text = as_csv([NAMES, *CELLS], lineterminator=ending) + blank
        (tmp_path / "t.csv").write_bytes(text.encode(encoding))
        (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode(encoding)))
        for name in ("t.csv", "t.csv.gz"):
            pieces = pieces_of(tmp_path / name, rows)
            assert cells_of(pieces) == CELLS
            assert len(pieces) > 1 or rows > 20


@pytest.mark.parametrize("rows", [1, 4, 1000])
@pytest.mark.parametrize("place", [0, 41, 89])
def test_a_damaged_row_is_named_in_any_piece(tmp_path, place, rows):
    """By its number among the rows, and by its line, as cells may hold line ends."""
    damaged = [[*row, "more"] if n == place else row for n, row in enumerate(CELLS)]
    path = tmp_path / "t.csv"
    path.write_text(as_csv([NAMES, *damaged], lineterminator="\n"))
    line = 1 + as_csv([NAMES, *CELLS[:place]], lineterminator="\n").count("\n")
    with refused("E_RAGGED", f"row {place + 1}", f"line {line}"):
        pieces_of(path, rows)


def test_one_row_that_is_larger_than_the_memory(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(as_csv([NAMES, ["1", "y" * 300_000, "2"]]))
    with refused("E_TOOBIG", "one row has more than", exit_code=8):
        pieces_of(path, 1000, max_memory=500_000)
    assert len(cells_of(pieces_of(path, 1000, max_memory=50_000_000))[0][1]) == 300_000


@pytest.mark.parametrize("rows", [1, 7, 50, 1000])
def test_rows_of_parquet(tmp_path, rows):
    table = pa.table({"id": range(90), "text": [row[1] for row in CELLS], "x": [n / 7 for n in range(90)]})
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(table.slice(0, 40), folder / "1.parquet", row_group_size=9)
    pq.write_table(table.slice(40), folder / "2.parquet", use_dictionary=False)
    pieces = pieces_of(folder, rows)
    assert [row for piece in pieces for row in piece.to_pylist()] == table.to_pylist()
    assert max(piece.num_rows for piece in pieces) <= rows
    assert len(pieces) >= 90 / rows


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", ">f8", "i1", "u8", ">i4", "?", "U5", "S5"])
def test_numbers_of_numpy_keep_their_digits(tmp_path, kind):
    numbers = {"f": [0.1, -1e4, 1 / 3], "i": [-7, 0, 99], "u": [0, 1, 2**53], "?": [True, False, True]}
    array = np.array(numbers.get(kind.strip("><")[0], ["a", "", "bcd"])).astype(kind)
    np.save(tmp_path / "m.npy", array)
    found = read_table(tmp_path / "m.npy").columns.column("m").to_pylist()
    assert found == [cell.decode() if isinstance(cell, bytes) else cell for cell in array.tolist()]


def test_arrays_of_three_axes_and_of_nothing_are_refused(tmp_path):
    np.save(tmp_path / "three.npy", np.zeros((2, 2, 2)))
    with refused("E_SHAPE", "(2, 2, 2)", hint="(rows, classes)"):
        read_table(tmp_path / "three.npy")
    np.save(tmp_path / "complex.npy", np.zeros(3, complex))
    with refused("E_TYPE", "complex128"):
        read_table(tmp_path / "complex.npy")
    content = (tmp_path / "three.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(content[:-1])
    with pytest.raises(RefereeError, match=r"cut\.npy"):
        read_table(tmp_path / "cut.npy")
    (tmp_path / "long.npy").write_bytes(content[:8] + struct.pack("<H", 60_000) + content[10:])
    with pytest.raises(RefereeError, match=r"long\.npy"):
        read_table(tmp_path / "long.npy")


WEKA = "inst#,actual,predicted,error,prediction\n"


def test_missing_cells_of_weka(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text(WEKA.replace("error,prediction", "error") + "1,2.5,2,-0.5\n2,?,3,?\n3,4,?,?\n")
    rows = read_table(path).columns
    assert rows.column("actual").to_pylist() == [2.5, None, 4.0]
    assert rows.column(1).to_pylist().count(None) + rows.column(2).to_pylist().count(None) == 2
    path.write_text(WEKA + "1,1:no,1:no,,0.8\n2,1:?,2:yes,,0.6\n3,2:yes,1:no,+,0.9\n")
    assert read_table(path).columns.column("actual").to_pylist() == ["no", None, "yes"]


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("a relational", "'a' is relational"),
        ("a nummeric", "did you mean 'numeric'"),
        ("a", "an attribute needs a name and a type"),
        ("a {x, y", "do not end in"),
        ("'a numeric", "is not closed"),
    ],
)
def test_declarations_of_arff_that_mean_nothing(tmp_path, declared, words):
    path = tmp_path / "t.arff"
    path.write_text(f"@relation r\n@attribute {declared}\n@attribute b numeric\n@data\n1,2\n")
    with refused("E_ARFF", words):
        read_table(path)
