"""The screen: as wide as the terminal, plain text unless it is one."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.report.terminal.signs import writable
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable


BETWEEN_COLUMNS = 2


class Screen(Console):
    """A console on which nothing is markup, and nothing that is shown can be obeyed."""

    def render_str(self, text: str, *, style: Any = "", **_: Any) -> Text:
        return plain(text, style)


def screen() -> Screen:
    """A console as wide as the terminal, 80 columns where there is none; colour only on a terminal."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 80
    return Screen(file=sys.stdout, width=width, highlight=False, soft_wrap=False)


def plain(text: str, style: Any = "") -> Text:
    """A text in which nothing is markup."""
    return Text(writable(text), style=style, no_wrap=True)


def print_title(console: Console, title: str) -> None:
    console.print()
    for line in wrapped(title, console.width):
        console.print(plain(line, "bold"), soft_wrap=True)


def print_dim(console: Console, lines: Iterable[str]) -> None:
    """Print remarks below a table; what is too long goes on below its words, not below its mark."""
    for line in lines:
        for part in wrapped(line, console.width, "  ", "     "):
            console.print(plain(part, "dim"), soft_wrap=True)


def print_wrapped(console: Console, text: str, style: str = "") -> None:
    """Print a sentence over as many lines as it needs."""
    for line in wrapped(message_line(text), console.width):
        console.print(plain(line, style), soft_wrap=True)


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """A text in lines of so many columns of the screen: a letter may take two, and a long word is broken.

    >>> wrapped("a sentence of words", 12, "- ", "  ")
    ['- a sentence', '  of words']
    >>> wrapped("模型模型 ok", 6)
    ['模型模', '型 ok']
    """
    width = max(width, len(first) + 2, len(rest) + 2)
    lines, is_empty = [first], True
    for gap, word in re.findall(r"(\s*)(\S+)", writable(text)):
        if not is_empty and cell_len(lines[-1] + gap + word) > width:
            lines.append(rest + word)
        else:
            lines[-1] += gap + word
        is_empty = False
        while cell_len(lines[-1]) > width:
            start = chop_cells(lines[-1], width)[0]
            lines[-1:] = [start, rest + lines[-1][len(start) :]]
    return lines


def table_of(*columns: str) -> Table:
    """Names left, numbers right, no frame."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for place, column in enumerate(columns):
        table.add_column(plain(column), justify="left" if place == 0 else "right", no_wrap=True, vertical="bottom")
    return table


def print_whole(console: Console, table: Table) -> None:
    """Print a table of which nothing is cut: on a screen that is too narrow its lines go on below."""
    needed = needed_width(console, table)
    wide = console if needed <= console.width else Screen(file=console.file, width=needed, highlight=False)
    wide.print(table)


def needed_width(console: Console, table: Table) -> int:
    """The columns of text that a table takes if nothing is cut."""
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def fits(console: Console, table: Table) -> bool:
    """Whether a table can be shown without cutting it."""
    return needed_width(console, table) <= console.width
