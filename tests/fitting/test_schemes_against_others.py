"""Splits and combined scores against the lecture's formulas, scikit-learn, mlxtend and Efron and Tibshirani."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from referee import metrics, schemes
from referee.comparing import combined
from referee.comparing.split_estimates import no_information, point_632, point_632_plus, pooled
from referee.fitting.splits import fingerprint
from referee.fitting.splitters import scheme_of
from tests.reference.mlxtend_point632 import RUNS, SAMPLES, SEED
from tests.strategies import FEW_EXAMPLES

REFERENCE = Path(__file__).parents[1] / "reference" / "mlxtend_point632.json"
IRIS = load_iris(return_X_y=True)
MODEL = KNeighborsClassifier(3)


def accuracies(model, x, y, splits):
    """Of each split: on its test rows, and on the rows that it has seen."""
    for split in splits:
        fitted = model.fit(x[split.train], y[split.train])
        seen = split.train if split.seen is None else split.seen
        yield np.mean(fitted.predict(x[split.test]) == y[split.test]), np.mean(fitted.predict(x[seen]) == y[seen])


@pytest.mark.parametrize("rows", [1000, 5000])
@pytest.mark.parametrize("name", ["bootstrap", "bootstrap_632", "bootstrap_632_plus"])
def test_shares_of_the_bootstrap(name, rows):
    """The lecture: (1 - 1/d)^d of the rows, about 36.8%, are not drawn."""
    expected = (1 - 1 / rows) ** rows
    assert round(expected, 3) == 0.368
    left_out = np.array([len(split.test) / rows for split in schemes[name].splits(range(rows))])
    assert len(left_out) == 200
    # The share of a sample has a standard deviation of sqrt((1/e - 2/e^2) / d).
    assert left_out.mean() == pytest.approx(expected, abs=4 * (0.0972 / rows / 200) ** 0.5)
    assert left_out.std() == pytest.approx((0.0972 / rows) ** 0.5, rel=0.2)


@pytest.mark.parametrize("name", ["k_fold", "stratified_k_fold", "leave_one_out"])
def test_accuracy_over_folds_is_correct_of_all(name):
    """The lecture: accuracy = tuples correctly classified / all tuples; with equal folds also the mean over them."""
    x, y = IRIS
    splits = list(schemes[name].splits(x, y))
    each, _ = zip(*accuracies(MODEL, x, y, splits), strict=True)
    rows = [len(split.test) for split in splits]
    correct = sum(round(one * of) for one, of in zip(each, rows, strict=True))
    assert combined(schemes[name].combine, each, rows=rows) == pytest.approx(correct / len(y), abs=1e-15)
    assert set(rows) == {1 if name == "leave_one_out" else 15}
    assert np.mean(each) == pytest.approx(correct / len(y), abs=1e-15)


def test_with_unequal_folds_the_mean_is_another_number():
    x, y = IRIS[0][:143], IRIS[1][:143]
    splits = list(schemes["k_fold"](k=4).splits(x, y))
    each, _ = zip(*accuracies(MODEL, x, y, splits), strict=True)
    rows = [len(split.test) for split in splits]
    correct = sum(round(one * of) for one, of in zip(each, rows, strict=True))
    assert pooled(each, rows) == pytest.approx(correct / 143, abs=1e-15)
    assert abs(np.mean(each) - correct / 143) > 1e-6


@pytest.mark.parametrize("name", ["random_subsampling", "bootstrap", "holdout"])
def test_accuracy_over_repeats_is_their_mean(name):
    """The lecture, of random subsampling: accuracy = avg. of the k accuracies obtained."""
    x, y = IRIS
    each, _ = zip(*accuracies(MODEL, x, y, schemes[name].splits(x, y)), strict=True)
    assert combined(schemes[name].combine, each) == pytest.approx(sum(each) / len(each), abs=1e-15)


def test_the_lecture_s_point_632():
    """Acc(M) = 1/k sum (0.632 Acc(M_i) on its test set + 0.368 Acc(M_i) on its training set)."""
    x, y = IRIS
    scheme = schemes["bootstrap_632"](repeats=30)
    test, train = zip(*accuracies(MODEL, x, y, scheme.splits(x, y)), strict=True)
    by_hand = sum(0.632 * a + 0.368 * b for a, b in zip(test, train, strict=True)) / 30
    assert combined(scheme.combine, test, train=train) == pytest.approx(by_hand, abs=1e-15)
    assert np.mean(test) < by_hand < np.mean(train)


@pytest.mark.parametrize("name", ["k_fold", "stratified_k_fold", "random_subsampling", "holdout", "bootstrap"])
def test_an_entry_is_a_splitter_for_scikit_learn(name):
    x, y = IRIS
    ours = [one for one, _ in accuracies(MODEL, x, y, schemes[name].splits(x, y))]
    assert cross_val_score(MODEL, x, y, cv=schemes[name]).tolist() == ours


def test_groups_come_through_scikit_learn():
    x, y = IRIS
    groups = np.arange(150) % 30
    ours = [one for one, _ in accuracies(MODEL, x, y, schemes["group_k_fold"].splits(x, y, groups))]
    assert cross_val_score(MODEL, x, y, groups=groups, cv=schemes["group_k_fold"]).tolist() == ours


def test_a_grid_search_takes_an_entry_and_inner_splits():
    x, y = IRIS
    split = next(schemes["nested"].splits(x, y))
    inner = [(one.train, one.test) for one in split.inner]
    for cv in (schemes["stratified_k_fold(k=3)"], inner):
        search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, cv=cv).fit(x, y)
        assert search.n_splits_ == len(cv if isinstance(cv, list) else range(3))


SPLITTERS = [
    KFold(5), KFold(4, shuffle=True, random_state=3), StratifiedKFold(5), LeaveOneOut(), TimeSeriesSplit(4),
    ShuffleSplit(6, random_state=0), RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1),
]  # fmt: skip


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda splitter: type(splitter).__name__)
def test_agrees_with_cross_val_score_for_the_same_splitter(splitter):
    x, y = load_breast_cancer(return_X_y=True)
    x, y = x[:120], y[:120]
    theirs = cross_val_score(GaussianNB(), x, y, cv=splitter)
    scheme = scheme_of(splitter)
    ours = [one for one, _ in accuracies(GaussianNB(), x, y, scheme.splits(x, y))]
    assert ours == theirs.tolist()
    assert combined(scheme.combine, ours) == pytest.approx(theirs.mean(), abs=1e-15)
    assert fingerprint(scheme.splits(x, y)) == fingerprint(splitter.split(x, y))


def test_regression_agrees_too():
    x, y = load_diabetes(return_X_y=True)
    theirs = cross_validate(LinearRegression(), x, y, cv=schemes["random_subsampling(splits=3)"])["test_score"]
    r2 = metrics["r2"]
    for split, expected in zip(schemes["random_subsampling(splits=3)"].splits(x, y), theirs, strict=True):
        predicted = LinearRegression().fit(x[split.train], y[split.train]).predict(x[split.test])
        assert r2(y[split.test], predicted) == pytest.approx(expected, rel=1e-10)


def test_the_wrapped_splitters_make_the_folds():
    """Of the class shares scikit-learn's own folds are the measure."""
    y = np.repeat([0, 1, 2], [31, 17, 12])
    ours = [np.bincount(y[test]).tolist() for _, test in schemes["stratified_k_fold(k=5)"].split(y, y)]
    theirs = [np.bincount(y[test]).tolist() for _, test in StratifiedKFold(5).split(y, y)]
    assert ours == theirs
    groups = np.arange(60) // 4
    ours = sorted(len(test) for _, test in schemes["group_k_fold(k=5)"].split(y, groups=groups))
    assert ours == sorted(len(test) for _, test in GroupKFold(5).split(y, groups=groups))
    moments = np.arange(60)
    ours = list(schemes["time_ordered(k=5, gap=2)"].split(y, time=moments))
    assert fingerprint(ours) == fingerprint(TimeSeriesSplit(5, gap=2).split(y))


def mlxtend_resamples(rows):
    random = np.random.RandomState(SEED)
    for _ in range(SAMPLES):
        train = random.choice(np.arange(rows), size=rows, replace=True)
        yield train, np.setdiff1d(np.arange(rows), train)


@pytest.mark.parametrize("data", list(RUNS))
def test_mlxtend_on_the_same_resamples(data):
    """mlxtend takes the training score on all rows, as `training=all` does, and mixes in each sample by itself."""
    found = json.loads(REFERENCE.read_text())[data]
    load, model = RUNS[data]
    x, y = load(return_X_y=True)
    test, train, guessing = [], [], []
    for split in scheme_of(list(mlxtend_resamples(len(y)))).splits(x, y):
        model.fit(x[split.train], y[split.train])
        test.append(np.mean(model.predict(x[split.test]) == y[split.test]))
        train.append(np.mean(model.predict(x) == y))
        labels, predicted = y.astype(str), model.predict(x).astype(str)
        guessing.append(no_information(lambda t, p, w: float(np.average(t == p, weights=w)), labels, predicted))
    assert test == pytest.approx(found["bootstrap"], abs=1e-15)
    assert point_632(test, train) == pytest.approx(found["bootstrap_632"], abs=1e-14)
    # Where the test score is better than the training score, mlxtend goes on with a negative rate.
    overfits = np.array(test) < np.array(train)
    assert overfits.sum() >= SAMPLES / 2
    plus = point_632_plus(test, train, guessing)
    assert plus[overfits] == pytest.approx(np.array(found["bootstrap_632_plus"])[overfits], abs=1e-14)
    assert plus[~overfits] == pytest.approx(point_632(test, train)[~overfits], abs=1e-15)


def by_equation_32(test, train, guessing):
    """Efron and Tibshirani's .632+ of error rates, in exact fractions."""
    low, high = Fraction(368, 1000), Fraction(632, 1000)
    limited = min(test, guessing)
    rate = (limited - train) / (guessing - train) if test > train and guessing > train else Fraction(0)
    return low * train + high * test + (limited - train) * low * high * rate / (1 - low * rate)


SHARE = st.integers(0, 40).map(lambda number: Fraction(number, 40))


@FEW_EXAMPLES
@given(SHARE, SHARE, SHARE)
def test_point_632_plus_is_the_published_one(test, train, guessing):
    expected = float(by_equation_32(test, train, guessing))
    found = point_632_plus(float(test), float(train), float(guessing), "lower")
    assert found == pytest.approx(expected, abs=1e-14)
    gains = point_632_plus(1 - float(test), 1 - float(train), 1 - float(guessing), "higher")
    assert gains == pytest.approx(1 - expected, abs=1e-14)


def test_limits_of_point_632_plus():
    """No overfitting: .632. Nothing learned: the test score alone. Between them the weight goes from .632 to 1."""
    assert point_632_plus(0.2, 0.2, 0.5, "lower") == pytest.approx(0.2)
    assert point_632_plus(0.1, 0.2, 0.5, "lower") == pytest.approx(0.632 * 0.1 + 0.368 * 0.2)
    assert point_632_plus(0.5, 0.0, 0.5, "lower") == pytest.approx(0.5)
    each = point_632_plus(np.linspace(0.01, 0.5, 50), 0.0, 0.5, "lower") / np.linspace(0.01, 0.5, 50)
    assert (np.diff(each) > 0).all()
    assert each[0] == pytest.approx(0.632, abs=0.01)


def test_no_information_is_every_truth_with_every_prediction():
    random = np.random.RandomState(0)
    truth, labels = random.randint(3, size=50), random.randint(3, size=50)
    shares = [np.mean(labels == name) for name in range(3)]
    # Efron and Tibshirani, equation 27: the sum of p_l (1 - q_l).
    error = sum(np.mean(truth == name) * (1 - share) for name, share in enumerate(shares))
    accuracy = no_information(lambda t, p, w: float(np.average(t == p, weights=w)), truth, labels)
    assert 1 - accuracy == pytest.approx(error)
    binary, scores = (truth > 0).astype(int), random.uniform(size=50)
    assert no_information(metrics["roc_auc"], binary, scores) == pytest.approx(0.5)
    pairs = [(t - p) ** 2 for t in binary for p in scores]
    assert no_information(metrics["brier"], binary, scores) == pytest.approx(np.mean(pairs))
    numbers, predicted = random.normal(size=40), random.normal(size=40)
    pairs = [abs(t - p) for t in numbers for p in predicted]
    assert no_information(metrics["mae"], numbers, predicted) == pytest.approx(np.mean(pairs))


def test_no_information_of_many_numbers_is_close():
    random = np.random.RandomState(1)
    truth, predicted = random.normal(size=5000), random.normal(size=5000)
    expected = truth.var() + predicted.var() + (truth.mean() - predicted.mean()) ** 2
    assert no_information(metrics["mse"], truth, predicted) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(
    ("how", "missing"), [("pooled", "rows"), ("point_632", "train"), ("point_632_plus", "train and no_information")]
)
def test_what_combining_needs(how, missing):
    with pytest.raises(Exception, match=missing):
        combined(how, [0.5])
