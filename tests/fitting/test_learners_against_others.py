"""Our learners against scikit-learn's, Quinlan's book and Weka's predictions."""

from __future__ import annotations

import csv
import json
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from referee.fitting import read_dataset
from referee.fitting.estimators.naive_bayes import MixedNaiveBayes
from referee.fitting.estimators.neighbours import NeighboursClassifier, NeighboursRegressor
from referee.fitting.estimators.tree import EntropyTree, expected_errors, pruned
from tests.one_estimator import estimator_of


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(1):
        yield


@cache
def numbers(rows=400):
    random = np.random.default_rng(1)
    matrix = random.normal(size=(rows, 6)) * [1, 10, 0.1, 5, 2, 1] + [0, 100, 0, -5, 0, 3]
    return matrix, np.digitize(matrix[:, 0] + matrix[:, 4] + random.normal(size=rows), [-1.5, 1])


@cache
def categories(rows=400):
    random = np.random.default_rng(2)
    matrix = random.integers(0, [2, 3, 5, 4], (rows, 4)).astype(float)
    return matrix, (matrix.sum(axis=1) + random.normal(size=rows) > 5).astype(int)


@pytest.mark.parametrize("weight", [None, np.random.default_rng(3).integers(0, 4, 300)])
def test_naive_bayes_on_numbers_is_gaussian_nb(weight):
    matrix, target = numbers()
    ours = MixedNaiveBayes().fit(matrix[:300], target[:300], weight)
    theirs = GaussianNB(var_smoothing=0).fit(matrix[:300], target[:300], weight)
    assert np.allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix), rtol=1e-9, atol=1e-14)


def test_naive_bayes_beside_a_column_in_a_small_unit():
    random = np.random.default_rng(7)
    target = np.arange(4000) % 2
    beside = np.column_stack([random.normal(target), random.normal(scale=1e5, size=4000)])
    ours = MixedNaiveBayes().fit(beside[:2000], target[:2000])
    theirs = GaussianNB(var_smoothing=0).fit(beside[:2000], target[:2000])
    assert np.allclose(ours.variances_, theirs.var_, rtol=1e-9)
    assert np.allclose(ours.predict_proba(beside), theirs.predict_proba(beside), rtol=1e-7)
    # Two normal densities one standard deviation apart: the log odds are x - 1/2.
    best = log_loss(target[2000:], 1 / (1 + np.exp(0.5 - beside[2000:, 0])))
    assert log_loss(target[2000:], ours.predict_proba(beside[2000:])) == pytest.approx(best, abs=0.005)


def test_naive_bayes_where_a_class_has_one_value():
    rows = np.array([[1.0], [1.0], [1.0], [2.0], [4.0]])
    fitted = MixedNaiveBayes().fit(rows, [0, 0, 0, 1, 1])
    assert fitted.variances_[0, 0] == pytest.approx(1e-9 * rows.var())
    assert fitted.predict([[1.0], [1.1], [3.0]]).tolist() == [0, 1, 1]


def test_naive_bayes_on_categories_is_categorical_nb():
    matrix, target = categories()
    ours = MixedNaiveBayes(categories=(2, 3, 5, 6)).fit(matrix[:300], target[:300])
    theirs = CategoricalNB(min_categories=[2, 3, 5, 6]).fit(matrix[:300], target[:300])
    assert np.allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix), rtol=1e-12)


def test_naive_bayes_on_both_is_the_product():
    matrix, target = numbers()
    words, _ = categories()
    ours = MixedNaiveBayes(categories=(0,) * 6 + (2, 3, 5, 4)).fit(np.hstack([matrix, words]), target)
    gaussian, categorical = GaussianNB(var_smoothing=0).fit(matrix, target), CategoricalNB().fit(words, target)
    joint = gaussian.predict_joint_log_proba(matrix) + categorical.predict_joint_log_proba(words)
    joint -= np.log(gaussian.class_prior_)
    expected = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    assert np.allclose(ours.predict_proba(np.hstack([matrix, words])), expected, rtol=1e-9, atol=1e-14)


def test_naive_bayes_skips_missing_values():
    matrix, target = numbers()
    gaps = matrix.copy()
    gaps[:, 2] = np.nan
    without = MixedNaiveBayes().fit(np.delete(matrix, 2, axis=1), target).predict_proba(np.delete(matrix, 2, axis=1))
    assert np.allclose(MixedNaiveBayes().fit(gaps, target).predict_proba(gaps), without)
    some = matrix.copy()
    some[::3, 2] = np.nan
    fitted = MixedNaiveBayes().fit(some, target)
    kept = GaussianNB(var_smoothing=0).fit(np.delete(some, np.s_[::3], axis=0), np.delete(target, np.s_[::3]))
    assert np.allclose(fitted.means_[:, 2], kept.theta_[:, 2])


def test_naive_bayes_on_the_first_attributes():
    matrix, target = numbers()
    first = MixedNaiveBayes(attributes=3).fit(matrix, target).predict_proba(matrix)
    assert np.allclose(first, GaussianNB(var_smoothing=0).fit(matrix[:, :3], target).predict_proba(matrix[:, :3]))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("k", [1, 5, 50])
def test_neighbours_on_numbers_are_scikit_learns(k, weights):
    matrix, target = numbers()
    ours = NeighboursClassifier(k=k, weights=weights).fit(matrix[:300], target[:300])
    theirs = make_pipeline(MinMaxScaler(), KNeighborsClassifier(k, weights=weights)).fit(matrix[:300], target[:300])
    assert np.allclose(ours.predict_proba(matrix), theirs.predict_proba(matrix), rtol=1e-12)
    amounts = matrix[:, 1] * 2
    ours = NeighboursRegressor(k=k, weights=weights).fit(matrix[:300], amounts[:300])
    theirs = make_pipeline(MinMaxScaler(), KNeighborsRegressor(k, weights=weights)).fit(matrix[:300], amounts[:300])
    assert np.allclose(ours.predict(matrix), theirs.predict(matrix), rtol=1e-12)


def slow_neighbours(train, test, sizes, k):
    """The definition, pair by pair and attribute by attribute."""
    low, high = np.nanmin(train, axis=0), np.nanmax(train, axis=0)
    found = []
    for row in test:
        distances = []
        for other in train:
            total = 0.0
            for place, size in enumerate(sizes):
                a, b = row[place], other[place]
                if size:
                    total += a != b
                    continue
                a, b = ((value - low[place]) / (high[place] - low[place]) for value in (a, b))
                if np.isnan(a) and np.isnan(b):
                    total += 1
                elif np.isnan(a) or np.isnan(b):
                    known = b if np.isnan(a) else a
                    total += max(known, 1 - known) ** 2
                else:
                    total += (a - b) ** 2
            distances.append(round(total, 9))
        found.append(sorted(range(len(train)), key=lambda place: (distances[place], place))[:k])
    return np.array(found)


@pytest.mark.parametrize("gaps", [False, True])
def test_neighbours_on_mixed_attributes_are_the_definition(gaps):
    from referee.fitting.estimators.neighbour_search import Places, Ranges, nearest

    random = np.random.default_rng(4)
    sizes = np.array([0, 3, 0, 2])
    rows = np.column_stack(
        [
            random.integers(0, 5, 150),
            random.integers(0, 3, 150),
            random.normal(size=150).round(1),
            random.integers(0, 2, 150),
        ]
    ).astype(float)
    if gaps:
        rows[random.random(rows.shape) < 0.1] = np.nan
    ranges = Ranges.of(rows[:100], np.flatnonzero(sizes))
    train = Places.of(rows[:100], ranges, sizes, for_training=True)
    test = Places.of(rows[100:], ranges, sizes, for_training=False)
    assert np.array_equal(
        nearest(train, test, 7).place.reshape(-1, 7), slow_neighbours(rows[:100], rows[100:], sizes, 7)
    )


def test_an_unpruned_tree_is_scikit_learns():
    matrix, target = numbers()
    ours = EntropyTree(random_state=0).fit(matrix[:300], target[:300])
    theirs = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(matrix[:300], target[:300])
    assert np.array_equal(ours.predict_proba(matrix), theirs.predict_proba(matrix))


def test_laplace_adds_a_row_of_each_class():
    matrix, target = numbers()
    ours = EntropyTree(random_state=0, laplace=True, min_leaf=20).fit(matrix, target)
    theirs = DecisionTreeClassifier(criterion="entropy", random_state=0, min_samples_leaf=20).fit(matrix, target)
    leaves = theirs.apply(matrix)
    counts = np.array([np.bincount(target[leaves == leaf], minlength=3) for leaf in leaves])
    assert np.allclose(ours.predict_proba(matrix), (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3))


def test_the_pessimistic_limit_of_quinlans_book():
    # C4.5: Programs for Machine Learning, section 4.2: its example of a subtree with three leaves, 6, 9 and 1 rows.
    rows = np.array([6.0, 9.0, 1.0, 16.0])
    limits = expected_errors(np.array([0.0, 0.0, 0.0, 1.0]), rows, 0.25)
    assert (limits / rows)[:3].round(3).tolist() == [0.206, 0.143, 0.75]
    assert round(limits[:3].sum(), 3) == 3.273
    # The book has 0.157, by a normal quantile of 0.6925 that C4.5 interpolates in a table; the exact one is 0.6745.
    assert limits[3] / 16 == pytest.approx(0.157, abs=0.003)
    assert limits[3] < limits[:3].sum(), "the book prunes this subtree to a leaf"


def test_a_small_tree_pruned_by_hand():
    # Left of 10: 8 rows, one of them of class 1; right of it: 8 rows of class 1.
    rows = np.array([[1], [2], [3], [4], [5], [6], [7], [8], *([value] for value in range(20, 28))], float)
    target = np.array([0, 0, 0, 1, 0, 0, 0, 0, *[1] * 8])
    grown = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(rows, target)
    z = norm.ppf(0.75)
    share = (1.5 + z**2 / 2 + z * np.sqrt(1.5 * (1 - 1.5 / 8) + z**2 / 4)) / (8 + z**2)
    as_leaf, pure = 8 * share, [count * (1 - 0.25 ** (1 / count)) for count in (3, 1, 4)]
    assert as_leaf < sum(pure) + 0.1, "the left subtree is not worth its three leaves"
    small = pruned(grown, 0.25)
    assert (grown.get_n_leaves(), small.get_n_leaves(), small.get_depth(), small.tree_.node_count) == (4, 2, 1, 3)
    assert small.predict_proba([[4], [21]]).tolist() == [[0.875, 0.125], [0, 1]]
    assert grown.predict([[4]]).tolist() == [1], "the grown tree stays as it is"


def test_pruned_answers_are_those_of_the_node_it_stopped_at():
    matrix, target = numbers()
    tree = EntropyTree(random_state=0, prune=True).fit(matrix, target)
    grown, small = tree.grown_, tree.tree_
    assert 1 < small.get_n_leaves() < grown.get_n_leaves()
    paths = grown.decision_path(matrix)
    shares = small.predict_proba(matrix)
    for row in range(0, len(matrix), 7):
        nodes = paths[row].indices
        assert (np.abs(grown.tree_.value[nodes, 0] - shares[row]).sum(axis=1) < 1e-12).any()
    again = EntropyTree(random_state=0, prune=False).fit_from(tree)
    assert np.array_equal(again.predict_proba(matrix), grown.predict_proba(matrix))
    fewer = EntropyTree(random_state=0, prune=True, confidence=0.01).fit(matrix, target).tree_
    assert fewer.get_n_leaves() < small.get_n_leaves()


def test_a_pruned_tree_sends_missing_values_where_the_grown_one_does():
    matrix, target = numbers()
    gaps = np.where(np.random.default_rng(0).random(matrix.shape) < 0.2, np.nan, matrix)
    tree = EntropyTree(random_state=0, prune=True).fit(gaps, target)
    leaves, shares = tree.grown_.apply(gaps), tree.predict_proba(gaps)
    for row in range(0, len(gaps), 11):
        nodes = way_to(leaves[row], tree.grown_.tree_)
        assert (np.abs(tree.grown_.tree_.value[nodes, 0] - shares[row]).sum(axis=1) < 1e-12).any()


def way_to(leaf, tree):
    """The nodes from a leaf up to the root; before 1.8 scikit-learn's decision_path takes a gap for a large number."""
    above = {
        child: node for children in (tree.children_left, tree.children_right) for node, child in enumerate(children)
    }
    way = [leaf]
    while way[-1]:
        way.append(above[way[-1]])
    return way


WEKA = {
    "tree(prune=true, min_leaf=2)": ("J48", 0.02, 0.03),
    "naive_bayes": ("NaiveBayes", 0.01, 0.01),
    "knn(k=5)": ("IBk-5", 0.01, 0.01),
    "knn(k=50)": ("IBk-50", 0.01, 0.01),
    "dummy": ("ZeroR", 1e-12, 0.02),
}


@pytest.mark.parametrize("spec", WEKA)
def test_credit_g_is_about_as_good_as_in_weka(spec, shared):
    scheme, near_accuracy, near_auc = WEKA[spec]
    data = read_dataset(shared / "data/more/credit-g.parquet", "class", positive="bad")
    folder = shared / "reference/weka"
    fold = np.empty(data.rows, int)
    for row in csv.DictReader((folder / f"credit-g.{scheme}.csv").read_text().splitlines()):
        fold[int(row["row"])] = int(row["fold"])
    estimator = estimator_of(spec, data.features, data.task)
    shares = cross_val_predict(estimator, data.X, data.target, cv=PredefinedSplit(fold), method="predict_proba")
    weka = json.loads((folder / f"credit-g.{scheme}.json").read_text())
    assert accuracy_score(data.target, shares.argmax(axis=1)) == pytest.approx(weka["accuracy"], abs=near_accuracy)
    auc = roc_auc_score(data.target == data.positive, shares[:, data.positive])
    assert auc == pytest.approx(weka["weighted_roc_area"], abs=near_auc)
