"""Numbers and names as people read them."""

from __future__ import annotations

import re
import unicodedata
from math import isnan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST_NAME = 24
LONGEST_WORD = 160
LONGEST_MESSAGE = 2000
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


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


def plus_minus(half: float, value: float) -> str:
    """The half-width of a value's interval, with a digit less than the value.

    >>> plus_minus(0.03041, 0.787), plus_minus(2.438, 22.01), plus_minus(147.3, 759.1), plus_minus(0.00012, 0.5)
    ('±0.030', '±2.4', '±147', '±0.00012')
    """
    shown = number(value)
    digits = max(0, len(shown.partition(".")[2]) - 1)
    is_lost = half and round(half, digits) == 0
    return f"±{half:.2g}" if is_lost or "e" in shown else f"±{half:,.{digits}f}"


def count(value: float) -> str:
    """A number of rows; with weights it may have a fraction.

    >>> count(9560), count(2.5)
    ('9,560', '2.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.6g}"


def counted(amount: int, noun: str) -> str:
    """An amount with its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def percent(share: float) -> str:
    """A share in percent, as the lecture writes recognition rates.

    >>> percent(0.98556701)
    '98.56 %'
    """
    return "–" if isnan(share) else f"{100 * share:.2f} %"


def visible(text: str) -> str:
    r"""A text without what a terminal would obey instead of showing.

    >>> visible("two\nlines")
    'two\\nlines'
    """
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in HIDDEN else letter
        for letter in text
    )


def one_line(name: str, longest: int = LONGEST_NAME) -> str:
    r"""A name that fits a table: control characters as escapes, cut in the middle if it is long.

    >>> one_line("two\nlines"), one_line("a" * 40, 11)
    ('two\\nlines', 'aaaaa…aaaaa')
    """
    return _cut(visible(name), longest)


def message_line(text: str) -> str:
    """A message for the terminal: nothing in it is obeyed, and no name in it fills the screen.

    >>> len(message_line("x" * 5000 + " is no column"))
    172
    """
    shorter = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: _cut(word[0], LONGEST_WORD), visible(text))
    return _cut(shorter, LONGEST_MESSAGE)


def distinct_names(names: Iterable[str], longest: int = LONGEST_NAME) -> dict[str, str]:
    """Names cut to fit; those that are then the same are numbered.

    >>> distinct_names(["model_a_test_auc", "model_b_test_auc"], 11)
    {'model_a_test_auc': 'model…t_auc', 'model_b_test_auc': 'mod…auc ~2'}
    """
    shown: dict[str, str] = {}
    for name in names:
        label, again = one_line(name, longest), 1
        while label in shown.values():
            again += 1
            mark = f" ~{again}"
            label = one_line(name, longest - len(mark)) + mark
        shown[name] = label
    return shown


def folded(name: str, width: int) -> str:
    r"""A name over several lines, broken where it has a joint if that fits.

    >>> folded("model_a_test_auc", 11), folded("negative_predictive_value", 11)
    ('model_a_\ntest_auc', 'negative_\npredictive_\nvalue')
    """
    lines = [""]
    for piece in re.findall(r"[^_\-.:, (]*[_\-.:, (]|[^_\-.:, (]+", name):
        if len(lines[-1]) + len(piece) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while len(lines[-1]) > width:
            lines[-1:] = [lines[-1][:width], lines[-1][width:]]
    return "\n".join(lines)


def _cut(text: str, longest: int) -> str:
    half = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[:half]}…{text[-half:]}"
