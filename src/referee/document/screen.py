"""The screen: as wide as the terminal, plain text unless it is one; whatever is shown, nothing in it is obeyed."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from referee.wording import message_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TextIO

BRAILLE = range(0x2801, 0x2900)
IN_ASCII = str.maketrans(
    {
        "↑": "^", "↓": "v", "±": "+-", "–": "-", "−": "-", "…": "*", "≥": ">=", "≤": "<=", "∞": "inf",
        "²": "^2", "š": "s", "ü": "u",
        "├": "|", "┤": "|", "─": "-", "│": "|", "└": "+", "●": "o", "▲": "^",
    }
    | {chr(dots): "." for dots in BRAILLE}
)  # fmt: skip
"""What is drawn and written by us; names keep their letters, as escapes where the terminal lacks them."""


class Screen(Console):
    """A console on which nothing is markup."""

    def render_str(self, text: str, *, style: Any = "", **_: Any) -> Text:
        return plain(text, style)


def screen(file: TextIO | None = None) -> Screen:
    """A console as wide as the terminal, 80 columns where there is none; colour only on a terminal."""
    has_width = file is None and (sys.stdout.isatty() or "COLUMNS" in os.environ)
    return Screen(file=file or sys.stdout, width=None if has_width else 80, highlight=False, soft_wrap=False)


def writable(text: str) -> str:
    """The same text without what a terminal obeys; where it lacks one of the signs, in signs that every one has."""
    shown = "\n".join(map(visible, text.split("\n")))
    try:
        shown.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return shown.translate(IN_ASCII)
    return shown


def plain(text: str, style: Any = "") -> Text:
    """A text in which nothing is markup."""
    return Text(writable(text), style=style, no_wrap=True)


def print_title(console: Console, title: str) -> None:
    console.print()
    for line in wrapped(title, console.width):
        console.print(plain(line, "bold"), soft_wrap=True)


def print_dim(console: Console, lines: Iterable[str], style: str = "dim") -> None:
    """Print remarks below a table; what is too long goes on below its words, not below its mark."""
    for line in lines:
        for part in wrapped(line, console.width, "  ", "     "):
            console.print(plain(part, style), soft_wrap=True)


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
