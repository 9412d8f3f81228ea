"""Rows, moments, streams, inner splits, and a scheme of one's own."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from referee import schemes
from referee.errors import RefereeError
from referee.fitting import Rows, Split, Together
from referee.fitting.rows import moments_of
from referee.fitting.splits import fingerprint
from referee.fitting.splitters import scheme_of

TEN = np.zeros((10, 1))


def test_bootstrap_samples_that_cannot_be_used_are_drawn_again_and_counted():
    y = [1, 1, *[0] * 38]
    every = list(schemes["bootstrap"](repeats=400).splits(y, y))
    assert all(sum(np.array(y)[split.train]) > 0 for split in every)
    thrown = sum(split.redrawn for split in every)
    # Without a positive: (38/40)^40 = 0.1285 of the samples.
    assert thrown / (thrown + 400) == pytest.approx(0.1285, abs=0.05)
    assert sum(split.redrawn for split in schemes["bootstrap"].splits(range(40))) == 0
    with pytest.raises(RefereeError, match="leaves a row to test on"):
        schemes["bootstrap"].splits([1, 2], ["a", "b"])
    assert len(list(schemes["bootstrap"].splits([1, 2]))) == 200


CONTAINERS = [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda y: pa.chunked_array([y])]


@pytest.mark.parametrize("of", CONTAINERS)
def test_the_container_does_not_matter(of):
    y, groups, time = ["no", "yes"] * 10, [*"aabbccddee"] * 2, [datetime(2024, 1, day + 1) for day in range(20)]
    expected = [fingerprint(schemes["stratified_k_fold(k=5)"].splits(y, y))]
    expected += [fingerprint(schemes["group_k_fold(k=2)"].splits(y, groups=groups))]
    expected += [fingerprint(schemes["time_ordered"].splits(y, time=time))]
    found = [fingerprint(schemes["stratified_k_fold(k=5)"].splits(of(y), of(y)))]
    found += [fingerprint(schemes["group_k_fold(k=2)"].splits(of(y), groups=of(groups)))]
    found += [fingerprint(schemes["time_ordered"].splits(of(y), time=of(time)))]
    assert found == expected


@pytest.mark.parametrize(
    "table", [pd.DataFrame({"x": range(9)}), pl.DataFrame({"x": range(9)}), pa.table({"x": range(9)})]
)
def test_tables_have_rows_not_columns(table):
    assert schemes["leave_one_out"].get_n_splits(table) == 9


LABELS = [
    ([0, 1, 1], ("0", "1")), ([0.0, 1.0, 1.0], ("0", "1")), (np.float32([0, 1]), ("0", "1")),
    ([True, False], ("False", "True")), (["b", "a"], ("a", "b")), ([Decimal(1), Decimal(2)], ("1", "2")),
    (np.array(["x", 1], object), ("1", "x")), ([0.5, 1.0], ()), ([Decimal("0.5"), 1], ()),
    (pd.Series(["a", "b"], dtype="category"), ("a", "b")), ([[1], [2]], ("1", "2")),
]  # fmt: skip


@pytest.mark.parametrize(("y", "classes"), LABELS)
def test_what_classes_are(y, classes):
    rows = Rows.of(None, y)
    assert rows.classes == classes
    assert (rows.labels is None) == (not classes)


MOMENTS = [
    ([3, 1, 3], [1, 0, 1]), ([0.5, -1.0, 9e9], [1, 0, 2]),
    (["2024-01-02", "2024-01-01"], [1, 0]),
    (["2024-01-01T00:00:00+01:00", "2023-12-31T23:00:00Z", "2024-01-01T00:00:00Z"], [0, 0, 1]),
    ([date(2024, 1, 2), datetime(2024, 1, 1, 23), datetime(2024, 1, 2)], [1, 0, 1]),
    (np.array(["2024-02", "2024-01"], "M8[M]"), [1, 0]),
    (pd.Series(pd.to_datetime(["2024-01-02", "2024-01-01"], utc=True)), [1, 0]),
    ([datetime(1, 1, 1), datetime(9999, 12, 31)], [0, 1]),
    ([datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1)))], [1, 0]),
]  # fmt: skip


@pytest.mark.parametrize(("values", "expected"), MOMENTS)
def test_moments(values, expected):
    assert moments_of(values).tolist() == expected


BAD_TIMES = [
    (["2024-01-01", "soon"], ("column 't'", "row 2", "'soon'")),
    (["2024-01-01", None], ("column 't'", "row 2", "missing")),
    ([1.0, np.nan], ("column 't'", "row 2", "missing")),
    (np.array(["2024-01-01", "NaT"], "M8[D]"), ("row 2", "missing")),
    (["2024-01-01"] * 3 + ["2024-01-01T00:00Z"], ("row 4 has a time zone", "other rows do not")),
    ([1j, 2j], ("not times",)),
]


@pytest.mark.parametrize(("values", "words"), BAD_TIMES)
def test_bad_times(values, words):
    with pytest.raises(RefereeError) as caught:
        moments_of(values, "t")
    assert (caught.value.code, caught.value.exit) == ("E_TIME", 3)
    assert all(word in caught.value.message for word in words)


def test_rows_that_stay_together():
    together = Together(np.array([7, 2, 7, 2, 9]))
    assert together.rows(np.array([0, 2])).tolist() == [1, 3, 4]
    assert together.rows(np.array([1, 1])).tolist() == [0, 0, 2, 2]
    labels = np.array([0, 1, 1, 1, 0])
    assert together.as_rows(Rows(5, labels, ("a", "b"))).labels.tolist() == [1, 0, 0]


def test_a_stream_is_the_same_for_ever():
    """NumPy promises it; other numbers here would change every result that anybody has stored."""
    assert Rows(5, seed=7).random(3).randint(1000, size=6).tolist() == RANDOM_NUMBERS
    assert Rows(5, seed=7 + 2**64).random(3).randint(1000, size=6).tolist() == RANDOM_NUMBERS
    assert Rows(5, seed=7, cell=(1,)).random(3).randint(1000, size=6).tolist() != RANDOM_NUMBERS
    y = np.arange(50) % 3
    found = {name: fingerprint(schemes[name].splits(y, y))[:8] for name in FINGERPRINTS}
    assert found == FINGERPRINTS


RANDOM_NUMBERS = [458, 730, 374, 773, 890, 599]
FINGERPRINTS = {
    "k_fold": "09381d64",
    "stratified_k_fold": "f3b4393f",
    "random_subsampling": "c9b170b7",
    "bootstrap": "ad8b73b8",
}


def test_hash_seed_time_zone_and_locale_do_not_matter():
    code = (
        "from referee import schemes; from referee.fitting.splits import fingerprint; y = ['b', 'a', 'c'] * 20\n"
        "t = [f'2024-03-{d:02}T02:30' for d in range(1, 31)] * 2\n"
        "print([fingerprint(schemes[n].splits(y, y)) for n in ('stratified_k_fold', 'bootstrap', 'nested')], "
        "fingerprint(schemes['group_k_fold'].splits(y, y, [v + str(i % 20) for i, v in enumerate(y)])), "
        "fingerprint(schemes['time_ordered'].splits(y, time=t)))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed, "TZ": zone, "LC_ALL": locale},
            capture_output=True, text=True, check=True,
        ).stdout
        for hash_seed, zone, locale in (("0", "UTC", "C"), ("4", "Europe/Berlin", "de_DE.UTF-8"))
    }  # fmt: skip
    assert len(found) == 1


def test_a_fingerprint_tells_splits_apart():
    one = Split(np.array([0, 1]), np.array([2]))
    others = [Split(np.array([1, 0]), np.array([2])), Split(np.array([0]), np.array([1, 2]))]
    others += [Split(one.train, one.test, inner=(one,)), Split(one.train, one.test, subsets={"test": (one.test,)})]
    assert len({fingerprint([split]) for split in (one, *others)}) == 5
    assert fingerprint([one, others[0]]) != fingerprint([others[0], one])
    assert fingerprint([one]) == fingerprint([(np.int32([0, 1]), [2])])


@pytest.mark.parametrize("outer", ["holdout", "bootstrap(repeats=3)", "stratified_k_fold(k=3)", "leave_one_out"])
def test_nested_has_the_properties_of_its_outer_scheme(outer):
    nested, other = schemes["nested"](outer=outer), schemes[outer]
    for name in ("combine", "overlapping", "stratified", "tests_every_row", "with_replacement", "random", "needs"):
        assert getattr(nested, name) == getattr(other, name)
    assert schemes["nested"](outer=other) == nested == schemes[nested.full_name]
    assert nested(outer="k_fold(k=5)") == schemes["nested"]
    y = np.arange(30) % 2
    assert fingerprint((s.train, s.test) for s in nested.splits(y, y)) == fingerprint(other.splits(y, y))


def test_inner_splits_of_every_outer_split_are_other_ones():
    y = np.arange(40)
    sizes = [[len(one.test) for one in split.inner] for split in schemes["nested"].splits(y)]
    assert sizes == [[7, 7, 6, 6, 6]] * 5
    assert len({fingerprint(split.inner) for split in schemes["nested"].splits(y)}) == 5
    with_time = schemes["nested(outer=time_ordered, inner=time_ordered(k=2))"]
    for split in with_time.splits(y, time=y):
        assert all(inner.train.max() < inner.test.min() < split.test.min() for inner in split.inner)


def test_groups_inside_and_outside():
    groups = np.arange(40) // 4
    for split in schemes["nested(outer=group_k_fold(k=3), inner=group_k_fold(k=2))"].splits(groups, groups=groups):
        for one in (split, *split.inner):
            assert not set(groups[one.train]) & set(groups[one.test])


def test_copies_of_a_row_stay_together_inside():
    for split in schemes["nested(outer=bootstrap(repeats=4))"].splits(range(30)):
        assert all(not set(inner.train) & set(inner.test) for inner in split.inner)


FILE = """
from referee.fitting import Scheme
from referee.fitting import Split
import numpy as np

def draw(rows, *, every=2):
    places = np.arange(rows.count)
    yield Split(places[places % every > 0], places[places % every == 0])

scheme = Scheme(title="Every other", question="Every other row?", draws="by place", draw=draw, combine="mean",
                overlapping=False, weak_at="all", random=False)
"""


def test_one_file_adds_a_scheme(tmp_path):
    (tmp_path / "every_other.py").write_text(FILE)
    schemes.add_folder(tmp_path)
    try:
        (split,) = scheme_of("every_other(every=3)").splits(TEN)
        assert split.test.tolist() == [0, 3, 6, 9]
    finally:
        schemes.remove_folder(tmp_path)
    assert "every_other" not in schemes
    run = subprocess.run(
        [sys.executable, "-m", "referee", "schemes", "every_other", "--format", "csv"],
        env={"REFEREE_SCHEMES": str(tmp_path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "title,Every other\n" in run.stdout
