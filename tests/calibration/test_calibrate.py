"""calibrate(): judged where it was not fitted, on every metric, by tests that allow for how that was done."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import t as student_t
from sklearn.metrics import roc_auc_score

from referee.calibration import calibrate
from referee.calibration.calibrator import Calibrator
from referee.calibration.division import Parts, cross_fitting
from referee.calibration.map_fits import fit_method
from referee.calibration.methods import METHODS
from referee.comparing import tests
from referee.errors import RefereeError, UndefinedError
from referee.predictions import Predictions


def rows_of(rows=400, seed=0):
    """Overconfident forecasts, scores that are none, and a group of four rows each."""
    draw = np.random.default_rng(seed)
    signal = draw.normal(size=rows)
    truth = (draw.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
    return truth, 1 / (1 + np.exp(-3 * signal)), 5 * signal


def predictions_of(rows=400, seed=0, **more):
    truth, said, _ = rows_of(rows, seed)
    return Predictions.from_arrays(truth, {"m": said}, **more)


@pytest.mark.parametrize("method", METHODS)
def test_no_row_is_judged_by_a_map_that_has_seen_it(method):
    truth, said, _ = rows_of(60)
    parts = Parts(np.arange(60) % 3, 3, "")
    before = Predictions.from_arrays(truth, {"m": said})
    turned = np.where(parts.codes == 1, 1 - truth, truth)
    after = Predictions.from_arrays(turned, {"m": said})
    a, b = (fit_method(METHODS[method], one, one, parts).model.scores for one in (before, after))
    np.testing.assert_array_equal(a[parts.codes == 1], b[parts.codes == 1])
    assert (a[parts.codes != 1] != b[parts.codes != 1]).any()


def test_groups_are_not_divided():
    predictions = predictions_of(group=np.arange(400) // 4)
    parts = cross_fitting(predictions, 10, 0)
    assert parts.count == 10
    assert all(len(set(parts.codes[4 * g : 4 * g + 4])) == 1 for g in range(100))
    assert "whole groups" in parts.how


def test_folds_of_the_predictions_are_used():
    fold = np.arange(400) % 7
    parts = cross_fitting(predictions_of(fold=fold), 10, 0)
    assert len(set(zip(fold, parts.codes, strict=True))) == 7


def test_a_seed_gives_the_same_bytes_in_any_order_of_the_rows():
    predictions = predictions_of(120)
    a, b = (json.dumps(calibrate(one, metrics=["brier"]).to_dict()) for one in (predictions, predictions))
    assert a == b
    shuffled = predictions.part(np.random.default_rng(0).permutation(120))
    assert calibrate(shuffled, metrics=["brier"]).to_dict()["changes"] == json.loads(a)["changes"]
    assert json.dumps(calibrate(predictions, metrics=["brier"], seed=1).to_dict()) != a


@pytest.mark.parametrize("metric", ["accuracy", "calibration_error", "f_beta"])
@pytest.mark.parametrize("folds", [3, 10])
def test_changes_are_those_of_the_row_test_with_the_variance_of_shared_rows(metric, folds):
    """Nadeau and Bengio (2003): 1 + k n_test / n_train times the variance, and at most k - 1 degrees of freedom."""
    found = calibrate(predictions_of(600), method=["platt", "isotonic"], metrics=[metric], folds=folds)
    before, platt, _ = found.predictions.models
    plain = tests["influence"](found.predictions.truth, platt.scores, before.scores, metric=metric)
    change = found.change(metric, "platt")
    error = plain.standard_error * (1 + folds * (600 / folds) / (600 - 600 / folds)) ** 0.5
    assert change.comparison.difference == pytest.approx(plain.difference, rel=1e-9)
    assert change.comparison.standard_error == pytest.approx(error, rel=1e-9)
    assert change.comparison.df == folds - 1 < plain.df
    assert change.comparison.p == pytest.approx(2 * student_t.sf(abs(plain.difference) / error, folds - 1), rel=1e-9)
    reach = student_t.ppf(0.975, folds - 1) * error
    assert change.comparison.high == pytest.approx(plain.difference + reach, rel=1e-9)
    assert change.after - change.before == pytest.approx(change.comparison.difference, rel=1e-12)


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_only_a_proper_metric_that_gets_worse_has_the_wider_variance(metric):
    """Noise in a map costs a strictly proper score, and never makes it better."""
    draw = np.random.default_rng(4)
    right = draw.random(400)
    truth = (draw.random(400) < right).astype(int)
    for said, factor in ((right, (1 + 10 / 9) ** 0.5), (right**3, 1.0)):
        found = calibrate(Predictions.from_arrays(truth, {"m": said}), method="platt", metrics=[metric])
        before, after = found.predictions.models
        plain = tests["influence"](found.predictions.truth, after.scores, before.scores, metric=metric)
        assert (plain.difference > 0) == (factor > 1)
        assert found.change(metric, "platt").comparison.standard_error == pytest.approx(
            factor * plain.standard_error, rel=1e-9
        )


@pytest.mark.parametrize("metric", ["brier", "roc_auc"])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_one_map_on_other_rows_is_judged_by_the_row_test_as_it_is(metric, method):
    found = calibrate(predictions_of(), method=method, fit_on=np.arange(400) < 200, metrics=[metric])
    before, after = found.predictions.models
    plain = tests["influence"](found.predictions.truth, after.scores, before.scores, metric=metric)
    change = found.change(metric, method)
    assert change.comparison.p == pytest.approx(plain.p, rel=1e-9)
    assert not change.within_folds
    assert change.by_ranking == ((metric, method) == ("roc_auc", "platt"))


def test_maps_that_rise_keep_auc():
    found = calibrate(predictions_of(), metrics=["roc_auc", "average_precision", "log_loss"])
    for name in ("platt", "temperature", "beta"):
        change = found.change("roc_auc", name)
        assert change.by_ranking
        assert change.after == change.before
        assert change.comparison.p == 1


def test_scores_of_several_maps_are_ranked_fold_by_fold():
    """Against scikit-learn's AUC of every fold; all rows together would be shuffled by the folds' maps."""
    found = calibrate(predictions_of(600), method="isotonic", metrics=["roc_auc"])
    parts = found.fitted["isotonic"].parts
    before, after = (model.scores for model in found.predictions.models)
    truth = found.predictions.truth
    each = [
        roc_auc_score(truth[rows], after[rows]) - roc_auc_score(truth[rows], before[rows])
        for rows in (parts.codes == code for code in range(10))
    ]
    change = found.change("roc_auc", "isotonic")
    assert change.within_folds
    assert change.comparison.difference == pytest.approx(np.mean(each), rel=1e-9)
    assert change.after == pytest.approx(roc_auc_score(truth, before) + np.mean(each), rel=1e-12)
    assert change.comparison.p is None
    assert "no test" in change.comparison.undefined
    assert abs(np.mean(each)) < abs(roc_auc_score(truth, after) - roc_auc_score(truth, before)) / 2


def test_calibration_helps_the_overconfident_and_says_so():
    found = calibrate(predictions_of(2000), metrics=["log_loss", "brier"])
    assert found.best in ("beta", "temperature")
    assert found.sentence.startswith(f"Calibrate m by {found.best}, the best of 4 methods: log_loss goes from")
    assert not found.diagnoses["m"][0].error.as_expected
    assert found.diagnoses[f"m+{found.best}"][0].error.as_expected
    assert found.fitted["temperature"].maps[0].temperature == pytest.approx(3, rel=0.2)


def test_calibrated_forecasts_are_left_alone():
    draw = np.random.default_rng(8)
    said = draw.random(300)
    found = calibrate(Predictions.from_arrays((draw.random(300) < said).astype(int), {"m": said}))
    assert found.sentence.startswith("No method makes m's probabilities significantly better")


def test_calibrated_forecasts_are_seldom_called_worse():
    """By the row test as it is, 28 of 100 such samples are: its variance leaves out that the maps share rows."""
    draw = np.random.default_rng(70)
    worse = 0
    for _ in range(40):
        said = 1 / (1 + np.exp(-1.5 * draw.normal(size=300)))
        predictions = Predictions.from_arrays((draw.random(300) < said).astype(int), {"m": said})
        found = calibrate(predictions, method="temperature", metrics=["log_loss"])
        worse += found.change("log_loss", "temperature").comparison.outcome == "b"
    assert worse <= 6  # 5%: at most 6 in 99 of 100 runs


def test_reversed_scores_are_turned_round_by_platt_and_levelled_by_beta():
    truth, said, _ = rows_of()
    found = calibrate(Predictions.from_arrays(truth, {"m": 1 - said}), method="platt,beta", metrics=["roc_auc"])
    platt, beta = (notice.message for notice in found.notices if notice.code == "W_FALLING")
    assert "turns the ranking round" in platt
    assert "every row gets the same probability" in beta
    before = found.change("roc_auc", "platt").before
    assert found.change("roc_auc", "platt").after == pytest.approx(1 - before, abs=0.02)
    assert found.change("roc_auc", "platt").comparison.p is None
    assert found.change("roc_auc", "beta").after == 0.5


def test_neighbouring_scores_that_become_equal_are_reported():
    truth, said, _ = rows_of(200)
    # Their logarithms are the same in 64 bits.
    said[:100], said[100:150] = 1e-10, np.nextafter(1e-10, 1)
    found = calibrate(Predictions.from_arrays(truth, {"m": said}), method="temperature", metrics=["roc_auc"])
    assert found.fitted["temperature"].merged == 1
    assert "W_MERGED" in [notice.code for notice in found.notices]
    change = found.change("roc_auc", "temperature")
    assert not change.by_ranking
    merged = np.where(said == said[100], 1e-10, said)
    assert change.after == pytest.approx(roc_auc_score(truth, merged), rel=1e-14)
    assert change.after != change.before


def test_few_rows_to_fit_on():
    chosen = np.arange(400) < 20
    codes = [one.code for one in calibrate(predictions_of(), method="platt", fit_on=chosen, metrics=["brier"]).notices]
    assert "W_FEWROWS" in codes
    other = calibrate(predictions_of(), method="platt", fit_on=~chosen, metrics=["brier"])
    assert "W_FEWROWS" not in [one.code for one in other.notices]


@pytest.mark.parametrize("fit_on", [None, np.arange(400) < 200])
def test_repeats_of_rows_that_are_not_known(fit_on):
    """A row's other predictions must not be fitted on where it is judged."""
    truth, said, _ = rows_of(200)
    twice = {"fold": np.tile(np.arange(200) % 5, 2), "repeat": np.repeat([0, 1], 200)}
    given = np.tile(truth, 2), {"m": np.tile(said, 2)}
    with pytest.raises(RefereeError, match="2 repeats") as refused:
        calibrate(Predictions.from_arrays(*given, **twice), fit_on=fit_on)
    assert refused.value.code == "E_REPEATS"
    known = Predictions.from_arrays(*given, **twice, id=np.tile(np.arange(200), 2))
    parts = calibrate(known, method="platt", metrics=["brier"]).fitted["platt"].parts
    of_example = np.unique(np.stack([known.in_canonical_order().example.codes, parts.codes]), axis=1)
    assert of_example.shape[1] == 200


def test_all_and_a_name():
    assert set(calibrate(predictions_of(), method="all,platt", metrics=["brier"]).fitted) == set(METHODS)


def test_fitted_here_and_judged_there():
    predictions = predictions_of()
    chosen = np.arange(400) < 150
    found = calibrate(predictions, method="beta", fit_on=chosen, metrics=["brier"])
    truth, said, _ = rows_of()
    alone = Calibrator("beta").fit(said[chosen], truth[chosen])
    np.testing.assert_allclose(found.predictions.models[1].scores, alone.predict_proba(said[~chosen])[:, 1], rtol=1e-9)
    assert found.predictions.rows == 250


@pytest.mark.parametrize(
    ("truth", "said", "code"),
    [
        ([1] * 10, np.linspace(0, 1, 10), "E_ONECLASS"),
        ([0] * 9 + [1], np.linspace(0, 1, 10), "E_FEWROWS"),
        (["a", "b"] * 5, ["a", "b"] * 5, "E_NOSCORE"),
    ],
)
def test_what_cannot_be_calibrated(truth, said, code):
    with pytest.raises(RefereeError) as refused:
        calibrate(
            Predictions.from_arrays(
                truth,
                {"m": said},
                positive=truth[-1],
                classes=sorted({0, 1, *truth}, key=str)[:2] if isinstance(truth[0], int) else None,
            )
        )
    assert refused.value.code == code


@pytest.mark.parametrize(
    "said",
    [np.full(10, 0.4), np.tile([0.0, 1.0], 5), np.repeat([0.2, 0.7], 5), np.linspace(0.05, 0.95, 10), np.ones(10)],
    ids=["constant", "certain", "ties", "separated", "all one"],
)
@pytest.mark.parametrize("method", ["all", "platt"])
def test_ten_rows(said, method):
    predictions = Predictions.from_arrays([0] * 5 + [1] * 5, {"m": said})
    found = calibrate(predictions, method=method)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "W_FEWROWS" in [notice.code for notice in found.notices]
    assert all(np.isfinite(model.scores).all() for model in found.predictions.models)


def test_why_there_is_no_before():
    truth, _, scores = rows_of(100)
    first = int(np.argmax((scores < 0) | (scores > 1)))
    found = calibrate(Predictions.from_arrays(truth, {"m": scores}), metrics=["brier"])
    change = found.change("brier", "platt")
    assert change.before is None
    assert 0 < change.after < 0.25
    assert f"row {first + 1} is {scores[first]:g}" in change.comparison.undefined


def test_several_classes_and_weights():
    draw = np.random.default_rng(0)
    logits = draw.normal(size=(300, 3))
    truth = np.array([draw.choice(3, p=np.exp(row) / np.exp(row).sum()) for row in logits])
    said = np.exp(3 * logits) / np.exp(3 * logits).sum(axis=1, keepdims=True)
    weight = draw.random(300) + 0.5
    found = calibrate(Predictions.from_arrays(truth, {"m": said}, weight=weight), metrics=["log_loss", "accuracy"])
    assert found.best == "temperature"
    assert found.change("accuracy", "temperature").after == found.change("accuracy", "temperature").before
    assert [one.name for one in found.diagnoses["m"]] == ["top label", "0", "1", "2"]


@pytest.mark.parametrize("times", [2.0**1000, -(2.0**1019), 2.0**-900, 1.0])
def test_a_map_of_scores_of_any_size(times):
    """The same log odds, without a warning: the ends are further apart than any number, or next to nothing."""
    truth, _, score = rows_of(100)
    weight = np.ones(100)
    expected = METHODS["platt"].fit([score], truth == 1, weight)([score])[0]
    fitted = METHODS["platt"].fit([score * times], truth == 1, weight)
    np.testing.assert_allclose(fitted([score * times])[0], expected, rtol=1e-12)


def test_scores_too_small_for_a_map():
    truth, _, score = rows_of(100)
    with pytest.raises(UndefinedError, match="too small") as caught:
        METHODS["platt"].fit([score * 1e-310], truth == 1, np.ones(100))
    assert caught.value.code == "E_UNDEFINED"
