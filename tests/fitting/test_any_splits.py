"""Splits of any rows, classes and groups keep what the schemes promise."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from referee import schemes
from tests.fitting.test_every_scheme import has_its_share
from tests.strategies import FEW_EXAMPLES

FOLDS = st.integers(2, 12)


@FEW_EXAMPLES
@given(st.integers(2, 200), FOLDS, st.integers(0, 2**70))
def test_any_k_fold_is_a_partition(rows, k, seed):
    k = min(k, rows)
    every = list(schemes["k_fold"](k=k).splits(range(rows), seed=seed))
    sizes = [len(split.test) for split in every]
    assert max(sizes) - min(sizes) <= 1
    assert sorted(np.concatenate([split.test for split in every])) == list(range(rows))


@FEW_EXAMPLES
@given(st.lists(st.integers(2, 40), min_size=1, max_size=5), FOLDS, st.integers(0, 99))
def test_any_stratified_folds_differ_by_one_row_of_a_class(counts, k, seed):
    y = np.random.RandomState(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    k = min(k, *counts)
    every = list(schemes["stratified_k_fold"](k=k).splits(y, y, seed=seed))
    for each in (*[[np.sum(y[s.test] == name) for s in every] for name in set(y)], [len(s.test) for s in every]):
        assert max(each) - min(each) <= 1
    assert sorted(np.concatenate([split.test for split in every])) == list(range(len(y)))


@FEW_EXAMPLES
@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.floats(0.01, 0.99), st.integers(0, 99))
def test_any_share_is_that_of_every_class(counts, share, seed):
    y = np.random.RandomState(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    (split,) = schemes["holdout"](test=share).splits(y, y, seed=seed)
    assert abs(len(split.test) - share * len(y)) <= 1
    assert all(has_its_share(part, np.arange(len(y)), y) for part in (split.train, split.test))


@FEW_EXAMPLES
@given(st.lists(st.integers(0, 9), min_size=3, max_size=60).filter(lambda groups: len(set(groups)) > 2))
def test_any_groups_stay_whole(groups):
    codes = np.array(groups)
    for scheme in (schemes["group_k_fold"](k=3), schemes["k_fold"](k=3), schemes["bootstrap"](repeats=3)):
        for split in scheme.splits(codes, groups=groups):
            assert len(split.train) and len(split.test)
            assert not set(codes[split.train]) & set(codes[split.test])
