"""Hot loops, written as plain Python over arrays; compiled by Numba on first large use, and cached on disk.

Without Numba, which is in the extra `fast`, they run as they are: the same results, later.
"""

from __future__ import annotations

from functools import cache
from math import fsum
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.summaries import Sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array

    Pair = tuple[Array, Array]

COMPILE_FROM = 200_000
"""Rows from which compiling pays; below, NumPy does the same work."""


@cache
def has_compiler() -> bool:
    from importlib.util import find_spec

    return find_spec("numba") is not None


def worth_compiling(rows: int) -> bool:
    """Whether there are so many rows that compiled loops save more than loading the compiler costs."""
    return rows >= COMPILE_FROM and has_compiler()


@cache
def compiled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The machine code of a kernel; the kernel itself where there is no compiler."""
    if not has_compiler():
        return kernel
    import numba

    return numba.njit(cache=True, nogil=True)(_calling_machine_code(kernel))


def _calling_machine_code(kernel: Any) -> Any:
    """The kernel with those of its own file that it calls compiled: others would not be compiled again with theirs."""
    called = {name: kernel.__globals__.get(name) for name in kernel.__code__.co_names}
    parts = {
        name: compiled(part)
        for name, part in called.items()
        if isinstance(part, FunctionType) and part.__module__ == kernel.__module__
    }
    return FunctionType(kernel.__code__, kernel.__globals__ | parts) if parts else kernel


def merge_classes(dealt: Array, starts: Array, steps: tuple[Array, Array, Array], ends: Array) -> None:
    """Go down the rising scores of both classes of each unit together: the distinct ones, and how many rows have them.

    `starts` says where the negatives and the positives of each unit begin; `ends` will say where its steps end.
    """
    scores, positives_at, negatives_at = steps
    step = 0
    for unit in range(len(ends)):
        negatives = dealt[starts[2 * unit] : starts[2 * unit + 1]]
        positives = dealt[starts[2 * unit + 1] : starts[2 * unit + 2]]
        p, n = len(positives) - 1, len(negatives) - 1
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
        ends[unit] = step


def steps_by_unit(
    rows: tuple[Array, Array, Array], unit: Array, ends: Array, steps: tuple[Array, Array, Array, Array, Array]
) -> None:
    """Go down all rows once, adding each to the last step of its unit or opening the unit's next one.

    Rows are scores in falling order, positives and negatives; steps the same, and how many of each there are down to
    the step. `ends` holds where each unit's next step goes, and afterwards where its steps end.
    """
    row_scores, row_positives, row_negatives = rows
    scores, positives, negatives, tp, fp = steps
    begins = ends.copy()
    for row in range(len(unit)):
        of_unit = unit[row]
        step = ends[of_unit] - 1
        first = step < begins[of_unit]
        if first or scores[step] != row_scores[row]:
            step += 1
            ends[of_unit] = step + 1
            scores[step] = row_scores[row]
            positives[step] = row_positives[row]
            negatives[step] = row_negatives[row]
            tp[step] = row_positives[row] if first else tp[step - 1] + row_positives[row]
            fp[step] = row_negatives[row] if first else fp[step - 1] + row_negatives[row]
        else:
            positives[step] += row_positives[row]
            negatives[step] += row_negatives[row]
            tp[step] += row_positives[row]
            fp[step] += row_negatives[row]


def add_by_unit(values: Array, unit: Array, totals: Array, lost: Array) -> None:
    """Add each value to its unit's total, keeping what rounding loses (Neumaier, 1974)."""
    for row in range(len(values)):
        of_unit = unit[row]
        total = totals[of_unit] + values[row]
        if abs(totals[of_unit]) >= abs(values[row]):
            lost[of_unit] += (totals[of_unit] - total) + values[row]
        else:
            lost[of_unit] += (values[row] - total) + totals[of_unit]
        totals[of_unit] = total


def deal_out(values: Array, group: Array, ends: Array, dealt: Array) -> None:
    """Copy each row's value to the next free place of its group; `ends` holds these places, and moves on."""
    for row in range(len(values)):
        of_group = group[row]
        dealt[ends[of_group]] = values[row]
        ends[of_group] += 1


def next_steps(
    classes: tuple[Array, Array], taken: Array, change: tuple[float, float], steps: tuple[Array, Array, Array]
) -> int:
    """Go on down the rising keys of positives and negatives: scores are `change[0] + change[1] * key`.

    `taken` holds how many rows of each class are above, and afterwards how many are by then.
    """
    positives, negatives = classes
    scores, positives_at, negatives_at = steps
    offset, sign = change
    stride = -1 if sign > 0 else 1
    first_p, first_n = (len(positives) - 1, len(negatives) - 1) if sign > 0 else (0, 0)
    p, n, step, nothing = taken[0], taken[1], 0, float("-inf")
    top_p = offset + sign * float(positives[first_p + stride * p]) if p < len(positives) else nothing
    top_n = offset + sign * float(negatives[first_n + stride * n]) if n < len(negatives) else nothing
    while step < len(scores) and (p < len(positives) or n < len(negatives)):
        score = top_p if top_p > top_n else top_n  # noqa: FURB136, RUF100 (max() is slower when compiled)
        before_p, before_n = p, n
        while top_p == score:
            p += 1
            top_p = offset + sign * float(positives[first_p + stride * p]) if p < len(positives) else nothing
        while top_n == score:
            n += 1
            top_n = offset + sign * float(negatives[first_n + stride * n]) if n < len(negatives) else nothing
        scores[step] = score
        positives_at[step] = p - before_p
        negatives_at[step] = n - before_n
        step += 1
    taken[0], taken[1] = p, n
    return step


def sort_rows_by_digits(bits: Array, spare: Array, rows: Array, spare_rows: Array) -> bool:
    """Sort whole numbers of 64 bits, and the rows that they belong to, digit by digit from the last.

    Whether the result stands in the spare arrays: each digit that is not the same for all moves everything over.
    """
    counts = np.zeros((8, 256), np.int64)
    for row in range(len(bits)):
        for place in range(8):
            counts[place, (bits[row] >> np.uint64(8 * place)) & np.uint64(255)] += 1
    source, target, of_source, of_target, moved = bits, spare, rows, spare_rows, False
    for place in range(8):
        if counts[place].max() == len(bits):
            continue
        shift, ends = np.uint64(8 * place), np.cumsum(counts[place]) - counts[place]
        for row in range(len(source)):
            of_digit = (source[row] >> shift) & np.uint64(255)
            end = ends[of_digit]
            target[end] = source[row]
            of_target[end] = of_source[row]
            ends[of_digit] = end + 1
        source, target, of_source, of_target, moved = target, source, of_target, of_source, not moved
    return moved


def find_steps(scores: Array, rows: Array, steps: Array, step_of_row: Array) -> None:
    """Write to each row the first step that is not above it; `scores` rise, the scores of the `steps` fall."""
    step = 0
    for place in range(len(scores) - 1, -1, -1):
        while step < len(steps) and steps[step] > scores[place]:
            step += 1
        step_of_row[rows[place]] = step


def merge_steps(a: tuple[Array, Array, Array], b: tuple[Array, Array, Array], steps: tuple[Array, Array, Array]) -> int:
    """Go down two falling series of steps together, and join those of the same score."""
    i = j = step = 0
    while i < len(a[0]) or j < len(b[0]):
        from_a = i < len(a[0]) and (j >= len(b[0]) or a[0][i] >= b[0][j])
        from_b = j < len(b[0]) and (i >= len(a[0]) or b[0][j] >= a[0][i])
        steps[0][step] = a[0][i] if from_a else b[0][j]
        steps[1][step] = 0
        steps[2][step] = 0
        if from_a:
            steps[1][step] += a[1][i]
            steps[2][step] += a[2][i]
            i += 1
        if from_b:
            steps[1][step] += b[1][j]
            steps[2][step] += b[2][j]
            j += 1
        step += 1
    return step


class RunningSums:
    """Adds blocks up; `total` is what they come to."""

    def __init__(self) -> None:
        self._terms: tuple[str, ...] = ()
        self._centre: Array = np.zeros(0)
        self._weights: list[float] = []
        self._firsts: list[list[float]] = []
        self._seconds: list[list[float]] = []

    def add(self, terms: dict[str, Array], weight: Array | None) -> None:
        if not self._terms:
            self._terms = tuple(terms)
            self._centre = np.array([_finite_mean(column) for column in terms.values()])
        with np.errstate(all="ignore"):
            off = [column - centre for column, centre in zip(terms.values(), self._centre, strict=True)]
            if weight is not None:
                off = [np.where(weight > 0, column, 0.0) for column in off]
            weighted = off if weight is None else [column * weight for column in off]
            self._weights.append(float(len(off[0]) if weight is None else weight.sum()))
            self._firsts.append([float(column.sum()) for column in weighted])
            self._seconds.append([float((a * b).sum()) for i, a in enumerate(weighted) for b in off[: i + 1]])

    @property
    def total(self) -> Sums:
        size = len(self._terms)
        weight = fsum(self._weights)
        with np.errstate(all="ignore"):
            shift = _summed(self._firsts) / weight
            moments = np.zeros((size, size))
            moments[np.tril_indices(size)] = _summed(self._seconds)
            moments = moments + np.tril(moments, -1).T - weight * np.outer(shift, shift)
        return Sums(self._terms, np.array([weight]), (self._centre + shift)[None], moments[None])


def _finite_mean(column: Array) -> float:
    mean = float(column.mean())
    return mean if np.isfinite(mean) else 0.0


def _summed(parts: list[list[float]]) -> Array:
    columns = np.array(parts).T
    return np.array([fsum(column) if np.isfinite(column).all() else column.sum() for column in columns.tolist()])


def moments_about_means(
    terms: Sequence[Array], means: Array, weight: Array, products: Callable[[Pair, Pair], Array]
) -> Array:
    """Sums of products of deviations: (unit, term, term); `products` adds up those of two terms from two means."""
    ones = np.ones(len(terms[0]))
    with np.errstate(all="ignore"):
        # What is left about a rounded mean makes it exact, so that equal numbers have no variance.
        left = [products((term, ones), (mean, 0 * mean)) for term, mean in zip(terms, means, strict=True)]
        means = means + np.stack(left) / weight
        moments = np.empty((len(weight), len(terms), len(terms)))
        for i in range(len(terms)):
            for j in range(i + 1):
                moments[:, i, j] = moments[:, j, i] = products((terms[i], terms[j]), (means[i], means[j]))
    return moments
