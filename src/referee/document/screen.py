"""The screen: as wide as the terminal, plain text unless it is one; whatever is shown, nothing in it is obeyed."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from referee.document.short_names import columns_of, first_columns
from referee.document.words import message_line, visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
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


CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
COLOURS = ("red", "green", "yellow")
USUAL_WIDTH = 80


class Screen:
    """Lines of text, in which nothing is obeyed; their styles are seen on a terminal only."""

    def __init__(self, file: TextIO, width: int = USUAL_WIDTH, styles: Collection[str] = ()) -> None:
        """With `styles`, those are seen."""
        self.file, self.width, self.styles = file, width, styles

    def print(self, text: str = "", style: str = "") -> None:
        self.write(self.styled(writable(text), style))

    def write(self, line: str) -> None:
        """A line whose parts have their styles."""
        self.file.write(f"{line}\n")

    def styled(self, text: str, style: str) -> str:
        r"""A text in a style of several words.

        >>> Screen(sys.stdout, styles=CODES).styled("a wins", "bold green")
        '\x1b[1;32ma wins\x1b[0m'
        """
        codes = ";".join(CODES[word] for word in style.split() if word in self.styles)
        return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def screen() -> Screen:
    """As wide as the terminal, 80 columns where there is none; styles only on a terminal, or where they are forced."""
    return Screen(sys.stdout, _width(), _styles())


def _width() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdigit() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or USUAL_WIDTH
    except (AttributeError, OSError, ValueError):  # no terminal, or none of the system's files
        return USUAL_WIDTH


def _styles() -> tuple[str, ...]:
    """Those that are seen: bold and dim are no colours."""
    is_dumb = os.environ.get("TERM", "").lower() in ("dumb", "unknown")
    if is_dumb or not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        return ()
    return tuple(style for style in CODES if style not in COLOURS or not os.environ.get("NO_COLOR"))


def writable(text: str) -> str:
    """The same text without what a terminal obeys; where it lacks one of the signs, in signs that every one has."""
    shown = "\n".join(map(visible, text.split("\n")))
    try:
        shown.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return shown.translate(IN_ASCII)
    return shown


def print_title(screen: Screen, title: str) -> None:
    screen.print()
    for line in wrapped(title, screen.width):
        screen.print(line, "bold")


def print_dim(screen: Screen, lines: Iterable[str]) -> None:
    """Print remarks below a table; what is too long goes on below its words, not below its mark."""
    for line in lines:
        for part in wrapped(line, screen.width, "  ", "     "):
            screen.print(part, "dim")


def print_wrapped(screen: Screen, text: str, style: str = "") -> None:
    """Print a sentence over as many lines as it needs."""
    for line in wrapped(message_line(text), screen.width):
        screen.print(line, style)


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
        if not is_empty and columns_of(lines[-1] + gap + word) > width:
            lines.append(rest + word)
        else:
            lines[-1] += gap + word
        is_empty = False
        while columns_of(lines[-1]) > width:
            start = first_columns(lines[-1], width)
            lines[-1:] = [start, rest + lines[-1][len(start) :]]
    return lines
