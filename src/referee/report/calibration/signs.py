"""Signs of a calibration's tables that every terminal can show."""

from __future__ import annotations

import sys

IN_ASCII = str.maketrans({"↑": "^", "↓": "v", "±": "+-", "–": "-", "−": "-", "…": "..."})


def writable(text: str) -> str:
    """The same text; on a terminal that lacks one of its characters, with signs that every terminal has."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return text.translate(IN_ASCII)
    return text
