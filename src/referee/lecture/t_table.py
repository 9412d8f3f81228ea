"""The t table: the value that a t statistic exceeds with a given probability, by degrees of freedom."""

from __future__ import annotations

from math import inf

from referee.catalogue import brief
from referee.document import Cell, Column, Lines, Part, table
from referee.scoring import quantile, tail

TAILS = (0.2, 0.15, 0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.0025, 0.001)
DEGREES = (*range(1, 31), 40, 60, 120, inf)
SAID = (
    "t(p, df) is exceeded with probability p if the null hypothesis is true; a two-sided test at level alpha looks up "
    "p = alpha / 2",
    "the lecture's table labels its last column .001, but its values are not those: up to 3 degrees of freedom they "
    "belong "
    "to .0025, and from 4 on to no single probability. For 9 it has {printed}, exceeded with probability "
    "{exact}; t(.0025, 9) = {next_to_it} and t(.001, 9) = {right}",
)
PRINTED = 3.787
"""In the lecture's last column, for 9 degrees of freedom."""


def t_table() -> Part:
    """Critical values with four digits, as books print them."""
    columns = [Column("df"), *(Column(f"{p:g}".lstrip("0")) for p in TAILS)]
    rows = [[Cell("∞" if df == inf else f"{df:g}"), *(critical(p, df) for p in TAILS)] for df in DEGREES]
    right, next_to_it = (f"{quantile(1 - p, 9):.3f}" for p in (0.001, 0.0025))
    exact = brief(tail(PRINTED, 9), 2)
    said = Lines((SAID[0], SAID[1].format(printed=PRINTED, exact=exact, next_to_it=next_to_it, right=right)))
    return Part("t distribution, tail probability p", (table("t-table", columns, rows), said), asked=True)


def critical(p: float, df: float) -> Cell:
    """Three decimals below 10, else four digits.

    >>> critical(0.025, 9).text, critical(0.025, 1).text, critical(0.0025, 1).text
    ('2.262', '12.71', '127.3')
    """
    value = quantile(1 - p, df)
    return Cell(f"{value:.3f}" if value < 10 else f"{value:.4g}", value)
