"""Hot loops, written as plain Python over arrays; compiled by Numba on first large use, and cached on disk."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array

COMPILE_FROM = 200_000
"""Rows from which compiling pays; below, NumPy does the same work."""


@cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of a kernel."""
    import numba

    return numba.njit(cache=True, nogil=True)(kernel)


def split_by_class(scores: Array, is_positive: Array, positives: Array, negatives: Array) -> None:
    """Copy the scores of each class to its own array."""
    p = n = 0
    for row in range(len(scores)):
        if is_positive[row]:
            positives[p] = scores[row]
            p += 1
        else:
            negatives[n] = scores[row]
            n += 1


def merge_classes(positives: Array, negatives: Array, scores: Array, positives_at: Array, negatives_at: Array) -> int:
    """Go down two rising arrays together: the distinct scores, and how many of each class have them."""
    p, n, step = len(positives) - 1, len(negatives) - 1, 0
    while p >= 0 or n >= 0:
        score = positives[p] if n < 0 or (p >= 0 and positives[p] >= negatives[n]) else negatives[n]
        first_p, first_n = p, n
        while p >= 0 and positives[p] == score:
            p -= 1
        while n >= 0 and negatives[n] == score:
            n -= 1
        scores[step] = score
        positives_at[step] = first_p - p
        negatives_at[step] = first_n - n
        step += 1
    return step


def steps_by_unit(
    order: Array, rows: tuple[Array, Array, Array], unit: Array, ends: Array, steps: tuple[Array, Array, Array]
) -> None:
    """Go down all rows once, adding each to the last step of its unit or opening the unit's next one.

    Rows and steps are scores, positives and negatives. `ends` holds where each unit's next step goes, and afterwards
    where its steps end.
    """
    row_scores, row_positives, row_negatives = rows
    scores, positives, negatives = steps
    begins = ends.copy()
    for place in range(len(order)):
        row = order[place]
        of_unit = unit[row]
        step = ends[of_unit] - 1
        if step < begins[of_unit] or scores[step] != row_scores[row]:
            step = ends[of_unit]
            ends[of_unit] += 1
            scores[step] = row_scores[row]
            positives[step] = row_positives[row]
            negatives[step] = row_negatives[row]
        else:
            positives[step] += row_positives[row]
            negatives[step] += row_negatives[row]
