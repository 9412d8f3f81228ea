"""Signs that are no ASCII: what each terminal can show of them."""

from __future__ import annotations

import sys

from referee.wording import visible

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


def writable(text: str) -> str:
    """The same text without what a terminal obeys; where it lacks one of the signs, in signs that every one has."""
    shown = "\n".join(map(visible, text.split("\n")))
    try:
        shown.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return shown.translate(IN_ASCII)
    return shown
