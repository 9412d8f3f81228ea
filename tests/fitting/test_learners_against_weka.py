"""C4.5, nearest neighbours and naive Bayes as Weka 3.6.14 has them, row by row."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from referee.fitting import read_dataset
from referee.fitting.estimators import c45_split
from referee.fitting.estimators.c45 import C45Tree
from referee.fitting.estimators.naive_bayes import WekaNaiveBayes
from tests.one_estimator import estimator_of
from tests.reference.weka_trees import drawn

REFERENCE = Path(__file__).parents[1] / "reference"
DRAWN = json.loads((REFERENCE / "weka_trees.json").read_text())
SETTINGS = {
    "pruned": {},
    "unpruned": {"prune": False},
    "laplace": {"laplace": True},
    "five in a leaf": {"min_leaf": 5},
    "little confidence": {"confidence": 0.05},
}


@pytest.mark.parametrize("compile_from", [0, np.inf], ids=["compiled", "plain"])
@pytest.mark.parametrize("key", DRAWN)
def test_trees_of_mixed_data_with_missing_values_are_those_of_j48(key, compile_from, monkeypatch):
    monkeypatch.setattr(c45_split, "COMPILE_FROM", compile_from)
    seed, words = key.split(" ", 1)
    values, classes = drawn(int(seed))
    tree = C45Tree(categories=(0, 0, 0, 4, 3, 2), **SETTINGS[words]).fit(values[:300], classes[:300])
    assert (tree.get_n_leaves(), tree.size) == (DRAWN[key]["leaves"], DRAWN[key]["size"])
    assert np.allclose(tree.predict_proba(values[300:]), DRAWN[key]["shares"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("gaps", [0.0, 0.1])
@pytest.mark.parametrize("min_leaf", [1, 2, 40])
@pytest.mark.parametrize("weights", [None, "fractions"])
def test_compiled_and_plain_growth_are_the_same_tree(monkeypatch, gaps, min_leaf, weights):
    """On three classes, ties, a column without a value, and nodes of few and many of the rows.

    They are also asked about rows with missing values and a category that was never seen.
    """
    random = np.random.default_rng(min_leaf)
    x = np.column_stack([random.normal(size=(2000, 3)).round(1), random.integers(0, 9, (2000, 3)), np.full(2000, 3.0)])
    y = (x[:, 0] + x[:, 1] * x[:, 2] + x[:, 4] / 4 + random.normal(size=2000) > 1).astype(int) + (x[:, 3] > 6)
    x[random.random(x.shape) < gaps] = np.nan
    weight = None if weights is None else random.random(2000)
    asked = np.where(random.random(x.shape) < 0.05, np.nan, x)
    asked[:100, 3:6] = 9
    said = []
    for compile_from in (0, np.inf):
        monkeypatch.setattr(c45_split, "COMPILE_FROM", compile_from)
        tree = C45Tree(min_leaf=min_leaf, categories=(0, 0, 0, 9, 9, 9, 0)).fit(x, y, weight)
        shares = tree.predict_proba(x).tobytes() + tree.predict_proba(asked).tobytes()
        said.append([tree.size, tree.get_n_leaves(), *shares])
    assert said[0] == said[1] and said[0][0] > 20


def by_weka(file, data):
    """The folds of Weka's cross-validation in its order, and the share that each row's positive class had."""
    rows = list(csv.DictReader(file.read_text().splitlines()))
    names = [name[2:] for name in rows[0] if name.startswith("p_")]
    shares = np.array([[float(row[f"p_{name}"]) for name in data.classes] for row in rows])
    assert set(names) == set(data.classes)
    return [int(row["row"]) for row in rows], np.array([int(row["fold"]) for row in rows]), shares


def fold_by_fold(spec, data, file):
    """For each fold the training and test rows, Weka's shares and ours."""
    order, fold, shares = by_weka(file, data)
    for number in range(10):
        test = np.array(order)[fold == number]
        train = np.setdiff1d(np.arange(data.rows), test)
        estimator = estimator_of(spec, data.features, data.task).fit(data.X[train], data.target[train])
        yield train, test, shares[fold == number], estimator.predict_proba(data.X[test])


@pytest.mark.parametrize("k", [5, 50])
def test_neighbours_with_all_ties_say_what_ibk_says(k, shared):
    """But for rows after one that lies outside of the training range: Weka then widens the range, we do not."""
    data = read_dataset(shared / "data/more/credit-g.parquet", "class", task="binary")
    numeric = [place for place, feature in enumerate(data.features) if feature.kind == "numeric"]
    compared = 0
    file = shared / f"reference/weka/credit-g.IBk-{k}.csv"
    for train, test, weka, ours in fold_by_fold(f"knn(k={k}, ties=keep, prior=1)", data, file):
        seen, asked = data.X[np.ix_(train, numeric)], data.X[np.ix_(test, numeric)]
        outside = ((asked < seen.min(axis=0)) | (asked > seen.max(axis=0))).any(axis=1)
        same_range = ~np.maximum.accumulate(outside)
        assert np.allclose(ours[same_range], weka[same_range], rtol=0, atol=1e-12)
        compared += same_range.sum()
    assert compared > 700


def test_naive_bayes_says_what_weka_says(shared):
    """To all digits but where Weka takes 1 minus a probability near 1, and the digits that are left are noise."""
    data = read_dataset(shared / "data/uci/page-blocks.parquet", "class", task="multiclass")
    file, deviations = shared / "reference/weka/page-blocks.NaiveBayes.csv", []
    for *_, weka, ours in fold_by_fold("naive_bayes(like=weka)", data, file):
        assert (ours.argmax(axis=1) == weka.argmax(axis=1)).all()
        deviations += np.abs(ours - weka).max(axis=1).tolist()
    assert np.quantile(deviations, [0.9, 0.999]) == pytest.approx([0, 0], abs=1e-5)
    assert np.median(deviations) < 1e-12
    assert max(deviations) < 1e-3


DECLARED_ONLY = {"purpose": 1, "personal_status": 1}
"""Categories that Weka's file of credit-g declares and no row has: a trip, and single women."""


def test_naive_bayes_of_numbers_and_categories_says_what_weka_says(shared):
    data = read_dataset(shared / "data/more/credit-g.parquet", "class", task="binary")
    sizes = tuple(len(feature.categories) + DECLARED_ONLY.get(feature.name, 0) for feature in data.features)
    order, fold, shares = by_weka(shared / "reference/weka/credit-g.NaiveBayes.csv", data)
    for number in range(10):
        test = np.array(order)[fold == number]
        train = np.setdiff1d(np.arange(data.rows), test)
        model = WekaNaiveBayes(categories=sizes).fit(data.X[train], data.target[train])
        assert np.allclose(model.predict_proba(data.X[test]), shares[fold == number], rtol=0, atol=1e-12)
