"""The loops of the search for neighbours, compiled where Numba is installed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

BLOCK = 1024
"""Training rows whose sums stay in the fastest memory while the columns are added."""
TRIES = 30
"""Of limits; ties may be so many that none leaves few rows."""


def add_numbers(numbers: Array, others: Array, is_whole: Array, quick: Array) -> None:
    """Add the squared differences of complete rows to their sums: (column, training row) in single precision."""
    columns = len(others)
    for row in range(len(numbers)):
        for start in range(0, others.shape[1] if is_whole[row] else 0, BLOCK):
            end = min(start + BLOCK, others.shape[1])
            total = quick[row, start:end]
            for column in range(0, columns - columns % 4, 4):
                # Four at once: the sum is fetched once for them.
                a, b, c, d = numbers[row, column : column + 4]
                first, second = others[column, start:end], others[column + 1, start:end]
                third, fourth = others[column + 2, start:end], others[column + 3, start:end]
                for place in range(len(total)):
                    p, q, r, s = first[place] - a, second[place] - b, third[place] - c, fourth[place] - d
                    total[place] += (p * p + q * q) + (r * r + s * s)
            for column in range(columns - columns % 4, columns):
                here, others_here = numbers[row, column], others[column, start:end]
                for place in range(len(total)):
                    p = others_here[place] - here
                    total[place] += p * p


def add_gaps(numbers: Array, others: Array, far: Array, is_whole: Array, quick: Array) -> None:
    """Add the same of rows where numbers may be missing: these are as far as can be."""
    for row in range(len(numbers)):
        for column in range(0 if is_whole[row] else len(others)):
            here, others_here, farther = numbers[row, column], others[column], far[column]
            away, total = max(here, np.float32(1.0) - here) ** 2, quick[row]
            for place in range(len(total)):
                gap = others_here[place] - here
                known = away if np.isnan(others_here[place]) else gap * gap
                total[place] += farther[place] if np.isnan(here) else known


def add_categories(codes: Array, others: Array, quick: Array) -> None:
    """Add 1 for each category that differs."""
    for row in range(len(codes)):
        for start in range(0, others.shape[1], BLOCK):
            end = min(start + BLOCK, others.shape[1])
            total = quick[row, start:end]
            for column in range(len(others)):
                code, others_here = codes[row, column], others[column, start:end]
                for place in range(len(total)):
                    total[place] += np.float32(others_here[place] != code)


def find_limits(quick: Array, k: int, limits: Array) -> None:
    """Find for each row a distance that at least k training rows do not exceed, and few more."""
    guess = limits[0]
    for row in range(len(quick)):
        line, low, high, within = quick[row], np.float32(-1.0), guess, -1
        for _ in range(TRIES):
            limit = high if within < k else (low + high) / np.float32(2.0)
            count = 0
            for place in range(len(line)):
                count += line[place] <= limit
            if count >= k:
                high, within = limit, count
            else:
                low = limit
                high = high if within >= k else high * np.float32(4.0) + np.float32(1e-6)
            if k <= within <= k + k // 4 + 8:
                break
        # Not from an outlier, from which the next row would need too many halves.
        guess = min(high, np.float32(1e6))
        limits[row] = high if within >= k else np.float32(np.inf)


def sort_candidates(
    quick: Array,
    bounds: Array,
    train: tuple[Array, Array],
    test: tuple[Array, Array],
    limits: tuple[float, int, bool],
    neighbours: tuple[Array, Array, Array],
) -> int:
    """Of the training rows within a bound the k nearest by exact distance, the earlier first; their ties if wanted."""
    digits, k, keep_ties = limits
    rows, places, steps = neighbours
    n, filled = quick.shape[1], 0
    near, far = np.empty(n, np.int64), np.empty(n)
    for row in range(len(quick)):
        line, bound, count = quick[row], bounds[row], 0
        for start in range(0, n, 64):
            part, within = line[start : start + 64], 0
            for place in range(len(part)):
                within += part[place] <= bound
            # Most parts have none, which is quickly seen.
            for place in range(len(part) if within else 0):
                near[count] = start + place
                count += part[place] <= bound
        for candidate in range(count):
            other, exact = near[candidate], 0.0
            for column in range(test[0].shape[1]):
                x, y = test[0][row, column], train[0][other, column]
                known = y if np.isnan(x) else x
                gap = max(known, 1.0 - known) if np.isnan(x) or np.isnan(y) else x - y
                exact += 1.0 if np.isnan(gap) else gap * gap
            for column in range(test[1].shape[1]):
                exact += test[1][row, column] != train[1][other, column]
            share, exponent = math.frexp(exact)
            far[candidate] = math.ldexp(np.rint(share * digits), exponent)
        order = np.argsort(far[:count], kind="mergesort")
        farthest = far[order[k - 1]]
        for rank in range(count):
            candidate = order[rank]
            if rank >= k and not (keep_ties and far[candidate] == farthest):
                break
            rows[filled], places[filled], steps[filled] = row, near[candidate], far[candidate]
            filled += 1
    return filled
