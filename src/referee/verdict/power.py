"""What these rows could have shown: the smallest difference they would find, and the rows that a smaller one needs."""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

from referee.student_t import quantile

if TYPE_CHECKING:
    from referee.comparison import Comparison

POWER = 0.8
MOST_TIMES = 1e6


def smallest_difference(comparison: Comparison) -> float | None:
    """The true difference that such a comparison finds in 80 % of the cases; None where its error is unknown."""
    if not comparison.standard_error:
        return None
    df = inf if comparison.df is None else comparison.df
    return (quantile(1 - comparison.alpha / 2, df) + quantile(POWER, inf)) * comparison.standard_error


def rows_to_separate(rows: int, comparison: Comparison, delta: float | None) -> int | None:
    """How many rows would find a true difference of `delta` in 80 % of the cases.

    >>> from referee.comparison import Comparison
    >>> rows_to_separate(1000, Comparison(0.01, 0.3, "tie", standard_error=0.01), delta=0.01)
    7849
    """
    smallest = smallest_difference(comparison)
    if smallest is None or not delta:
        return None
    times = smallest / abs(delta)
    return ceil(rows * times**2) if times < MOST_TIMES else None


def rows_to_pass(rows: int, comparison: Comparison, room: float) -> int | None:
    """How many rows would show, one-sided and in 80 % of the cases, that a difference stays clear of a bound.

    `room` is how far off the bound the true difference is.
    """
    if not comparison.standard_error or not room:
        return None
    df = inf if comparison.df is None else comparison.df
    times = (quantile(1 - comparison.alpha, df) + quantile(POWER, inf)) * comparison.standard_error / abs(room)
    return ceil(rows * times**2) if times < MOST_TIMES else None


def rows_at_least(rows: int, comparison: Comparison) -> int | None:
    """For the observed difference only a lower bound: what the far end of its interval would need."""
    if comparison.low is None or comparison.high is None:
        return None
    return rows_to_separate(rows, comparison, max(abs(comparison.low), abs(comparison.high)))
