"""Hot loops against slow, obvious ones: ties, -0.0, denormals, neighbours one step apart, one class, float32."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engines import Ranking, compiled, rank_falling
from referee.engines.kernels import add_by_unit, deal_out, merge_classes, merge_steps, steps_by_unit
from referee.engines.memory.rows import rank, rank_in_units
from tests.strategies import FEW_EXAMPLES

TINY = np.nextafter(0, 1)
AWKWARD = [0.0, -0.0, TINY, -TINY, 1.0, np.nextafter(1, 2), np.nextafter(1, 0), -1e38, 1e38, 0.5, 2.0, -3.0]
numbers = st.lists(st.sampled_from(AWKWARD) | st.floats(-2, 2), min_size=1, max_size=40)


@st.composite
def labelled(draw):
    scores = np.array(draw(numbers), draw(st.sampled_from([np.float64, np.float32])))
    truth = np.array(draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))))
    return scores, truth


def obvious_steps(scores, truth):
    """Distinct scores from the top, with how many of each class have them; -0.0 is 0.0."""
    positives, negatives = (Counter((scores[truth == side] + 0.0).tolist()) for side in (True, False))
    distinct = sorted({*positives, *negatives}, reverse=True)
    return [(score, positives[score], negatives[score]) for score in distinct]


def steps_of(ranking):
    columns = (ranking.scores + 0.0, ranking.positives, ranking.negatives)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("form", [lambda kernel: kernel, compiled], ids=["plain", "compiled"])
@FEW_EXAMPLES
@given(labelled(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_deal_and_merge(form, rows, units, chance):
    scores, truth = rows
    unit = np.array([chance.randrange(units) for _ in scores], np.int64)
    group = unit * 2 + truth
    starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=2 * units))])
    dealt, ends = np.empty_like(scores), np.empty(units, np.int64)
    form(deal_out)(scores, group, starts[:-1].copy(), dealt)
    for place, (first, end) in enumerate(pairwise(starts)):
        assert dealt[first:end].tolist() == scores[group == place].tolist()
        dealt[first:end].sort()
    steps = np.empty_like(scores), np.empty(len(scores), np.int32), np.empty(len(scores), np.int32)
    form(merge_classes)(dealt, starts, steps, ends)
    for place, (first, end) in enumerate(pairwise([0, *ends])):
        shown = zip(*((column[first:end] + 0).tolist() for column in steps), strict=True)
        assert list(shown) == obvious_steps(scores[unit == place], truth[unit == place])


@FEW_EXAMPLES
@given(labelled())
def test_rank(rows):
    assert steps_of(rank(*rows)) == obvious_steps(*rows)


@pytest.mark.parametrize("form", [lambda kernel: kernel, compiled], ids=["plain", "compiled"])
@FEW_EXAMPLES
@given(labelled(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_steps_by_unit(form, rows, units, chance):
    scores, truth = rows
    unit = np.array([chance.randrange(units) for _ in scores])
    weight = np.array([chance.randrange(1, 2**33) for _ in scores])
    order = np.argsort(-scores, kind="stable")
    columns = scores[order], (weight * truth)[order], (weight * ~truth)[order]
    ends = np.concatenate([[0], np.cumsum(np.bincount(unit, minlength=units))])[:-1]
    begins = ends.copy()
    steps = tuple(np.empty_like(columns[place]) for place in (0, 1, 2, 1, 2))
    form(steps_by_unit)(columns, unit[order], ends, steps)
    for place in range(units):
        here = unit == place
        repeated = obvious_weighted(scores[here], truth[here], weight[here])
        part = slice(begins[place], ends[place])
        shown = zip(*((column[part] + 0).tolist() for column in steps[:3]), strict=True)
        assert list(shown) == repeated
        assert steps[3][part].tolist() == np.cumsum([p for _, p, _ in repeated]).tolist()
        assert steps[4][part].tolist() == np.cumsum([n for _, _, n in repeated]).tolist()


def obvious_weighted(scores, truth, weight):
    """Counters beyond 2**31 too, as Python's whole numbers have no end."""
    found = {}
    for score, positive, counted in zip((scores + 0.0).tolist(), truth.tolist(), weight.tolist(), strict=True):
        sides = found.setdefault(score, [0, 0])
        sides[0 if positive else 1] += counted
    return [(score, *found[score]) for score in sorted(found, reverse=True)]


@FEW_EXAMPLES
@given(labelled(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_both_ways_to_rank_in_units(rows, units, chance):
    scores, truth = rows
    unit = np.array([chance.randrange(units) for _ in scores])
    columns = scores, truth.astype(np.int64), (~truth).astype(np.int64)
    order = np.argsort(-scores, kind="stable")
    by_sort = rank_in_units(columns, unit, units)
    by_sweep = rank_falling(tuple(column[order] for column in columns), unit[order], units)
    assert steps_of(by_sort) == steps_of(by_sweep)
    assert by_sort.starts.tolist() == by_sweep.starts.tolist()
    assert by_sort.steps.tp.tolist() == by_sweep.steps.tp.tolist()


@pytest.mark.parametrize("form", [lambda kernel: kernel, compiled], ids=["plain", "compiled"])
@FEW_EXAMPLES
@given(st.lists(st.floats(-1e15, 1e15), min_size=1, max_size=60), st.integers(1, 3))
def test_add_by_unit_is_nearly_exact(form, values, units):
    values, unit = np.array(values), np.arange(len(values)) % units
    totals, lost = np.zeros(units), np.zeros(units)
    form(add_by_unit)(values, unit, totals, lost)
    for place in range(units):
        exact = float(sum(map(Fraction, values[unit == place].tolist()), Fraction(0)))
        size = np.abs(values[unit == place]).sum()
        assert totals[place] + lost[place] == pytest.approx(exact, rel=1e-15, abs=1e-30 * size)


@pytest.mark.parametrize("form", [lambda kernel: kernel, compiled], ids=["plain", "compiled"])
@FEW_EXAMPLES
@given(labelled(), labelled())
def test_merge_steps(form, first, second):
    a, b = (rank(scores.astype(float), truth) for scores, truth in (first, second))
    rows = len(a.scores) + len(b.scores)
    steps = np.empty(rows), np.empty(rows, np.int64), np.empty(rows, np.int64)
    sides = [(one.scores, one.positives, one.negatives) for one in (a, b)]
    count = form(merge_steps)(*sides, steps)
    both = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
    shown = zip(*((column[:count] + 0).tolist() for column in steps), strict=True)
    assert list(shown) == obvious_steps(both[0].astype(float), both[1])


def test_memory_that_somebody_holds_is_not_given_to_another():
    """Python 3.14 counts references in another way: without this, errors of AUC were silently wrong there."""
    ranking = Ranking(np.array([0.9, 0.4]), np.array([1, 1]), np.array([0, 2]), np.array([0, 2]))
    held = ranking.room
    assert ranking.room is not held
    address = ranking.room.ctypes.data
    assert ranking.room.ctypes.data == address, "nobody holds it"
