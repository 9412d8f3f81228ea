"""Numbers and names as people read them."""

from __future__ import annotations

import unicodedata
from math import isnan

LONGEST_NAME = 24


def number(value: float | None, digits: int = 4) -> str:
    """Four digits after the point for shares, four significant ones for the rest; a dash where undefined.

    >>> number(0.61152812), number(127.17633), number(None), number(1e200), number(1.0)
    ('0.6115', '127.2', '–', '1e+200', '1.0000')
    """
    if value is None:
        return "–"
    if value and not 1e-4 <= abs(value) < 1e6:
        return f"{value:.{digits}g}"
    if abs(value) < 10:
        return f"{value:.{digits}f}"
    return f"{value:,.{max(0, digits - len(str(int(abs(value)))))}f}"


def count(value: float) -> str:
    """A number of rows; with weights it may have a fraction.

    >>> count(9560), count(2.5)
    ('9,560', '2.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"


def percent(share: float) -> str:
    """A share in percent, as the lecture writes recognition rates.

    >>> percent(0.98556701)
    '98.56 %'
    """
    return "–" if isnan(share) else f"{100 * share:.2f} %"


def one_line(name: str, longest: int = LONGEST_NAME) -> str:
    r"""A name that fits a table: control characters as escapes, cut in the middle if it is long.

    >>> one_line("two\nlines"), one_line("a" * 40, 11)
    ('two\\nlines', 'aaaaa…aaaaa')
    """
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    visible = "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in hidden else letter
        for letter in name
    )
    half = (longest - 1) // 2
    return visible if len(visible) <= longest else f"{visible[:half]}…{visible[-half:]}"
