"""What cannot be split is refused with the reason and a hint."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from referee import schemes
from referee.errors import RefereeError
from referee.fitting.rows import moments_of

TEN = np.zeros((10, 1))
THREE_OF_TEN = [1] * 3 + [0] * 7

REFUSED = [
    # scheme, what it is given, code, exit, words of the message, words of the hint
    ("k_fold(k=11)", {}, "E_FOLDS", 4, ("11 folds", "10 rows"), "k=10"),
    ("stratified_k_fold(k=11)", {"y": THREE_OF_TEN}, "E_FOLDS", 4, ("11 folds", "10 rows"), "k=10"),
    ("stratified_k_fold(k=5)", {"y": THREE_OF_TEN}, "E_FOLDS", 4, ("5 folds", "3 rows", "class '1'"), "k=3"),
    ("stratified_k_fold(k=2)", {"y": ["a", *"bbbbbbbbb"]}, "E_FOLDS", 4, ("2 folds", "1 row of", "'a'"), "k_fold"),
    ("stratified_k_fold(k=3)", {"y": THREE_OF_TEN, "groups": [0] * 5 + [1, 2, 3, 4, 5]}, "E_FOLDS", 4,
     ("3 folds", "1 group with", "class '1'"), "k_fold"),
    ("stratified_k_fold", {"y": np.linspace(0, 1, 10)}, "E_CLASSES", 2, ("classes", "target has no classes"), "k_fold"),
    ("group_k_fold(k=4)", {"groups": [*"aaabbbcccc"]}, "E_FOLDS", 4, ("4 folds", "3 groups"), "k=3"),
    ("k_fold(k=4)", {"groups": [*"aaabbbcccc"]}, "E_FOLDS", 4, ("4 folds", "3 groups"), "k=3"),
    ("group_k_fold", {}, "E_GROUP", 2, ("group_k_fold", "belong together"), "group="),
    ("group_k_fold", {"groups": [*"aaabbbccc", None]}, "E_MISSING", 3, ("group", "row 10"), None),
    ("holdout", {"groups": ["a"] * 10}, "E_TOOFEW", 4, ("1 group",), None),
    ("time_ordered", {}, "E_TIME", 2, ("time_ordered", "time of each row"), "time="),
    ("time_ordered(k=10)", {"time": range(10)}, "E_FOLDS", 4, ("10 folds", "10 moments"), "fewer"),
    ("time_ordered(k=3)", {"time": [0] * 7 + [1, 2, 2]}, "E_FOLDS", 4, ("3 folds", "3 moments"), "fewer"),
    ("time_ordered(k=2, gap=9)", {"time": range(10)}, "E_FOLDS", 4, ("gap of 9 moments",), "smaller gap"),
    ("time_ordered(k=2)", {"time": range(10), "groups": [0] * 10}, "E_FOLDS", 4, ("group", "fold 1"), None),
    ("k_fold(k=5)", {"time": range(10)}, "E_TIME", 2, ("time=", "shuffled", "future"), "time_ordered"),
    ("nested(outer=time_ordered)", {"time": range(10)}, "E_TIME", 2, ("k_fold", "shuffled"), "time_ordered"),
    ("nested(outer=3)", {}, "E_PARAMETER", 2, ("outer", "name of a scheme"), None),
    ("equal_subsets", {}, "E_SUBSETS", 4, ("50 subsets", "4 rows"), "at most 4"),
    ("equal_subsets(train=0.5, holdout=0.5)", {}, "E_PARAMETER", 2, ("no row to test on",), None),
    ("nested(inner=k_fold(k=9))", {}, "E_FOLDS", 4, ("9 folds", "8 rows"), "k=8"),
    ("k_fold", {"y": [1, 2, 3]}, "E_LENGTH", 2, ("y has 3 values", "10 rows"), None),
    ("k_fold", {"groups": [1, 2, 3]}, "E_LENGTH", 2, ("groups has 3 values",), None),
    ("k_fold", {"y": np.zeros((10, 2))}, "E_LENGTH", 2, ("(10, 2)",), None),
    ("k_fold", {"y": [1.0] * 9 + [np.nan]}, "E_MISSING", 3, ("y", "row 10"), None),
    ("k_fold", {"y": ["a"] * 3 + [None] + ["b"] * 6}, "E_MISSING", 3, ("y", "row 4"), None),
]  # fmt: skip


@pytest.mark.parametrize(("call", "given", "code", "exit_", "words", "hint"), REFUSED)
def test_refused(call, given, code, exit_, words, hint):
    with pytest.raises(RefereeError) as caught:
        schemes[call].splits(TEN, **given)
    assert (caught.value.code, caught.value.exit) == (code, exit_)
    assert all(word in caught.value.message for word in words)
    assert hint is None or hint in caught.value.hint


PARAMETERS = ["k_fold(k=1)", "k_fold(k=0)", "k_fold(k=2.5)", "k_fold(repeats=0)", "k_fold(folds=5)", "holdout(test=0)"]
PARAMETERS += ["holdout(test=1)", "bootstrap(repeats=none)", "bootstrap_632(training=test)", "time_ordered(gap=-1)"]
PARAMETERS += ["equal_subsets(subsets=1)", "leave_one_out(k=5)", "random_subsampling(splits=many)"]


@pytest.mark.parametrize("call", PARAMETERS)
def test_refused_parameters(call):
    with pytest.raises(RefereeError) as caught:
        schemes[call]
    assert (caught.value.code, caught.value.exit) == ("E_PARAMETER", 2)


@pytest.mark.parametrize("call", ["k_flod", "nested(outer=k_flod)"])
def test_unknown_names(call):
    with pytest.raises(RefereeError, match="'k_fold'") as caught:
        schemes[call]
    assert caught.value.code == "E_UNKNOWN"


@pytest.mark.parametrize("name", list(schemes))
def test_one_row_cannot_be_split(name):
    with pytest.raises(RefereeError) as caught:
        schemes[name].splits([[1]], ["a"], groups=["g"], time=[1] if name == "time_ordered" else None)
    assert (caught.value.code, caught.value.exit) == ("E_TOOFEW", 4)


def test_nothing_to_split():
    for refused in (schemes["k_fold"].get_n_splits, lambda: schemes["k_fold"].splits(None)):
        with pytest.raises(RefereeError, match="give X, y or both"):
            refused()


def cells(shared, name, column):
    with (shared / "cases" / name).open() as file:
        return [row[column] for row in csv.DictReader(file)]


def test_the_words_of_the_cases(shared):
    y = cells(shared, "142_dataset_3pos.csv", "y")
    with pytest.raises(RefereeError, match=r"5 folds.*3 rows.*class '1'"):
        schemes["stratified_k_fold(k=5)"].splits(y, y)
    with pytest.raises(RefereeError, match=r"time=.*shuffled.*future"):
        y = cells(shared, "148_time.csv", "y")
        schemes["k_fold(k=5)"].splits(y, y, time=cells(shared, "148_time.csv", "t"))
    groups = np.array(cells(shared, "146_groups.csv", "grp"))
    for train, test in schemes["k_fold(k=5)"].split(groups, groups=groups):
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(RefereeError, match=r"column 't'.*row 8.*time zone") as caught:
        moments_of(cells(shared, "150_tz_naive_mix.csv", "t"), "t")
    assert (caught.value.code, caught.value.exit) == ("E_TIME", 3)
