"""What every result can do: show itself in all formats, and give programs JSON that everybody can read, and CSV."""

from __future__ import annotations

import csv
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.document.kinds import of_its_kinds
from referee.document.model import Table, Terms
from referee.document.words import named
from referee.document.written_files import write_file
from referee.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from referee.document.model import Block, Document, Part
    from referee.page import FramedPage, Picture


MOST_IN_REPR = 6
"""Rows of the first table that a `repr` shows."""
FORMATS = {".html": "to_html", ".json": "to_json", ".csv": "to_csv", ".md": "to_markdown", ".tex": "to_latex"}
"""What a file's name says of its content."""
SCHEMA = 2
"""Of the JSON: it rises when a field changes its meaning or goes; new fields may come at any time."""
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
OBEYED_BY_TERMINALS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
RUN_BY_SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r")


class Result(ABC):
    """A result that builds a document of itself; everything else follows from that.

    `str()` is its sentence. `to_markdown()`, `to_latex()`, `to_csv()`, `to_json()`,
    `to_html()` and `to_frame()` give it in other forms, `save(path)` writes the one
    that the file's name says, `plot()` draws it, `explained()` derives its numbers,
    `page()` shows everything inside a notebook.
    """

    @property
    def command(self) -> str:
        """The command that makes this result on the command line."""
        return type(self).__name__.lower()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the CSV file, for results that may have no records."""
        return ()

    @abstractmethod
    def document(self, *, whole: bool = False) -> Document:
        """The content, whatever the format; `whole` has long tables in full."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as a dict, as in its JSON, without what the command line adds."""

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, Any]]:
        """The rows of the CSV file, with all digits."""

    def explanation(self) -> tuple[Part, ...]:
        """The formulas with these numbers filled in, as `--explain` shows them; empty if there are none."""
        return ()

    def explained(self) -> list[str]:
        """The explanation line by line; the rows of a table are its cells."""
        return [line for part in self.explanation() for block in part.blocks for line in _lines_of(block)]

    def _full_document(self, *, whole: bool = False, explain: bool = False) -> Document:
        """The document, with the explanation where that is asked for."""
        return self.document(whole=whole).with_parts(*(self.explanation() if explain else ()))

    def to_json(self) -> str:
        """What `--format json` writes."""
        return result_json(self.command, self.to_dict())

    def to_csv(self, *, raw: bool = False) -> str:
        """What `--format csv` writes: one line per record, with all digits; `raw` as `--raw` does."""
        return csv_text(self.records(), self.columns, raw=raw)

    def to_markdown(self, *, whole: bool = False, explain: bool = False) -> str:
        """What `--format md` writes; `whole` as `--all` does, `explain` as `--explain`."""
        from referee.document.markdown import markdown_text

        return markdown_text(self._full_document(whole=whole, explain=explain))

    def to_latex(self, *, whole: bool = False, explain: bool = False) -> str:
        r"""The tables for a paper; they need `\\usepackage{booktabs}`."""
        from referee.document.latex import latex_text

        return latex_text(self._full_document(whole=whole, explain=explain))

    def to_frame(self) -> Any:
        """The records as a pandas or polars data frame or an Arrow table, whichever is installed."""
        return frame_of(self.records())

    @of_its_kinds
    def to_html(self, path: str | PathLike[str] | None = None, *, command: str = "", explain: bool = False) -> str:
        """Everything as one HTML file that works offline, written to a path if one is given.

        `command` is what the page says of how to make it again; `explain` adds what `--explain` shows.
        """
        from referee.page import page_of, save_page  # the layer above

        text = page_of(self, command=command, explain=explain)
        if path is not None:
            save_page(path, text)
        return text

    @of_its_kinds
    def save(self, path: str | PathLike[str]) -> None:
        """Write the result to a file; its ending gives the format: .html, .json, .csv, .md or .tex."""
        suffix = Path(path).suffix.lower()
        if suffix not in FORMATS:
            raise UsageError(
                "E_FORMAT", f"{path}: there is no format {suffix!r}", hint=f"one of {named(list(FORMATS))}"
            )
        write_file("path", path, getattr(self, FORMATS[suffix])().encode())

    @of_its_kinds
    def plot(self, what: str | None = None) -> Picture:
        """A chart of the page: the first one, or one by name, such as "goal", "roc" or "calibration"."""
        from referee.page import chosen  # the layer above

        return chosen(self._pictures, what)

    @cached_property
    def _pictures(self) -> dict[str, Picture]:
        from referee.page import pictures_in  # the layer above

        return pictures_in(self.to_html())

    def page(self, *, explain: bool = False) -> FramedPage:
        """The whole page inside a notebook; `explain` adds what `--explain` shows."""
        from referee.page import FramedPage  # the layer above

        return FramedPage(f"The {type(self).__name__.lower()}", str(self), self.to_html(explain=explain))

    def _repr_html_(self) -> str:
        """In a notebook: the answer, and the first rows of what it rests on; `page()` shows everything."""
        from referee.document.html import document_html

        return document_html(self._beginning())

    def _repr_markdown_(self) -> str:
        """The same for documents that are made from notebooks, such as Quarto's."""
        from referee.document.markdown import markdown_text

        return markdown_text(self._beginning())

    def __str__(self) -> str:
        return self.document().sentence

    def __repr__(self) -> str:
        """The answer, and the first rows of what it rests on."""
        from referee.document.terminal import terminal_text

        return f"{type(self).__name__}: {terminal_text(self._beginning()).rstrip()}"

    def _beginning(self) -> Document:
        document = self.document()
        opening = "" if document.sentence else document.opening
        return replace(document, parts=_first_table(document), notices=(), opening=opening, notes=())


def _first_table(document: Document) -> tuple[Part, ...]:
    for part in document.parts:
        if part.tables:
            return (replace(part, blocks=(_shorter(part.tables[0]),)),)
    return ()


def _shorter(block: Table | Terms) -> Any:
    """The first rows alone, also of what a narrow screen shows."""
    if isinstance(block, Terms):
        return replace(block, items=block.items[:MOST_IN_REPR], more="")
    narrower = tuple(map(_shorter, block.narrower))
    rows, bars = block.rows[:MOST_IN_REPR], block.bars[:MOST_IN_REPR]
    return replace(block, rows=rows, bars=bars, remarks=(), more="", narrower=narrower)


def _lines_of(block: Block) -> list[str]:
    if isinstance(block, Table):
        heads = [column.title for column in block.columns]
        return ["; ".join(heads), *("; ".join(cell.both() for cell in row) for row in block.rows), *block.remarks]
    return [line for term in block.items for line in term.lines] if isinstance(block, Terms) else [*block.items]


def frame_of(records: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a data frame of what is installed."""
    columns = {name: [record.get(name) for record in records] for name in (records[0] if records else ())}
    try:
        import pandas as pd

        return pd.DataFrame(columns)
    except ImportError:
        pass
    try:
        import polars as pl

        return pl.DataFrame(columns, strict=False)
    except ImportError:
        import pyarrow as pa

        return pa.table(columns)


def result_json(command: str, body: dict[str, Any]) -> str:
    """The contract's object; the same input gives the same bytes."""
    return json_text({"referee": __version__, "schema": SCHEMA, "command": command} | body)


def json_text(body: object) -> str:
    """JSON as everybody can read it, which knows no infinity."""
    return json.dumps(finite(body), ensure_ascii=False, allow_nan=False)


def finite(value: Any) -> Any:
    """The same with null where a number is infinite or none.

    >>> finite({"critical": float("inf"), "ends": [0.5, float("nan")]})
    {'critical': None, 'ends': [0.5, None]}
    """
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value


def csv_text(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, raw: bool = False) -> str:
    """Records as CSV, the first of which has all columns; where there is none, the columns that there would be."""
    names = list(records[0]) if records else list(columns)
    return csv_lines([names, *([record.get(name) for name in names] for record in records)], raw=raw)


def csv_lines(rows: Iterable[Iterable[Any]], *, raw: bool = False) -> str:
    """Rows of cells as CSV: what a spreadsheet would run is written as text, unless cells stay as they are."""
    lines: list[str] = []
    # Cells with either character of this end of line are quoted; the file has the usual end.
    writer = csv.writer(SimpleNamespace(write=lines.append), lineterminator="\r\n")
    writer.writerows([plain_cell(cell) if isinstance(cell, str) and not raw else cell for cell in row] for row in rows)
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


def plain_cell(text: str) -> str:
    r"""A text as a spreadsheet or a terminal shows it, with a quote before what would be taken for a formula.

    >>> plain_cell("=1+1"), plain_cell("-0.5"), plain_cell("forest"), plain_cell("\x1b[2J")
    ("'=1+1", '-0.5', 'forest', '\\x1b[2J')
    """
    text = OBEYED_BY_TERMINALS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)
    return f"'{text}" if text.startswith(RUN_BY_SPREADSHEETS) and not NUMBER.fullmatch(text) else text
