"""A document on the screen: the answer last, and above it what it rests on, cut to the width that there is."""

from __future__ import annotations

import io
from math import isfinite
from textwrap import fill, indent
from typing import TYPE_CHECKING, NamedTuple

from referee.document.grid import BETWEEN_COLUMNS, Grid, GridColumn, Styled
from referee.document.model import Lines, Table, Terms, few_of_each
from referee.document.screen import Screen, print_dim, print_title, print_wrapped, screen, wrapped, writable
from referee.document.short_names import columns_of
from referee.document.words import distinct_names, folded, message_line, name_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.document.model import Bar, Block, Cell, Column, Document, Part
    from referee.errors import Notice

STYLES = {"": "bold", "good": "bold green", "even": "bold yellow", "bad": "bold red"}
WARNING = "warning"
INDENT = "  "
INDENTS = {"heading": "", "part": 2 * INDENT}
LONGEST_HEADER = 33
HEADER_WIDTHS = (LONGEST_HEADER, 11, 10, 9, 8, 7, 6)
"""Of the heads of columns: the widest that fit."""
BAR_WIDTH, NARROWEST_BAR = 24, 10


def print_document(document: Document, *, quiet: bool = False, console: Screen | None = None) -> None:
    """Print all but the details; quietly, what was asked for and the answer."""
    console = console or screen()
    if not quiet:
        _print_opening(console, document)
    parts = [part for part in document.parts if part.asked or not (quiet or part.detail)]
    for part in parts:
        print_part(console, part)
    if not quiet:
        _print_what_is_left_out(console, document)
        print_notices(console, document.notices)
        print_dim(console, map(message_line, document.more))
    if document.sentence:
        if parts:
            console.print()
        print_wrapped(console, document.sentence, STYLES[document.tone])


def terminal_text(document: Document, width: int = 80) -> str:
    """The same as a text, without colours."""
    file = io.StringIO()
    print_document(document, console=Screen(file, width))
    return file.getvalue()


def _print_opening(console: Screen, document: Document) -> None:
    if document.about:
        print_wrapped(console, document.about, "dim")
    print_dim(console, map(message_line, document.notes))
    if document.opening not in ("", document.sentence):
        print_wrapped(console, document.opening, "bold")


def _print_what_is_left_out(console: Screen, document: Document) -> None:
    if titles := [in_a_list(part.title) for part in document.parts if part.detail and not part.asked]:
        print_dim(console, [f"--all also shows: {'; '.join(titles)}"])


def in_a_list(title: str) -> str:
    """A heading among others.

    >>> in_a_list("Why this test"), in_a_list("AUC of each class")
    ('why this test', 'AUC of each class')
    """
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def print_part(console: Screen, part: Part) -> None:
    if part.title:
        print_title(console, part.title)
    for block in part.blocks:
        print_block(console, block)


def print_block(console: Screen, block: Block) -> None:
    if isinstance(block, Table):
        _print_table(console, block)
    elif isinstance(block, Terms):
        _print_terms(console, block)
    else:
        _print_lines(console, block)


def _print_lines(console: Screen, lines: Lines) -> None:
    if lines.kind == "remarks":
        print_dim(console, map(message_line, lines.items))
        return
    first, rest = {
        "list": ("  - ", "    "),
        "steps": ("", "   "),
        "formulas": (INDENT, INDENT * 2),
        "code": (INDENT, INDENT),
    }[lines.kind]
    for item in lines.items:
        width = console.width if lines.kind != "code" else 10_000
        for line in wrapped(message_line(item), width, first, rest):
            console.print(line)


def _print_terms(console: Screen, terms: Terms) -> None:
    """Each word, and beside it what is said of it."""
    room = max((columns_of(term.name) for term in terms.items), default=0) + BETWEEN_COLUMNS
    for term in terms.items:
        head = INDENT + term.name + " " * (room - columns_of(term.name))
        for place, line in enumerate(term.lines):
            beside = " " * (room + len(INDENT))
            for part in wrapped(message_line(line), console.width, beside if place else head, beside):
                console.print(part)


def print_notices(console: Screen, notices: Iterable[Notice]) -> None:
    for notice in few_of_each(notices):
        text = f"{WARNING}[{notice.code}] {message_line(notice.message)}"
        first, *more = wrapped(text, console.width, rest=INDENT)
        console.write(console.styled(WARNING, "bold yellow") + first.removeprefix(WARNING))
        for part in more:
            console.print(part)


class Layout(NamedTuple):
    """A table as it fits the screen: which of its forms, and how wide its heads may be."""

    table: Table
    header_width: int


def _print_table(console: Screen, table: Table) -> None:
    layout = _layout(console, table)
    if isinstance(layout, Terms):
        _print_terms(console, layout)
        print_dim(console, map(message_line, [*filter(None, [layout.more]), *table.remarks]))
        return
    labels = _row_labels(layout.table)
    for columns in _side_by_side(console, layout):
        for line in _with_bars(console, layout, columns).texts(console):
            console.write(line)
    remarks = [*filter(None, [layout.table.more]), *layout.table.remarks]
    print_dim(console, [*map(message_line, remarks), *name_key(labels), *name_key(_headers(layout.table))])


def _layout(console: Screen, table: Table) -> Layout | Terms:
    """The widest form that fits; where none does, the narrowest."""
    forms = [form for form in (table, *table.narrower) if isinstance(form, Table)]
    layouts = [Layout(form, width) for form in forms for width in HEADER_WIDTHS]
    fitting = (layout for layout in layouts if _grid(layout).width <= console.width)
    words = next((form for form in table.narrower if isinstance(form, Terms)), None)
    return next(fitting, words or Layout(forms[-1], HEADER_WIDTHS[1]))


def _row_labels(table: Table) -> dict[str, str]:
    names = dict.fromkeys(name for row in table.rows for cell in row for name in cell.names)
    return distinct_names(names, table.longest_name)


def _headers(table: Table) -> dict[str, str]:
    return distinct_names((column.title for column in table.columns if column.is_name), LONGEST_HEADER)


def _grid(layout: Layout, columns: Sequence[int] | None = None, bars: Sequence[str] = ()) -> Grid:
    """Names left, numbers right, no frame."""
    table = layout.table
    shown = range(len(table.columns)) if columns is None else columns
    headers, labels = _headers(table), _row_labels(table)
    side_by_side = [_grid_column(layout, place, headers, labels) for place in shown]
    if side_by_side:
        side_by_side[0] = _at_the_edge(table, side_by_side[0])
    if bars:
        side_by_side.append(GridColumn("", [Styled(writable(bar)) for bar in bars]))
    return Grid(side_by_side)


def _grid_column(layout: Layout, place: int, headers: dict[str, str], labels: dict[str, str]) -> GridColumn:
    table, column = layout.table, layout.table.columns[place]
    room = _room(table, place)
    cells = [row[place] if place < len(row) else None for row in table.rows]
    texts = [Styled(writable(_text(cell, labels, room)), _style(cell)) if cell else Styled("") for cell in cells]
    is_left = bool(place < table.labels or column.words or room[1])
    return GridColumn(writable(_title(column, headers, layout.header_width)), texts, is_left)


def _at_the_edge(table: Table, column: GridColumn) -> GridColumn:
    """The names of the rows; where another column tells rows apart, a name is not repeated."""
    first = [row[0] for row in table.rows]
    names = [
        Styled("") if table.labels > 1 and name == before else Styled(INDENTS.get(name.mark, INDENT) + text, style)
        for name, before, (text, style) in zip(first, [None, *first], column.cells, strict=False)
    ]
    return column._replace(head=indent(column.head, INDENT), cells=names)


def _title(column: Column, headers: dict[str, str], width: int) -> str:
    """Over several lines where it must: a name at its joints, a title between its words."""
    if column.is_name:
        return folded(headers[column.title], width)
    return fill(column.title, width, break_long_words=False, break_on_hyphens=False)


def _style(cell: Cell) -> str:
    return "bold" if cell.is_bold else "dim" if "quiet" in cell.mark.split() else ""


def _room(table: Table, place: int) -> tuple[int, int]:
    """For the values of a column and what stands beside them, so that they stand below each other."""
    column = [row[place] for row in table.rows if place < len(row)]
    small = max((columns_of(cell.small) for cell in column), default=0)
    return (max(columns_of(cell.text) for cell in column), small) if small else (0, 0)


def _text(cell: Cell, labels: dict[str, str], room: tuple[int, int]) -> str:
    return f"{cell.text:>{room[0]}} {cell.small:<{room[1]}}" if room[1] else cell.shown(labels)


def _side_by_side(console: Screen, layout: Layout) -> Iterator[list[int]]:
    """The columns that stand in one table, the first one in each: as many as the screen is wide."""
    if not layout.table.columns:
        return
    names = [*range(layout.table.labels)]
    last = [place for place, column in enumerate(layout.table.columns) if column.in_each and place not in names]
    chosen = names
    for place in [place for place in range(len(names), len(layout.table.columns)) if place not in last]:
        wider = [*chosen, place, *last]
        if chosen != names and _grid(layout, wider).width > console.width:
            yield [*chosen, *last]
            chosen = names
        chosen = [*chosen, place]
    yield [*chosen, *last]


def _with_bars(console: Screen, layout: Layout, columns: list[int]) -> Grid:
    grid, bars = _grid(layout, columns), layout.table.bars
    known = [end for bar in bars if bar for end in (bar.low, bar.high) if end is not None]
    room = min(BAR_WIDTH, console.width - grid.width - BETWEEN_COLUMNS)
    if not known or room < NARROWEST_BAR:
        return grid
    return _grid(layout, columns, [drawn(bar, min(known), max(known), room) for bar in bars])


def drawn(bar: Bar | None, low: float, high: float, columns: int) -> str:
    """An interval in a line of text, with its value; nothing where it is undefined.

    >>> from referee.document.model import Bar
    >>> print(drawn(Bar(0.2, 0.5, 0.8), 0.0, 1.0, 11))
      ├──●──┤
    """
    if bar is None or bar.low is None or bar.value is None or bar.high is None or not isfinite(high - low):
        return ""
    start, middle, end = (_place(value, low, high, columns) for value in (bar.low, bar.value, bar.high))
    signs = [" "] * start + ["─"] * (end - start + 1)
    signs[start], signs[end] = "├", "┤"
    signs[middle] = "●"
    return "".join(signs)


def _place(value: float, low: float, high: float, columns: int) -> int:
    share = (value - low) / (high - low) if high > low else 0.5
    return round(share * (columns - 1))
