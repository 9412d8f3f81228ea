"""The loops of the search for neighbours, compiled where Numba is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

BLOCK = 1024
"""Training rows whose sums stay in the fastest memory while the columns are added."""
ROUNDED = 1 + 2.0**-22
"""Above what rounding to single precision takes away."""
HEAPS = 4
"""Times as many as neighbours are wanted, to which training rows are dealt."""
TRIES = 30
"""Of limits; ties may be so many that none leaves few rows."""
DIGITS = 2.0**30
"""Squared distances are told apart by their first 30 binary digits: rounding then breaks no ties, however near."""
FEW = 200
"""Candidates whose order is found by counting."""
PLACE_BITS = 23
"""The digits of a distance that do not count."""
PLACES = 1 << PLACE_BITS
"""More training rows than this have no compiled search."""


def add_numbers(numbers: Array, others: Array, line: Array) -> None:
    """Add the squared differences of a row from all training rows to their sums: (column, training row)."""
    columns = len(others)
    for start in range(0, len(line), BLOCK):
        end = min(start + BLOCK, len(line))
        total = line[start:end]
        for column in range(0, columns - columns % 4, 4):
            # Four at once: the sum is fetched once for them.
            a, b, c, d = numbers[column : column + 4]
            first, second = others[column, start:end], others[column + 1, start:end]
            third, fourth = others[column + 2, start:end], others[column + 3, start:end]
            for place in range(len(total)):
                p, q, r, s = first[place] - a, second[place] - b, third[place] - c, fourth[place] - d
                total[place] += (p * p + q * q) + (r * r + s * s)
        for column in range(columns - columns % 4, columns):
            here, others_here = numbers[column], others[column, start:end]
            for place in range(len(total)):
                p = others_here[place] - here
                total[place] += p * p


def add_gaps(numbers: Array, others: Array, far: Array, line: Array) -> None:
    """Add the same of a row where numbers may be missing: these are as far as can be."""
    for column in range(len(others)):
        here, others_here, farther = numbers[column], others[column], far[column]
        away = max(here, np.float32(1.0) - here) ** 2
        for place in range(len(line)):
            gap = others_here[place] - here
            known = away if np.isnan(others_here[place]) else gap * gap
            line[place] += farther[place] if np.isnan(here) else known


def add_categories(codes: Array, others: Array, line: Array) -> None:
    """Add 1 for each category that differs."""
    columns = len(others)
    for start in range(0, len(line), BLOCK):
        end = min(start + BLOCK, len(line))
        total = line[start:end]
        for column in range(0, columns - columns % 4, 4):
            a, b, c, d = codes[column : column + 4]
            first, second = others[column, start:end], others[column + 1, start:end]
            third, fourth = others[column + 2, start:end], others[column + 3, start:end]
            for place in range(len(total)):
                differ = np.int32(first[place] != a) + np.int32(second[place] != b)
                differ += np.int32(third[place] != c) + np.int32(fourth[place] != d)
                total[place] += np.float32(differ)
        for column in range(columns - columns % 4, columns):
            code, others_here = codes[column], others[column, start:end]
            for place in range(len(total)):
                total[place] += np.float32(others_here[place] != code)


def limit_of(line: Array, k: int, nearest_of: Array) -> int:
    """A quick distance that at least k rows do not exceed, and not many more.

    Training rows are dealt to some more than k heaps: where k heaps have a row that is near enough, so have all rows.
    Distances are taken by their bits, which are in the same order, as whole numbers are compared many at a time.
    """
    heaps, n = len(nearest_of), len(line)
    nearest_of[:] = line[:heaps]
    for start in range(heaps, n, heaps):
        part = line[start : min(start + heaps, n)]
        for place in range(len(part)):
            nearest_of[place] = min(part[place], nearest_of[place])
    low, high, within, tries = -1, int(nearest_of.max()), heaps, 0
    while within > k + k // 16 and tries < TRIES:
        middle, below, tries = np.int32((low + high) // 2), 0, tries + 1
        for heap in range(heaps):
            below += nearest_of[heap] <= middle
        if below >= k:
            high, within = int(middle), below
        else:
            low = int(middle)
    return high


def find_candidates(
    train: tuple[Array, Array, Array],
    test: tuple[Array, Array, Array, Array],
    wanted: tuple[int, int],
    places: Array,
    counts: Array,
) -> int:
    """Find for each row the training rows that may be among its k nearest, by quick distances.

    Training rows are (column, row): numbers, how far they are from one that is missing, and codes; test rows have
    numbers, codes, whether no number is missing here or there, and the largest error of a quick distance. `wanted` is k
    and the first row to look at; a row whose candidates may no longer fit is given back, to go on from.
    """
    (numbers, codes, is_whole, slack), (k, first) = test, wanted
    n, filled = train[0].shape[1], 0
    heaps = -(-n // max(1, n // (HEAPS * k)))
    line, nearest_of, near_heaps = np.empty(n, np.float32), np.empty(heaps, np.int32), np.empty(heaps + 1, np.int64)
    limit = np.empty(1, np.int32)
    for row in range(first, len(numbers)):
        if filled + n > len(places):
            return row
        line[:] = 0.0
        if is_whole[row]:
            add_numbers(numbers[row], train[0], line)
        else:
            add_gaps(numbers[row], train[0], train[1], line)
        add_categories(codes[row], train[2], line)
        limit[0] = limit_of(line.view(np.int32), k, nearest_of)
        reach, begin = np.float32((limit.view(np.float32)[0] + slack[row]) * ROUNDED), filled
        near = 0
        for heap in range(heaps):  # without asking, which takes longer than writing what is not kept
            near_heaps[near] = heap
            near += nearest_of.view(np.float32)[heap] <= reach
        for heap in near_heaps[:near]:
            for place in range(heap, n, heaps):
                places[filled] = place
                filled += line[place] <= reach
        counts[row] = filled - begin
    return len(numbers)


def measure(train: tuple[Array, Array], test: tuple[Array, Array], row: int, others: Array, far: Array) -> None:
    """The exact squared distances of a row from some training rows, column by column, so that none waits for another.

    A missing number is as far as can be.
    """
    (numbers, codes), (numbers_here, codes_here) = train, test
    far[:] = 0.0
    for column in range(numbers.shape[1]):
        here = numbers_here[row, column]
        for place in range(len(others)):
            gap = here - numbers[others[place], column]
            if np.isnan(gap):
                known = numbers[others[place], column] if np.isnan(here) else here
                gap = 1.0 if np.isnan(known) else max(known, 1.0 - known)
            far[place] += gap * gap
    for column in range(codes.shape[1]):
        code = codes_here[row, column]
        for place in range(len(others)):
            far[place] += codes[others[place], column] != code


def put_in_order(keys: Array, count: int, rank: Array, ordered: Array) -> None:
    """Few keys, all different, by comparing all: no step of that waits for another."""
    if count > FEW:
        ordered[:count] = np.sort(keys[:count])
        return
    for place in range(count):
        key, smaller = keys[place], 0
        for earlier in range(place):
            is_smaller = keys[earlier] < key
            smaller += is_smaller
            rank[earlier] += 1 - is_smaller
        rank[place] = smaller
    for place in range(count):
        ordered[rank[place]] = keys[place]


def rank_candidates(
    train: tuple[Array, Array],
    test: tuple[Array, Array],
    wanted: tuple[int, bool, int, int],
    places: Array,
    steps: Array,
    counts: Array,
) -> int:
    """Leave of each row's candidates the k nearest by exact distance, the earlier first; their ties if wanted.

    `wanted` is k, whether ties are kept, and the rows to look at.
    """
    k, keep_ties, first, end = wanted
    far, ordered = np.empty(counts[first:end].max()), np.empty(counts[first:end].max())
    keys, ranked, rank_of, begin, filled = far.view(np.int64), ordered.view(np.int64), np.empty(FEW, np.int64), 0, 0
    for row in range(first, end):
        others = places[begin : begin + counts[row]]
        measure(train, test, row, others, far[: counts[row]])
        for candidate in range(counts[row]):
            # To the digits that count, half to even; those behind them hold the place, for one sort of both.
            far[candidate] *= DIGITS
            key = keys[candidate] + (PLACES >> 1) - 1 + ((keys[candidate] >> PLACE_BITS) & 1)
            keys[candidate] = (key & ~(PLACES - 1)) | np.int64(others[candidate])
        put_in_order(keys, counts[row], rank_of, ranked)
        begin, last, start = begin + counts[row], ranked[k - 1] | (PLACES - 1), filled
        for rank in range(counts[row]):
            if ranked[rank] > last or (rank >= k and not keep_ties):
                break
            places[filled] = ranked[rank] & (PLACES - 1)
            ranked[rank] &= ~(PLACES - 1)
            steps[filled] = ordered[rank]
            filled += 1
        counts[row] = filled - start
    return filled
