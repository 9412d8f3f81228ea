"""Numbers and names as people read them."""

from __future__ import annotations

import re
import unicodedata
from math import isnan
from typing import TYPE_CHECKING

from referee.document.short_names import MOST_COMPARED, columns_of, could_be, cut, fitting, told_apart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_NAMES = 6
PROPER = {"Bayesian", "Brier", "Hand", "Iman", "Jaccard", "Matthews", "Wilcoxon"}
"""First words of titles that are names, or made of names: they keep their capital letter."""
MOST_KEYS = 40
ROUND = {0.01, 0.05, 0.1, 1.0}
"""What p is held against: a p that is not exactly this is not shown as if it were."""
LONGEST_NAME = 24
LONGEST_WORD = 160
LONGEST_MESSAGE = 2000
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
EMOJI = "\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
JOINER = re.compile(f"(?<=[{EMOJI}\ufe0f])\u200d(?=[{EMOJI}])")
"""Between two emoji it makes one of them, and hides nothing."""


ESCAPE = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")
"""What `visible` shows instead of a letter that would be obeyed."""


def number(value: float | None, digits: int = 4) -> str:
    """Four digits after the point for shares, four significant ones for the rest; a dash where undefined.

    >>> number(0.61152812), number(127.17633), number(None), number(1e200), number(1.0)
    ('0.6115', '127.2', '–', '1e+200', '1.0000')
    """
    if value is None:
        return "–"
    value += 0.0  # there is no minus before 0
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


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(0.0581), signed(-2.0)
    ('+0.0581', '-2.0000')
    """
    return f"{'+' if value >= 0 else ''}{number(value)}"


def p_value(p: float) -> str:
    """A p value as people write it in a sentence.

    >>> p_value(0.0344), p_value(1e-9), p_value(1.0), p_value(0.0499)
    ('p = 0.034', 'p < 0.0001', 'p = 1', 'p = 0.0499')
    """
    return f"p {short}" if (short := short_p(p)).startswith("<") else f"p = {short}"


def short_p(p: float | None) -> str:
    """A p value in a column that is headed by p: two digits, and more only to tell it from an alpha; a dash for none.

    >>> short_p(0.0344), short_p(1e-9), short_p(None), short_p(0.04996)
    ('0.034', '< 0.0001', '–', '0.04996')
    """
    if p is None:
        return "–"
    if p < 1e-4:
        return "< 0.0001"
    shown = (f"{p:.{digits}g}" for digits in range(2, 6))
    return next((text for text in shown if p in ROUND or float(text) not in ROUND), f"{p:.2g}")


def level(alpha: float) -> str:
    """How sure an interval is.

    >>> level(0.05), level(0.07), level(1e-10)
    ('95%', '93%', '99.99999999%')
    """
    return f"{100 * (1 - alpha):.14g}%"


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
    return f"{amount:,} {noun if amount == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Several of them.

    >>> plural("row"), plural("query"), plural("day")
    ('rows', 'queries', 'days')
    """
    ends_in_ies = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    return f"{noun[:-1]}ies" if ends_in_ies else f"{noun}s"


def percent(share: float) -> str:
    """A share in percent, as the lecture writes recognition rates.

    >>> percent(0.98556701)
    '98.56%'
    """
    return "–" if isnan(share) else f"{100 * share:.2f}%"


def named(names: Sequence[str]) -> str:
    """Names as in a sentence.

    >>> named(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > MOST_NAMES:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES} more"]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def within_a_sentence(title: str) -> str:
    """A title as it is written inside a sentence: names and abbreviations keep their capital letters.

    >>> [within_a_sentence(title) for title in ("Sign test", "Wilcoxon signed-rank test", "Top-k accuracy", "F-beta")]
    ['sign test', 'Wilcoxon signed-rank test', 'top-k accuracy', 'F-beta']
    """
    first = title.partition(" ")[0]
    is_name = first in PROPER or first.endswith("'s") or not first[1:2].islower()
    return title if is_name else title[0].lower() + title[1:]


def as_sentence(text: str) -> str:
    """What is said in passing, by itself.

    >>> as_sentence("two models failed")
    'Two models failed.'
    """
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


def with_full_stop(text: str) -> str:
    """What may begin with a name or the mark of a footnote, and so keeps its first letter.

    >>> with_full_stop("a  no row was predicted positive")
    'a  no row was predicted positive.'
    """
    return f"{text.removesuffix('.')}."


def visible(text: str) -> str:
    r"""A text without what a terminal would obey instead of showing.

    >>> visible("two\nlines")
    'two\\nlines'
    """
    joiners = {joiner.start() for joiner in JOINER.finditer(text)}
    return "".join(
        letter.encode("unicode_escape").decode()
        if unicodedata.category(letter) in HIDDEN and place not in joiners
        else letter
        for place, letter in enumerate(text)
    )


def one_line(name: str, longest: int = LONGEST_NAME) -> str:
    r"""A name that fits a table: control characters as escapes, cut in the middle if it is long.

    >>> one_line("two\nlines"), one_line("a" * 40, 11)
    ('two\\nlines', 'aaaaa…aaaaa')
    """
    return cut(visible(name), longest)


def message_line(text: str) -> str:
    """A message for the terminal: nothing in it is obeyed, and no name in it fills the screen.

    >>> len(message_line("x" * 5000 + " is no column"))
    172
    """
    shorter = re.sub(rf"\S{{{LONGEST_WORD + 1},}}", lambda word: cut(word[0], LONGEST_WORD), visible(text))
    return cut(shorter, LONGEST_MESSAGE)


def distinct_names(names: Iterable[str], longest: int = LONGEST_NAME) -> dict[str, str]:
    """Names cut to fit, so that they show what they differ by.

    >>> distinct_names(["model_a_test_auc", "model_b_test_auc"], 11)
    {'model_a_test_auc': 'model_a…auc', 'model_b_test_auc': 'model_b…auc'}
    """
    texts = {name: visible(name) for name in names}
    long = [text for text in dict.fromkeys(texts.values()) if columns_of(text) > longest]
    shorter, taken, shown = told_apart(long, longest), set[str](), {}
    for name, text in texts.items():
        shown[name] = _numbered(shorter.get(text, text), taken, longest)
        taken.add(shown[name])
    return shown


def _numbered(label: str, taken: set[str], longest: int) -> str:
    """A label that no other name has: where no part of the names tells them apart, a number does."""
    again, name = 1, label
    while name in taken:
        again += 1
        mark = f"#{again}"
        name = cut(label, longest - len(mark)) + mark
    return name


def name_key(labels: Mapping[str, str]) -> list[str]:
    """Which name is which, where a label could be of another name, too.

    >>> name_key(distinct_names(["model_a_test_auc", "model_b_test_auc"], 11))
    []
    >>> name_key(distinct_names(["a" * 15, "a" * 16], 11))
    ['aaaaaaaaa… = aaaaaaaaaaaaaaa', 'aaaaaaaaa…a = aaaaaaaaaaaaaaaa']
    """
    shorter = {visible(name): label for name, label in labels.items() if label != visible(name)}
    if len(shorter) <= MOST_COMPARED and all(_is_clear(label, name, shorter) for name, label in shorter.items()):
        return []
    lines = [f"{label} = {message_line(name)}" for name, label in labels.items() if label != visible(name)]
    more = [f"and {len(lines) - MOST_KEYS:,} more: --format json has all names"] if len(lines) > MOST_KEYS else []
    return lines[:MOST_KEYS] + more


def _is_clear(label: str, name: str, names: Iterable[str]) -> bool:
    return [text for text in names if could_be(label, text)] == [name]


def folded(name: str, width: int) -> str:
    r"""A name over several lines, broken where it has a joint if that fits.

    >>> folded("model_a_test_auc", 11), folded("negative_predictive_value", 11)
    ('model_a_\ntest_auc', 'negative_\npredictive_\nvalue')
    """
    lines = [""]
    for piece in re.findall(r"[^_\-.:, (]*[_\-.:, (]|[^_\-.:, (]+", name):
        if columns_of(lines[-1]) + columns_of(piece) > width and lines[-1]:
            lines.append("")
        lines[-1] += piece
        while columns_of(lines[-1]) > width:
            start = lines[-1][: _outside_escapes(lines[-1], max(1, fitting(lines[-1], width)))]
            lines[-1:] = [start, lines[-1][len(start) :]]
    return "\n".join(lines)


def _outside_escapes(text: str, place: int) -> int:
    r"""The place to break a text at: not within an escape, which would read as another name.

    >>> folded("red\\u202e_end", 6).split("\n")
    ['red', '\\u202e', '_end']
    """
    for escape in ESCAPE.finditer(text):
        if escape.start() < place < escape.end():
            return escape.start() or escape.end()
    return place
