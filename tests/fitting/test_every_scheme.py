"""Every scheme is what it says it is; a new file in the folder is tested by being there."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from dataclasses import replace
from itertools import combinations
from math import ceil, floor

import numpy as np
import pytest

from referee import schemes
from referee.errors import RefereeError
from referee.fitting import Rows
from referee.fitting.scheme_cards import scheme_card, worked
from referee.fitting.splits import fingerprint

NAMES = list(schemes)
SMALL = {"equal_subsets": {"subsets": 5}}
"""What makes a scheme fit 60 rows."""
TEXTS = ("title", "question", "draws", "weak_at")
ROWS = 60
Y = np.tile(["a", "a", "b", "c"], ROWS // 4)
TIMES = np.random.RandomState(1).permutation(ROWS) // 2
GROUPS = np.repeat(np.arange(ROWS // 3), 3)


def needed(scheme, groups=GROUPS, time=TIMES):
    given = {"groups": groups, "time": time}
    return {name: column for name, column in given.items() if name in scheme.needs}


def splits(name, y=Y, *, seed=0, **settings):
    scheme = schemes[name](**SMALL.get(name, {}) | settings)
    return list(scheme.splits(np.zeros((ROWS, 1)), y, **needed(scheme), seed=seed))


def with_inner(every):
    for split in every:
        yield split
        yield from split.inner


def by_repeat(every):
    repeats = {}
    for split in every:
        repeats.setdefault(split.repeat, []).append(split)
    return repeats


@pytest.mark.parametrize("name", NAMES)
def test_card(name):
    scheme = schemes[name]
    assert scheme.name == name
    assert all(getattr(scheme, text).strip() for text in TEXTS)
    assert scheme.question.endswith("?")
    assert scheme.references and all(one.strip() for one in scheme.references)
    assert scheme.examples and all(one.source.strip() for one in scheme.examples)
    assert scheme.parameters.keys() == scheme.defaults.keys()
    for key, parameter in scheme.parameters.items():
        assert parameter.meaning.strip()
        assert not parameter.refusal(scheme.defaults[key])


@pytest.mark.parametrize("name", NAMES)
def test_examples(name):
    for example in schemes[name].examples:
        found = worked(schemes[name], example)["referee"]
        assert found.keys() == example.finds.keys()
        for key, expected in example.finds.items():
            number = isinstance(expected, float)
            assert found[key] == (pytest.approx(expected, abs=example.within) if number else expected), key


def test_names_are_told_apart():
    words = [word for scheme in schemes.values() for word in (scheme.name, *scheme.aliases)]
    assert len(words) == len(set(words))
    assert len({scheme.title for scheme in schemes.values()}) == len(NAMES)


CONTRACT = {"holdout", "random_subsampling", "k_fold", "stratified_k_fold", "leave_one_out", "bootstrap"}
CONTRACT |= {"bootstrap_632", "bootstrap_632_plus", "equal_subsets", "group_k_fold", "time_ordered", "nested"}


def test_what_the_contract_names_is_there():
    assert set(NAMES) >= CONTRACT


@pytest.mark.parametrize("name", NAMES)
def test_no_row_is_trained_on_and_tested(name):
    for split in with_inner(splits(name)):
        assert len(split.train) and len(split.test)
        assert not np.isin(split.test, split.train).any()
        assert {*split.train, *split.test} <= set(range(ROWS))
        assert len(set(split.test)) == len(split.test)


@pytest.mark.parametrize("name", NAMES)
def test_inner_splits_are_of_the_training_rows(name):
    for split in splits(name):
        assert all({*inner.train, *inner.test} <= set(split.train) for inner in split.inner)
        assert bool(split.inner) == (name == "nested")


@pytest.mark.parametrize("name", NAMES)
def test_folds_and_repeats_are_numbered(name):
    repeats = by_repeat(splits(name))
    assert list(repeats) == list(range(1, len(repeats) + 1))
    for every in repeats.values():
        assert [split.fold for split in every] == list(range(1, len(every) + 1))
        assert max(Counter(row for split in every for row in split.test).values()) == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_row_is_tested_once_in_each_repeat_or_not(name):
    every = by_repeat(splits(name)).values()
    complete = all(sorted(row for split in one for row in split.test) == list(range(ROWS)) for one in every)
    assert complete == schemes[name].tests_every_row


@pytest.mark.parametrize("name", NAMES)
def test_training_rows_are_all_others_unless_drawn_otherwise(name):
    whole = all(len(split.train) + len(split.test) == ROWS for split in splits(name))
    assert whole == (not schemes[name].with_replacement and name != "time_ordered")


@pytest.mark.parametrize("name", NAMES)
def test_copies_of_rows_are_trained_on_or_not(name):
    copies = any(len(set(split.train)) < len(split.train) for split in splits(name))
    assert copies == schemes[name].with_replacement


@pytest.mark.parametrize("name", NAMES)
def test_training_sets_overlap_or_not(name):
    sets = {frozenset(split.train) for split in splits(name)}
    assert any(a & b for a, b in combinations(sets, 2)) == schemes[name].overlapping


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides(name):
    first, again, other = (fingerprint(splits(name, seed=seed)) for seed in (3, 3, 4))
    assert first == again
    assert (first != other) == schemes[name].random


def parts_of(split):
    yield split.train
    yield split.test
    for parts in split.subsets.values():
        yield from parts


def has_its_share(part, rows, y):
    """Whether each class has its share of the part, rounded down or up."""
    for name in set(y):
        share = len(part) * np.mean(y[rows] == name)
        if not floor(share - 1e-9) <= np.sum(y[part] == name) <= ceil(share + 1e-9):
            return False
    return True


@pytest.mark.parametrize("name", [name for name in NAMES if name != "leave_one_out"])
def test_every_class_has_its_share_or_not(name):
    """Of leave-one-out any class may be the one row's."""
    y = np.repeat(["a", "b", "c"], [37, 16, 7])
    settings = {"k": 7} if name == "stratified_k_fold" else {}
    shared = all(
        has_its_share(part, np.arange(ROWS), y)
        for seed in range(5)
        for split in splits(name, y, seed=seed, **settings)
        for part in (split.train, split.test)
    )
    assert shared == schemes[name].stratified


def test_the_subsets_of_the_paper():
    y = np.repeat(["a", "b"], [700, 300])
    (split,) = schemes["equal_subsets"].splits(y, y)
    assert list(split.subsets) == ["holdout", "test"]
    assert [len(parts) for parts in split.subsets.values()] == [50, 50]
    every = np.concatenate([part for parts in split.subsets.values() for part in parts])
    assert sorted(every) == sorted(split.test)
    for part in (part for parts in split.subsets.values() for part in parts):
        assert (len(part), abs(np.sum(y[part] == "b") - 2.7) < 1) == (9, True)
    for parts in split.subsets.values():
        assert np.sum(y[np.concatenate(parts)] == "b") == 135


@pytest.mark.parametrize("name", NAMES)
def test_how_scores_are_combined_suits_the_splits(name):
    every, scheme = splits(name), schemes[name]
    assert all((split.seen is not None) == scheme.combine.startswith("point_632") for split in every)
    times = Counter(row for split in every for row in split.test)
    pooling_is_fair = len(every) > 1 and max(times.values()) == 1
    assert pooling_is_fair == (scheme.combine == "pooled")


@pytest.mark.parametrize("name", ["bootstrap_632", "bootstrap_632_plus"])
def test_which_rows_the_training_score_is_of(name):
    for split in splits(name, repeats=5):
        assert list(split.seen) == list(split.train)
    for split in splits(name, repeats=5, training="all"):
        assert list(split.seen) == list(range(ROWS))


@pytest.mark.parametrize("name", NAMES)
def test_a_group_is_never_on_both_sides(name):
    groups = np.random.RandomState(2).randint(25, size=ROWS)
    scheme = schemes[name](**SMALL.get(name, {}) | ({"k": 4} if name == "stratified_k_fold" else {}))
    given = needed(scheme, time=np.arange(ROWS) // 2) | {"groups": groups}
    # Over time a group comes again, and is then left out of the training rows.
    y = Y if name != "time_ordered" else None
    for split in with_inner(scheme.splits(np.zeros(ROWS), y, **given)):
        for part in (split.test, *(part for parts in split.subsets.values() for part in parts)):
            assert not set(groups[split.train]) & set(groups[part])
        held = [set(groups[part]) for parts in split.subsets.values() for part in parts]
        assert not any(a & b for a, b in combinations(held, 2))


@pytest.mark.parametrize("name", NAMES)
def test_whole_groups_are_tested(name):
    scheme = schemes[name](**SMALL.get(name, {}) | ({"k": 4} if name == "stratified_k_fold" else {}))
    if "time" not in scheme.needs:
        for split in scheme.splits(np.zeros(ROWS), Y, groups=GROUPS):
            tested = Counter(GROUPS[split.test])
            assert set(tested.values()) == {3}


@pytest.mark.parametrize("gap", [0, 3])
def test_nothing_is_learned_from_the_future(gap):
    every = splits("time_ordered", gap=gap)
    for split in every:
        assert TIMES[split.train].max() + gap < TIMES[split.test].min()
    tested = np.concatenate([split.test for split in every])
    assert sorted(tested) == sorted(np.flatnonzero(np.min(TIMES[every[0].test]) <= TIMES))


@pytest.mark.parametrize("name", [name for name in NAMES if "time" not in schemes[name].needs])
def test_time_is_refused_by_what_would_learn_from_the_future(name):
    with pytest.raises(RefereeError, match=r"time=.*are shuffled") as caught:
        schemes[name].splits(np.zeros(ROWS), Y, groups=GROUPS, time=TIMES)
    assert (caught.value.code, caught.value.exit) == ("E_TIME", 2)
    assert "time_ordered" in caught.value.hint


NEEDED = {"classes": ("labels", "E_CLASSES"), "groups": ("groups", "E_GROUP"), "time": ("moments", "E_TIME")}


@pytest.mark.parametrize("need", list(NEEDED))
@pytest.mark.parametrize("name", NAMES)
def test_what_is_needed_is_needed(name, need):
    scheme, (column, code) = schemes[name](**SMALL.get(name, {})), NEEDED[need]
    without = replace(Rows.of(np.zeros(ROWS), Y, **needed(scheme)), **{column: None})
    if need not in scheme.needs:
        assert next(scheme.splits_of(without)) is not None
        return
    with pytest.raises(RefereeError) as caught:
        scheme.splits_of(without)
    assert (caught.value.code, caught.value.exit) == (code, 2)
    assert caught.value.hint
    with pytest.raises(AssertionError):
        next(scheme.draw(without))


@pytest.mark.parametrize("name", [name for name in NAMES if {"repeats", "splits"} & schemes[name].defaults.keys()])
def test_a_repeat_depends_on_its_number_only(name):
    often = "splits" if "splits" in schemes[name].defaults else "repeats"
    many = by_repeat(splits(name, **{often: 4}))
    few = by_repeat(splits(name, **{often: 2}))
    assert (len(many), len(few)) == (4, 2)
    assert [fingerprint(few[repeat]) for repeat in few] == [fingerprint(many[repeat]) for repeat in few]
    assert len({fingerprint(every) for every in many.values()}) == 4


@pytest.mark.parametrize("name", NAMES)
def test_the_protocol_of_scikit_learn(name):
    scheme = schemes[name](**SMALL.get(name, {}))
    table = np.zeros((ROWS, 2))
    pairs = list(scheme.split(table, Y, **needed(scheme)))
    assert fingerprint(pairs) == fingerprint((split.train, split.test) for split in splits(name))
    assert scheme.get_n_splits(table, Y, **needed(scheme)) == len(pairs)


@pytest.mark.parametrize("name", NAMES)
def test_a_scheme_travels_to_workers(name):
    scheme = schemes[name](**SMALL.get(name, {}), seed=5)
    for there in (pickle.loads(pickle.dumps(scheme)), copy.deepcopy(scheme)):
        assert there == scheme
        assert hash(there) == hash(scheme)
        given = needed(scheme)
        assert fingerprint(there.splits(Y, Y, **given)) == fingerprint(splits(name, seed=5))


@pytest.mark.parametrize("name", NAMES)
def test_cards_are_plain_json(name):
    assert json.loads(json.dumps(scheme_card(schemes[name]).values))["name"] == name
