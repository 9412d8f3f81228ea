"""Formulas of entries in symbols, and with numbers put in.

In a formula `{name}` stands for a number that is known once there are data, and `{name:words}` gives it another name.
The formula of a metric is one line, whose forms are joined by `=`. That of a test has a line for each thing that is
computed; a line that holds for one setting only begins with it: `method=exact: p = ...`.
"""

from __future__ import annotations

import re
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

NAMED = re.compile(r"\{(\w+)(?::([^}]*))?\}")
CONDITION = re.compile(r"(\w+)=(\w+): (.+)")
REMARK = re.compile(r"[,;:] (?![^{]*\})")
"""Where the words behind a formula begin."""


@dataclass(frozen=True)
class Formula:
    """What is computed, in symbols, and with the numbers put in.

    >>> worked_form("recall", "TP / P = {TP} / ({TP} + {FN})", {"TP": 90, "FN": 210}).sentence(0.3)
    'recall = TP / (TP + FN) = 90 / (90 + 210) = 0.3'
    """

    result: str
    symbols: str
    numbers: str

    def sentence(self, value: float | None, *, symbols: bool = True) -> str:
        """The formula, the formula with numbers where that says more, and what it gives."""
        parts = [self.symbols] if symbols and value is not None else []
        parts += [self.numbers] if self.numbers not in parts else []
        parts += [brief(value)] if value is not None and not self.numbers.startswith(brief(value)) else []
        return " = ".join([self.result, *parts])


def in_symbols(formula: str) -> list[str]:
    """The lines of a formula as a card shows them.

    >>> in_symbols("t = {mean_difference} / {standard_error:error of the mean}")
    ['t = mean difference / error of the mean']
    """
    return [NAMED.sub(lambda name: name[2] or name[1].replace("_", " "), line) for line in formula.splitlines()]


def names_in(formula: str) -> list[str]:
    """The numbers that a formula asks for."""
    return [name for name, _ in NAMED.findall(formula)]


def worked_form(result: str, formula: str, known: Mapping[str, float], digits: int = 4) -> Formula | None:
    """The first form of a formula of which all is known; None where there is none."""
    for form in formula.split(" = "):
        names, shown = names_in(form), REMARK.split(form)[0]
        if names and all(name in known for name in names):
            return with_numbers(result, shown, known, digits)
    return None


def with_numbers(result: str, formula: str, known: Mapping[str, float], digits: int = 4) -> Formula:
    """One form of a formula, all of which is known."""
    return Formula(result, in_symbols(formula)[0], NAMED.sub(lambda name: brief(known[name[1]], digits), formula))


def worked_lines(
    formula: str, known: Mapping[str, float], settings: Mapping[str, Any], digits: int = 4
) -> dict[str, Formula]:
    """The lines of which all is known, by what they compute: the first one of each."""
    formulas: dict[str, Formula] = {}
    for line in formula.splitlines():
        condition = CONDITION.fullmatch(line)
        if condition and str(settings.get(condition[1])).lower() != condition[2].lower():
            continue
        result, _, template = (condition[3] if condition else line).partition(" = ")
        if template and result not in formulas and all(name in known for name in names_in(template)):
            formulas[result] = with_numbers(result, template, known, digits)
    return formulas


def is_number(value: object) -> bool:
    return isinstance(value, Real) and isfinite(value)


def brief(value: float, digits: int = 4) -> str:
    """Significant digits, so that a reader who computes along arrives at the same; whole numbers as they are.

    >>> brief(0.05699999), brief(10.0), brief(12345), brief(2.488737606)
    ('0.057', '10', '12,345', '2.489')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 1e4 else f"{value:,.1f}"


def with_enough_digits(value: float, bound: float, digits: int = 4) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see which is larger.

    >>> with_enough_digits(2.26219, 2.26216)
    ('2.26219', '2.26216')
    """
    while value != bound and digits < 17 and f"{value:.{digits}g}" == f"{bound:.{digits}g}":
        digits += 1
    return f"{value:.{digits}g}", f"{bound:.{digits}g}"
