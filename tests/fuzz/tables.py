"""Random tables that a careless program could have written, in every format of files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import sqlite3
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

LABELS = (["0", "1"], ["no", "yes"], ["neg", "pos", "?"], ["a", "b", "c"], ["1", "2", "3", "4"], ["True", "False"])
ODD_TEXT = (
    "",
    " ",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "=1+1",
    "\x1b[2J",
    "é",
    "9" * 30,
    "1,5",
    "\u202e",
    "'",
    '"',
    ",",
)
ODD_NUMBERS = (0.0, -0.0, 1.0, 0.5, 1e-320, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, 2.0**53, 1 + 1e-12)
WHOLE = (0, 1, 2, -1, 2**31, 2**53, 2**53 + 1, -(2**63))


def labels(draw: Random, rows: int) -> list[Any]:
    names = draw.choice(LABELS)
    cells: list[Any] = [draw.choice(names) for _ in range(rows)]
    return [int(cell) for cell in cells] if names[0].isdigit() and draw.random() < 0.5 else cells


def shares(draw: Random, rows: int) -> list[Any]:
    digits = draw.choice((1, 3, 17))
    return [round(draw.random(), digits) for _ in range(rows)]


def amounts(draw: Random, rows: int) -> list[Any]:
    size = 10.0 ** draw.choice((-300, -5, 0, 0, 0, 5, 150))
    return [size * draw.gauss(draw.choice((0, 10, 1e9)), 1) for _ in range(rows)]


def whole(draw: Random, rows: int) -> list[Any]:
    return [draw.choice(WHOLE) if draw.random() < 0.1 else draw.randrange(6) for _ in range(rows)]


def places(_draw: Random, rows: int) -> list[Any]:
    return list(range(rows))


def constant(draw: Random, rows: int) -> list[Any]:
    return [draw.choice((0, 1, 0.5, "x", None))] * rows


def days(draw: Random, rows: int) -> list[Any]:
    return [f"2024-{draw.randrange(1, 13):02}-{draw.randrange(1, 32):02}" for _ in range(rows)]


def odd(draw: Random, rows: int) -> list[Any]:
    return [draw.choice((None, *ODD_TEXT)) for _ in range(rows)]


KINDS = (labels, shares, shares, shares, amounts, whole, places, constant, days, odd)


def with_odd_cells(draw: Random, cells: list[Any]) -> list[Any]:
    """Now and then a cell that does not belong there."""
    if draw.random() < 0.75:
        return cells
    strange = draw.choice((ODD_TEXT, ODD_NUMBERS, (None,)))
    return [draw.choice(strange) if draw.random() < 0.1 else cell for cell in cells]


def table(draw: Random) -> dict[str, list[Any]]:
    """Columns y, m1, m2 ... of few rows, of which the first is to be predicted: as people have them, or anything."""
    if draw.random() < 0.6:
        return usual(draw)
    rows = draw.choice((0, 1, 2, 3, 5, 8, 13, 21, 34, 55))
    truth = draw.choice((labels, labels, labels, amounts, whole, odd, constant))
    kinds = [truth, *(draw.choice(KINDS) for _ in range(draw.randrange(1, 6)))]
    names = ["y", *(name_of(draw, place) for place in range(1, len(kinds)))]
    return {name: with_odd_cells(draw, kind(draw, rows)) for name, kind in zip(names, kinds, strict=True)}


def usual(draw: Random) -> dict[str, list[Any]]:
    """Two or three models of a truth, with ties, constants or extremes that a real table may have."""
    rows = draw.choice((4, 8, 13, 21, 34, 55))
    truth = draw.choice((labels, labels, amounts))(draw, rows)
    kinds = (shares, shares, shares, constant) if truth and isinstance(truth[0], str | int) else (amounts, whole)
    columns = {"y": truth} | {f"m{place}": draw.choice(kinds)(draw, rows) for place in range(1, draw.randrange(3, 5))}
    if draw.random() < 0.3:
        columns["w"] = [draw.choice((0, 1, 2, 0.5, 1e-300, 1e300)) for _ in range(rows)]
    if draw.random() < 0.3:
        columns["fold"] = [draw.randrange(3) for _ in range(rows)]
    return columns


def name_of(draw: Random, place: int) -> str:
    strange = (
        f"m {place}",
        f"m:{place}",
        f"=m{place}",
        f"m{place}\n",
        f"µ{place}",
        f"m:{draw.choice('abc')}",
        "w",
        "fold",
    )
    return draw.choice(strange) if draw.random() < 0.2 else f"m{place}"


def as_text(columns: dict[str, list[Any]], delimiter: str = ",") -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows(
        zip(*(["" if cell is None else cell for cell in cells] for cells in columns.values()), strict=True)
    )
    return file.getvalue().encode()


def as_json_lines(columns: dict[str, list[Any]]) -> bytes:
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows).encode()


def as_arrow(columns: dict[str, list[Any]]) -> pa.Table:
    arrays = {}
    for name, cells in columns.items():
        try:
            arrays[name] = pa.array(cells)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            arrays[name] = pa.array([None if cell is None else str(cell) for cell in cells])
    return pa.table(arrays)


def as_parquet(columns: dict[str, list[Any]]) -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(as_arrow(columns), file)
    return file.getvalue()


def as_feather(columns: dict[str, list[Any]]) -> bytes:
    file = io.BytesIO()
    pa.feather.write_feather(as_arrow(columns), file, compression="uncompressed")
    return file.getvalue()


FORMATS = {
    "rows.csv": as_text,
    "rows.tsv": lambda columns: as_text(columns, "\t"),
    "rows.csv.gz": lambda columns: gzip.compress(as_text(columns)),
    "rows.jsonl": as_json_lines,
    "rows.parquet": as_parquet,
    "rows.arrow": as_feather,
}


def damaged(draw: Random, content: bytes) -> bytes:
    """Cut off, flipped, doubled or with bytes of something else inside."""
    place = draw.randrange(len(content) + 1)
    return draw.choice(
        (
            content[:place],
            content[:place] + bytes([draw.randrange(256)]) + content[place + 1 :],
            content[:place] + content,
            content[:place] + draw.randbytes(3) + content[place:],
            content.decode("latin-1").encode("utf-16"),
        )
    )


def written(draw: Random, folder: Path, columns: dict[str, list[Any]]) -> str:
    """The address of a table in some format; one of eight is damaged."""
    if draw.random() < 0.08 and len({name.lower() for name in columns}) == len(columns):
        return in_sqlite(folder, columns)
    name = draw.choice(list(FORMATS))
    content = FORMATS[name](columns)
    path = folder / name
    path.write_bytes(damaged(draw, content) if draw.random() < 0.12 else content)
    return str(path)


def in_sqlite(folder: Path, columns: dict[str, list[Any]]) -> str:
    path = folder / "rows.sqlite"
    path.unlink(missing_ok=True)
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
    with sqlite3.connect(path) as database:
        database.execute(f"CREATE TABLE rows ({', '.join(quoted)})")
        cells = [
            [str(cell) if isinstance(cell, int) and abs(cell) >= 2**63 else cell for cell in part]
            for part in columns.values()
        ]
        marks = ", ".join("?" * len(columns))
        database.executemany(f"INSERT INTO rows VALUES ({marks})", list(zip(*cells, strict=True)))
    database.close()
    return f"sqlite:///{path}#rows"
