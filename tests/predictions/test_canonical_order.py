"""What is drawn depends on what rows say, not on their order, weights or names of classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from referee import Predictions, compare, threshold
from referee.predictions import Model

ROWS = 60
DRAW = np.random.default_rng(4)
TRUTH = DRAW.permutation(np.arange(ROWS) % 3)
SHARES = DRAW.dirichlet(np.ones(3), ROWS)


def ids_in_order(names=("a", "b", "c"), weight=None, rows=None, labels=None):
    """The first column of each row, in the order that is drawn from."""
    rows = np.arange(ROWS) if rows is None else rows
    order = np.argsort(names)
    labels = None if labels is None else {"m": np.array(names)[labels[rows]]}
    weight = None if weight is None else weight[rows]
    of_classes = {"m": SHARES[rows][:, order]}
    made = Predictions.from_arrays(np.array(names)[TRUTH[rows]], of_classes, weight=weight, labels=labels)
    column = np.asarray(made.in_canonical_order().models[0].class_scores[list(order).index(0)])
    return np.searchsorted(np.sort(SHARES[:, 0]), column).tolist()


@pytest.mark.parametrize(
    "changed",
    [
        {"weight": np.ones(ROWS)},
        {"weight": np.arange(ROWS) + 1.0},
        {"rows": np.random.default_rng(5).permutation(ROWS)},
        {"names": ("c", "a", "b")},
        {"names": ("z", "y", "x")},
    ],
)
def test_several_classes(changed):
    """As many rows of each class, so that only what is said of them tells classes apart."""
    assert ids_in_order(**changed) == ids_in_order()


def test_decisions_of_other_names():
    labels = np.random.default_rng(6).integers(0, 3, ROWS)
    assert ids_in_order(names=("q", "p", "r"), labels=labels) == ids_in_order(labels=labels)


def test_rows_that_agree_are_told_apart_by_their_weights():
    """Then their order is that of the weights, whatever order they came in."""
    score, weight = np.repeat([0.2, 0.8], 3), np.array([3.0, 1.0, 2.0, 6.0, 5.0, 4.0])
    for order in (np.arange(6), np.arange(6)[::-1]):
        made = Predictions.from_arrays([0, 0, 0, 1, 1, 1], {"m": score[order]}, weight=weight[order])
        made = replace(made, models=(Model("m", scores=score[order]),), truth=(score[order] > 0.5).astype(int))
        assert sorted(np.split(made.in_canonical_order().weight, 2), key=min)[0].tolist() == [1.0, 2.0, 3.0]


def binary(weight=None, names=("no", "yes"), positive="yes"):
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 2, 200)
    scores = {
        name: np.clip(0.3 + size * truth + draw.normal(0, 0.3, 200), 0, 1) for name, size in (("a", 0.4), ("b", 0.3))
    }
    return Predictions.from_arrays(np.array(names)[truth], scores, weight=weight, positive=positive)


WEIGHTS = np.random.default_rng(8).integers(0, 4, 200).astype(float)


def said(result):
    (comparison,) = result.comparisons
    return [comparison.p, *(value for cut in result.chosen for value in (cut.threshold, cut.value, cut.value_low))]


@pytest.mark.parametrize(
    ("some", "others"),
    [
        (binary(), binary(np.full(200, 0.0025))),
        (binary(WEIGHTS), binary(WEIGHTS / 731.3)),
        (binary(WEIGHTS), binary(WEIGHTS * 1e-300)),
        (binary(WEIGHTS), binary(WEIGHTS).with_rows_that_count()),
        (binary(), binary(names=("b", "a"), positive="a")),
    ],
    ids=["equal weights", "scale", "tiny", "weight 0", "names"],
)
def test_thresholds(some, others):
    assert said(threshold(others, goal="f1")) == pytest.approx(said(threshold(some, goal="f1")), rel=1e-9)


def test_permutations_with_other_names():
    p = [
        compare(binary(**names), goal="f1", test="permutation", metrics="goal").comparisons[0].p
        for names in ({}, {"names": ("b", "a"), "positive": "a"})
    ]
    assert p[0] == p[1]
