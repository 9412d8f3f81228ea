"""What slices say of the best model, ids that two looks share, ranks that tie: each counted one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from referee.comparing.ranks import RankTable
from referee.comparing.row_sketch import KEPT, RowSketch, hashes_of, overlap_notices, refuse_counted
from referee.comparing.row_worth import are_copies, repeated_rows
from referee.comparing.slice_tests import SliceTest, SliceTests
from referee.engines import summing_engine_of
from referee.predictions import Predictions
from tests.sources.refusals import refused


def sketch(rows):
    return RowSketch.of(hashes_of(map(str, rows)))


@pytest.mark.parametrize(
    ("first", "second"), [(range(9), range(4, 20)), (range(3), range(3, 6)), ([], [1]), ([1], [1])]
)
def test_ids_that_two_looks_share_are_counted(first, second):
    assert sketch(first).overlap(sketch(second)) == len({*first} & {*second})
    kept = RowSketch.read(sketch(first).to_dict())
    assert (kept.ids, kept.smallest.tolist()) == (len(first), sketch(first).smallest.tolist())


@pytest.mark.parametrize("shared", [0, 2000, 20_000])
def test_of_many_ids_the_shared_ones_are_estimated(shared):
    """Each of KEPT hashes stands for as many ids: the error of a count of hits, four times."""
    first, second = sketch(range(20_000)), sketch(range(20_000 - shared, 40_000 - shared))
    assert not first.is_whole
    assert first.ids == 20_000 > KEPT == len(first.smallest)
    each = 20_000 / KEPT
    assert first.overlap(second) == pytest.approx(shared, abs=4 * each * (shared / each) ** 0.5)
    few = sketch(range(50))
    assert few.overlap(first) == pytest.approx(50, abs=4 * each * (50 / each) ** 0.5)


def test_rows_that_were_counted_before_are_refused(tmp_path):
    looks = [{"look": 1}, {"look": 2, "ids": sketch(range(100, 120)).to_dict()}, {"look": 3}]
    with refused("E_LEDGER", "5 of the 30 rows", "in look 2", exit_code=7):
        refuse_counted(tmp_path, sketch(range(85, 105)), 30, looks)
    refuse_counted(tmp_path, sketch(range(30)), 30, looks)
    refuse_counted(tmp_path, None, 30, looks)
    assert "looks 1, 3" in overlap_notices(sketch([1]), looks)[0].message
    assert "of look 1:" in overlap_notices(sketch([1]), looks[:2])[0].message
    assert overlap_notices(sketch([1]), looks[1:2]) == []
    assert [notice.code for notice in overlap_notices(None, [])] == ["W_NOIDS"]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_where_the_best_model_is_beaten_or_worse(better):
    """Every test that may be: of the best or another model, up or down, significant, just not, or unknown."""
    ps = (0.01, 0.05, 0.2, None)
    every = [
        SliceTest(f"{model}{against}{difference}{p}", model, against, difference, p, p)
        for model, against, difference, p in product(("best", "other"), (None, "best"), (0.1, -0.1, 0.0, None), ps)
        if model != against
    ]
    found = SliceTests(tuple(every), "best", better, 0.05)
    up = 1 if better == "higher" else -1

    def gains(test):
        """By more than nothing, or where less is better not by more than nothing."""
        return (test.difference or 0) > 0 if up == 1 else not (test.difference or 0) > 0

    sure = [test for test in every if test.p == 0.01]
    assert [test.slice for test in every if found.is_significant(test)] == [test.slice for test in sure]
    assert found.where_best_is_beaten() == [test.slice for test in sure if test.against == "best" and gains(test)]
    own = [test for test in sure if test.model == "best" and test.against is None]
    assert found.where_best_is_worse() == [test.slice for test in own if not gains(test)]
    for test in every:
        asked = found.apart if test.against is None else found.against_best
        assert asked(test.slice, test.model) is test
    assert found.apart("nowhere", "best") is None
    assert not found.is_significant(None)


@pytest.mark.parametrize(
    ("ranks", "tied", "alike"),
    [
        ([[2, 2, 2], [2, 2, 2]], True, True),
        ([[1, 2, 3], [1, 2, 3]], False, True),
        ([[1, 2, 3], [1, 3, 2]], False, False),
        ([[2, 2, 2], [1, 2, 3]], False, False),
    ],
)
def test_tables_of_ranks(ranks, tied, alike):
    table = RankTable(("a", "b", "c"), np.array(ranks, float))
    assert (table.all_tied, table.all_alike, table.models, table.data_sets) == (tied, alike, 3, 2)
    assert table.means == dict(zip("abc", np.mean(ranks, axis=0), strict=True))


def copied_rows(truth, columns):
    """How many are said to be copies, by what is counted in memory; a database counts the same."""
    duckdb, arrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    found = repeated_rows(truth, columns)
    names = [f"m{place}" for place in range(len(columns))]
    rows = arrow.table({"y": truth, **dict(zip(names, columns, strict=True))})
    stored = Predictions.read(duckdb.from_arrow(rows), truth="y", task="regression", models=names)
    there = summing_engine_of(stored).repeated_rows(stored, [model.given_columns()[0] for model in stored.models], 0)
    if found is not None:
        assert there.copies == found.copies
        assert (there.differ, there.expected) == pytest.approx((found.differ, found.expected), rel=1e-12)
    return found.copies if found is not None and are_copies(found) else 0


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("copies", [2, 3])
def test_rows_that_stand_several_times_are_counted(copies, classes):
    """Copies have the truths of what they copy; rows that are only scored alike have those of their neighbours."""
    draw = np.random.default_rng(3)
    truth, scores = draw.integers(0, classes, 400), draw.random(400).round(6)
    assert len(set(scores.tolist())) == 400
    order = draw.permutation(400 * copies)
    assert copied_rows(np.tile(truth, copies)[order], [np.tile(scores, copies)[order]]) == 400 * (copies - 1)
    assert copied_rows(truth, [scores]) == 0
    assert copied_rows(np.tile(truth, copies), [np.tile(scores, copies), draw.random(400 * copies)]) == 0
    assert copied_rows(draw.integers(0, classes, 800), [np.tile(scores, 2)]) == 0
