"""Platt, isotonic, temperature and beta against scikit-learn; the calibrator as an estimator and as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest
import sklearn
from packaging.version import parse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, _sigmoid_calibration
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from referee import metrics
from referee.calibration.calibrator import Calibrator
from referee.calibration.map_fits import merged_scores
from referee.calibration.methods import METHODS
from referee.errors import RefereeError


def scores_of(rows, seed=0, factor=2.0):
    draw = np.random.default_rng(seed)
    signal = draw.normal(size=rows)
    truth = (draw.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
    return truth, factor * signal


def probabilities_of(rows, seed=0):
    truth, score = scores_of(rows, seed)
    return truth, 1 / (1 + np.exp(-score))


def smoothed_rows(said, truth):
    """Platt's targets as rows with weights, for logistic regressions that take none."""
    positives, negatives = truth.sum(), (1 - truth).sum()
    target = np.where(truth == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    return np.tile(said, (2, 1)), np.repeat([1, 0], len(truth)), np.r_[target, 1 - target]


@pytest.mark.parametrize("weighted", [False, True])
def test_platt_is_that_of_scikit_learn(weighted):
    truth, score = scores_of(500)
    weight = np.random.default_rng(2).integers(1, 5, 500).astype(float) if weighted else None
    a, b = _sigmoid_calibration(score, truth, weight)
    (found,) = Calibrator("platt").fit(score, truth, weight).maps_
    assert found.slope == pytest.approx(-a, rel=1e-3)
    assert found.intercept == pytest.approx(-b, abs=1e-3)


def test_platt_to_the_last_digits():
    truth, score = scores_of(300)
    x, y, weight = smoothed_rows(score[:, None], truth)
    foreign = LogisticRegression(C=np.inf, tol=1e-13, max_iter=10_000, solver="newton-cholesky").fit(x, y, weight)
    (found,) = Calibrator("platt").fit(score, truth).maps_
    assert found.slope == pytest.approx(foreign.coef_[0, 0], rel=1e-9)
    assert found.intercept == pytest.approx(foreign.intercept_[0], abs=1e-9)


SKLEARN = parse(sklearn.__version__)
LATER = pytest.mark.skipif(parse("1.8") > SKLEARN, reason="scikit-learn has it since 1.8")


@pytest.mark.parametrize("method", ["isotonic", pytest.param("temperature", marks=LATER)])
def test_calibrated_classifier_of_scikit_learn(method):
    draw = np.random.default_rng(4)
    x = draw.normal(size=(600, 3))
    y = (draw.random(600) < 1 / (1 + np.exp(-x.sum(axis=1)))).astype(int)
    model = GaussianNB().fit(np.repeat(x[:200], 2, axis=1), y[:200])  # correlated columns: overconfident
    held_out = np.repeat(x[200:], 2, axis=1)
    theirs = CalibratedClassifierCV(FrozenEstimator(model), method=method).fit(held_out, y[200:])
    said = model.predict_proba(held_out)[:, 1]
    ours = Calibrator(method).fit(said, y[200:])
    np.testing.assert_allclose(
        ours.predict_proba(said)[:, 1],
        theirs.predict_proba(held_out)[:, 1],
        atol=1e-12 if method == "isotonic" else 1e-4,
    )


def test_isotonic_between_and_beyond_its_scores():
    truth, score = scores_of(200)
    foreign = IsotonicRegression(out_of_bounds="clip").fit(score, truth)
    at = np.linspace(-9, 9, 1001)
    np.testing.assert_allclose(
        Calibrator("isotonic").fit(score, truth).predict_proba(at)[:, 1], foreign.predict(at), atol=1e-13
    )


def test_temperature_of_several_classes_is_the_best_of_a_grid():
    draw = np.random.default_rng(0)
    logits = draw.normal(size=(400, 4))
    truth = np.array([draw.choice(4, p=np.exp(row) / np.exp(row).sum()) for row in logits])
    said = np.exp(3 * logits) / np.exp(3 * logits).sum(axis=1, keepdims=True)
    (found,) = Calibrator("temperature").fit(said, truth).maps_

    def loss(temperature):
        powers = np.log(said) / temperature
        return -(powers - np.log(np.exp(powers).sum(axis=1, keepdims=True)))[np.arange(400), truth].mean()

    assert loss(found.temperature) <= min(loss(one) for one in np.linspace(1, 6, 2001)) + 1e-12
    assert 2 < found.temperature < 4
    mapped = Calibrator("temperature").fit(said, truth).predict_proba(said)
    np.testing.assert_array_equal(mapped.argmax(axis=1), said.argmax(axis=1))


def test_beta_is_a_logistic_regression_of_logarithms():
    truth, said = probabilities_of(500)
    logs = np.column_stack([np.log(said), -np.log1p(-said)])
    foreign = LogisticRegression(C=np.inf, tol=1e-13, max_iter=10_000, solver="newton-cholesky")
    foreign.fit(*smoothed_rows(logs, truth)[:2], smoothed_rows(logs, truth)[2])
    (found,) = Calibrator("beta").fit(said, truth).maps_
    np.testing.assert_allclose([found.a, found.b, found.c], [*foreign.coef_[0], foreign.intercept_[0]], rtol=1e-7)


def test_beta_never_falls():
    truth, said = probabilities_of(300)
    (found,) = Calibrator("beta").fit(1 - said, truth).maps_
    assert (found.a, found.b) == (0, 0)
    assert not found.strictly_increasing


@pytest.mark.parametrize("method", ["platt", "temperature", "beta"])
@pytest.mark.parametrize("seed", range(5))
def test_auc_is_the_same_to_the_last_bit(method, seed):
    truth, said = probabilities_of(20_000, seed)
    after = Calibrator(method).fit(said, truth).predict_proba(said)[:, 1]
    assert merged_scores(said, after) == 0
    assert metrics["roc_auc"](truth, after) == metrics["roc_auc"](truth, said)
    assert metrics["average_precision"](truth, after) == metrics["average_precision"](truth, said)


def test_isotonic_makes_ties():
    truth, said = probabilities_of(500)
    after = Calibrator("isotonic").fit(said, truth).predict_proba(said)[:, 1]
    assert merged_scores(said, after) > 300


def test_scores_that_64_bits_cannot_keep_apart_are_counted():
    near = np.nextafter(0.3, 1)
    calibrator = Calibrator.of_maps("temperature", [0, 1], [METHODS["temperature"].restore(0.001)], 1)
    said = np.array([0.1, 0.3, near, 0.999])
    assert merged_scores(said, calibrator.predict_proba(said)[:, 1]) >= 1
    assert merged_scores(said, said[::-1]) is None
    assert merged_scores(np.array([0.5, 0.5]), np.array([0.2, 0.2])) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_count_rows(method, classes):
    draw = np.random.default_rng(1)
    said = draw.dirichlet(np.ones(classes), 60)
    truth, times = draw.integers(0, classes, 60), draw.integers(1, 4, 60)
    weighted = Calibrator(method).fit(said, truth, times).predict_proba(said)
    repeated = Calibrator(method).fit(np.repeat(said, times, axis=0), np.repeat(truth, times)).predict_proba(said)
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)
    np.testing.assert_allclose(weighted.sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "said",
    [np.full(10, 0.3), np.tile([0.0, 1.0], 5), np.repeat([0.2, 0.7], 5), np.linspace(0, 1, 10), [1e-300] * 9 + [0.5]],
)
def test_bad_scores_have_a_defined_map(method, said):
    """Constant, certain, tied, separated: finite probabilities that do not fall."""
    truth = np.r_[np.zeros(5, int), np.ones(5, int)]
    found = Calibrator(method).fit(said, truth).predict_proba(np.sort(said))[:, 1]
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


def test_scores_of_any_size():
    truth, score = scores_of(200)
    small = Calibrator("platt").fit(score, truth).predict_proba(score)
    for scale, shift in ((1e-200, 0), (1e200, 0), (1, 1e6)):
        given = score * scale + shift
        np.testing.assert_allclose(Calibrator("platt").fit(given, truth).predict_proba(given), small, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("classes", [2, 3])
def test_json_brings_it_back(method, classes):
    draw = np.random.default_rng(0)
    said, truth = draw.dirichlet(np.ones(classes), 80), draw.integers(0, classes, 80)
    made = Calibrator(method).fit(said, truth)
    again = Calibrator.from_json(made.to_json(note="kept"))
    np.testing.assert_array_equal(again.predict_proba(said), made.predict_proba(said))
    np.testing.assert_array_equal(again.predict(said), made.predict(said))
    assert clone(again).get_params() == {"method": method}
    assert again.to_json(note="kept") == made.to_json(note="kept")


GOOD = json.loads(Calibrator("platt").fit([0.1, 0.9, 0.4, 0.6], [0, 1, 1, 0]).to_json())
STAIRS = GOOD | {"method": "isotonic"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not JSON"),
        ("[1]", "not an object"),
        ("[" * 100_000, "not JSON"),
        ('{"a": 1}', "not a calibrator"),
        (GOOD | {"version": 2}, "version"),
        (GOOD | {"version": True}, "version"),
        (GOOD | {"method": "os.system"}, "no method 'os.system'"),
        (GOOD | {"method": ["platt"]}, "no method"),
        (GOOD | {"classes": [0]}, "classes"),
        (GOOD | {"classes": [0, 0]}, "classes"),
        (GOOD | {"classes": [0, {}]}, "classes"),
        (GOOD | {"columns": 3}, "columns"),
        (GOOD | {"maps": []}, "list of 1"),
        (GOOD | {"maps": [{"slope": 1}]}, "map of platt"),
        (GOOD | {"maps": [{"slope": "1", "intercept": 0}]}, "finite number"),
        (GOOD | {"maps": [{"slope": True, "intercept": 0}]}, "finite number"),
        (GOOD | {"maps": [[1, 2]]}, "map of platt"),
        (GOOD | {"method": "temperature", "maps": [{"temperature": 0}]}, "above 0"),
        (GOOD | {"method": "beta", "maps": [{"a": -1, "b": 1, "c": 0}]}, "below 0"),
        (STAIRS | {"maps": [{"scores": [1, 0], "probabilities": [0, 1]}]}, "must rise"),
        (STAIRS | {"maps": [{"scores": [0, 1], "probabilities": [1, 0]}]}, "must not fall"),
        (STAIRS | {"maps": [{"scores": [0, 1], "probabilities": [0, 2]}]}, "between 0 and 1"),
        (STAIRS | {"maps": [{"scores": [0], "probabilities": [0, 1]}]}, "same length"),
        (STAIRS | {"maps": [{"scores": [], "probabilities": []}]}, "must rise"),
        (json.dumps(GOOD).replace('"version": 1', '"version": NaN'), "not JSON"),
    ],
)
def test_foreign_or_damaged_json_is_refused(text, why):
    with pytest.raises(RefereeError, match=why) as refused:
        Calibrator.from_json(text if isinstance(text, str) else json.dumps(text), "cal.json")
    assert refused.value.code == "E_CALIBRATOR"
    assert "cal.json" in refused.value.message


@pytest.mark.parametrize(
    ("method", "x", "y", "why"),
    [
        ("platt", [0.1, 0.2], [1, 1], "1 class"),
        ("beta", [0.1, 1.2], [0, 1], "platt takes any score"),
        ("temperature", [-0.1, 0.2], [0, 1], "platt takes any score"),
        ("platt", [[0.1], [0.2], [0.3]], [0, 1, 2], "3 columns, one per class"),
        ("sigmoid", [0.1, 0.2], [0, 1], "no method"),
        ("platt", [0.1, np.nan], [0, 1], "NaN"),
    ],
)
def test_what_cannot_be_fitted(method, x, y, why):
    with pytest.raises((ValueError, RefereeError), match=why):
        Calibrator(method).fit(x, y)


class FirstColumn(Calibrator):
    """scikit-learn's checks give many columns: this one takes the first of them, and two classes."""

    def fit(self, X, y, sample_weight=None):  # noqa: N803 (as scikit-learn has it)
        first = validate_data(self, X, dtype=float)[:, 0]
        columns = self.n_features_in_
        super().fit(first, y, sample_weight)
        self.n_features_in_ = columns
        return self

    def predict_proba(self, X):  # noqa: N803
        check_is_fitted(self)
        first = validate_data(self, X, dtype=float, reset=False)[:, 0]
        return Calibrator.of_maps(self.method, self.classes_, self.maps_, 1).predict_proba(first)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_checks_of_scikit_learn(method):
    not_one_column = {"check_classifier_not_supporting_multiclass": "it takes several classes, but not from one column"}
    if parse("1.7") > SKLEARN:
        weights = "check_sample_weight_equivalence_on_dense_data"
        not_one_column[weights] = "the check makes other labels of the repeated rows"
    found = check_estimator(FirstColumn(method), expected_failed_checks=not_one_column, on_skip=None, on_fail=None)
    assert len(found) > 40
    assert [check["check_name"] for check in found if check["status"] == "failed"] == []
