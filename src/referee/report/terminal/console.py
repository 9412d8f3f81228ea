"""The screen: as wide as the terminal, plain text unless it is one."""

from __future__ import annotations

import os
import sys
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterable


BETWEEN_COLUMNS = 2


class Screen(Console):
    """A console that leaves a reader who went away (`| head`) to the command line, which ends without an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def screen() -> Screen:
    """A console as wide as the terminal, 80 columns where there is none; colour only on a terminal."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 80
    return Screen(file=sys.stdout, width=width, highlight=False, soft_wrap=False)


def plain(text: str, style: str = "") -> Text:
    """A text in which nothing is markup."""
    return Text(text, style=style, no_wrap=True)


def print_title(console: Console, title: str) -> None:
    console.print()
    console.print(plain(title, "bold"))


def print_dim(console: Console, lines: Iterable[str]) -> None:
    """Print remarks below a table; what is too long goes on below its words, not below its mark."""
    for line in lines:
        for part in wrap(line, console.width, initial_indent="  ", subsequent_indent="     "):
            console.print(plain(part, "dim"), soft_wrap=True)


def print_wrapped(console: Console, text: str, style: str = "") -> None:
    """Print a sentence over as many lines as it needs."""
    for line in wrap(message_line(text), console.width, break_long_words=False, break_on_hyphens=False):
        console.print(plain(line, style), soft_wrap=True)


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
