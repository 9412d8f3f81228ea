"""The files that the paper's data sets are published as, read as text cells."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from referee.errors import InputError, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.study.datasets import PaperDataSet

Columns = dict[str, list[str]]
DATA = re.compile(r"^\s*@data\b.*$", re.IGNORECASE | re.MULTILINE)
ATTRIBUTE = re.compile(r"^\s*@attribute\s+('[^']*'|\"[^\"]*\"|\S+)", re.IGNORECASE | re.MULTILINE)


def columns_of_uci(spec: PaperDataSet, contents: Sequence[bytes], source: str) -> Columns:
    """The files of the UCI repository, one below the other; they have no line of names."""
    lines = (line for content in contents for line in text_of(content, source).splitlines())
    rows = [[cell.strip() for cell in line.split(spec.origin.between)] for line in lines if line.strip()]
    names = (spec.columns[-1], *spec.attributes) if spec.origin.class_first else spec.columns
    return _columns(spec, names, rows, source)


def columns_of_csv(spec: PaperDataSet, content: bytes, source: str) -> Columns:
    """A CSV file with names in its first line."""
    rows = _cells(text_of(content, source).splitlines(), '"')
    if not rows:
        raise InputError("E_EMPTY", f"{source} is empty")
    return _columns(spec, _known_names(spec, rows[0], source), rows[1:], source)


def columns_of_arff(spec: PaperDataSet, content: bytes, source: str) -> Columns:
    """An ARFF file, as OpenML has them."""
    text = text_of(content, source)
    begin = DATA.search(text)
    if begin is None:
        raise InputError("E_ARFF", f"{source} has no line @data: it is no ARFF file, or it is cut short")
    names = _known_names(spec, ATTRIBUTE.findall(text[: begin.start()]), source)
    lines = (line for line in text[begin.end() :].splitlines() if not line.lstrip().startswith("%"))
    return _columns(spec, names, _cells(lines, "'"), source)


def text_of(content: bytes, source: str) -> str:
    """The text of a file, unless it is a web page in its place."""
    if re.match(rb"\s*<(!doctype|html|head|\?xml)", content[:200], re.IGNORECASE):
        raise InputError("E_FORMAT", f"{source} is a web page, not the data")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("E_FORMAT", f"{source} is not the text that it should be ({error.reason})") from error


def _cells(lines: Iterable[str], quote: str) -> list[list[str]]:
    reader = csv.reader(lines, quotechar=quote, skipinitialspace=True)
    return [[cell.strip().strip("'\"").strip() for cell in row] for row in reader if row]


def _known_names(spec: PaperDataSet, names: Sequence[str], source: str) -> list[str]:
    """The attributes as we call them, whatever their quotes, colons and capitals."""
    by_letters = {_letters(name): name for name in spec.columns}
    found = [by_letters.get(_letters(name), name) for name in names]
    missing = [name for name in spec.columns if name not in found]
    if missing or len(found) != len(spec.columns):
        wrong = f"has no column {listed(missing)}" if missing else f"has {len(found)} columns"
        raise InputError("E_COLUMNS", f"{source} {wrong}: {spec.name} has {len(spec.columns)} columns")
    return found


def _letters(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _columns(spec: PaperDataSet, names: Sequence[str], rows: list[list[str]], source: str) -> Columns:
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(
                "E_COLUMNS",
                f"{source}: row {number:,} has {len(row)} cells, {spec.name} has {len(names)} columns",
                hint="the file may be cut short: copy or download it again",
            )
    by_name = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
    return {name: by_name.get(name, []) for name in spec.columns}
