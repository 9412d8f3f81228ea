"""Splitters made elsewhere are schemes too; what would make their scores a lie is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold, TimeSeriesSplit

from referee.errors import RefereeError
from referee.fitting import Rows
from referee.fitting.splits import fingerprint
from referee.fitting.splitters import folds_in_repeat, scheme_of

TEN = np.zeros((10, 1))

SPLITTERS = [
    (KFold(3), [(1, 1), (1, 2), (1, 3)]),
    (RepeatedKFold(n_splits=2, n_repeats=2), [(1, 1), (1, 2), (2, 1), (2, 2)]),
    (ShuffleSplit(3, test_size=0.6), [(1, 1), (2, 1), (3, 1)]),
    (TimeSeriesSplit(2), [(1, 1), (1, 2)]),
    ([([0, 1], [2]), ([2], [0, 1])], [(1, 1), (1, 2)]),
]


@pytest.mark.parametrize(("splitter", "expected"), SPLITTERS)
def test_splitters_are_numbered(splitter, expected):
    scheme = scheme_of(splitter)
    assert [(split.repeat, split.fold) for split in scheme.splits(TEN)] == expected
    assert scheme.get_n_splits(TEN) == len(expected)
    assert fingerprint(scheme.splits(TEN)) == fingerprint(scheme.splits(TEN))
    assert scheme_of(scheme) is scheme
    assert scheme.full_name == ("list" if isinstance(splitter, list) else repr(splitter))


def test_rows_that_are_known_are_enough():
    y = np.array(["a", "b"] * 5)
    rows = Rows(10, y == "b", ("a", "b"), groups=np.arange(10) // 2)
    for splitter in (StratifiedKFold(5), GroupKFold(5)):
        groups = rows.groups if isinstance(splitter, GroupKFold) else None
        known = replace(rows, groups=groups)
        assert fingerprint(scheme_of(splitter).splits_of(known)) == fingerprint(splitter.split(TEN, y, groups))


def test_a_splitter_may_look_at_the_table():
    table = np.arange(10)[::-1]
    (split,) = scheme_of(LargestLast()).splits(table)
    assert split.test.tolist() == [0]


def test_a_splitter_without_a_seed_takes_ours():
    scheme = scheme_of(KFold(5, shuffle=True))
    assert fingerprint(scheme.splits(TEN, seed=1)) != fingerprint(scheme.splits(TEN, seed=2))
    used_up = scheme_of(KFold(5, shuffle=True, random_state=np.random.RandomState(0)))
    assert fingerprint(used_up.splits(TEN)) == fingerprint(used_up.splits(TEN))


def test_folds_in_repeat_of_uneven_splits():
    assert folds_in_repeat([np.array([0]), np.array([1]), np.array([0, 1])]) == 1
    assert folds_in_repeat([np.array([0])]) == 1


class LargestLast:
    def split(self, table, *target_and_groups):  # noqa: ARG002
        order = np.argsort(table)
        yield order[:-1], order[-1:]


class Nameless:
    def split(self, *table_and_target):  # noqa: ARG002
        yield [0], [1]


BAD_SPLITTERS = [
    (2.5, {}, "E_SCHEME", "k_fold(k=10)"), (object(), {}, "E_SCHEME", ""), (None, {}, "E_SCHEME", ""),
    ([], {}, "E_SCHEME", "no split"), ([([0, 1], [1, 2])], {}, "E_SCHEME", "tests rows that it trains on"),
    ([([0], [])], {}, "E_SCHEME", "no list of test rows"), ([([0], [10])], {}, "E_SCHEME", "not one of the 10"),
    (KFold(11), {}, "E_SCHEME", "n_splits=11"), (StratifiedKFold(2), {"y": np.linspace(0, 1, 10)}, "E_SCHEME", ""),
    (GroupKFold(2), {}, "E_SCHEME", "groups"), (KFold(2), {"groups": [1] * 10}, "E_GROUP", "same group"),
    (KFold(2), {"time": range(10)}, "E_TIME", "future"),
]  # fmt: skip


@pytest.mark.parametrize(("splitter", "given", "code", "words"), BAD_SPLITTERS)
def test_splitters_that_are_refused(splitter, given, code, words):
    with pytest.raises(RefereeError) as caught:
        scheme_of(splitter).splits(TEN, **given)
    assert (caught.value.code, caught.value.exit) == (code, 2)
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_splitters_that_keep_groups_and_time():
    assert len(list(scheme_of(GroupKFold(2)).splits(TEN, groups=[1, 2] * 5))) == 2
    assert len(list(scheme_of(TimeSeriesSplit(3)).splits(TEN, time=range(10)))) == 3
    assert scheme_of(Nameless()).full_name == "Nameless"


def test_a_number_is_that_many_folds():
    splits = scheme_of(5).splits(TEN)
    assert [len(split.test) for split in splits] == [2] * 5
