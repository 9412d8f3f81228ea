"""Degenerate predictions that do as well as a model: found where they are, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics
from referee.advice import lint
from referee.advice.findings import MEANINGS, meaning, tricks
from referee.comparing import tests
from referee.errors import RefereeError
from referee.predictions import Predictions

DRAW = np.random.default_rng(3)
ROWS = 2000
Z = DRAW.normal(size=ROWS)
PROBABILITY = 1 / (1 + np.exp(-1.5 * Z))
TRUTH = (DRAW.random(ROWS) < PROBABILITY).astype(int)


def odds(power):
    return PROBABILITY**power / (PROBABILITY**power + (1 - PROBABILITY) ** power)


def found(predictions, goal, **options):
    return {(one.model, one.trick): one for one in lint(predictions, goal, **options)}


def test_the_articles_screening_test():
    """1% of the population is ill: a model that always says "no disease" is 99% accurate."""
    truth = ["ill"] * 10 + ["well"] * 990
    scores = [0.9] * 5 + [0.1] * 5 + [0.9] * 8 + [0.1] * 982
    predictions = Predictions.from_arrays(truth, {"m": scores}, positive="ill")
    (one,) = lint(predictions, "accuracy")
    assert (one.trick, one.outcome, one.trick_value, one.value) == ("always well", "beats", 0.99, 0.987)
    assert not one.significant
    assert "0.9900 vs 0.9870" in one.sentence
    assert "may be chance" in one.sentence


def test_a_model_that_is_the_majority_class():
    """The article's exercise: 950 negatives, 50 positives, all predicted negative: accuracy 0.95."""
    predictions = Predictions.from_arrays([0] * 950 + [1] * 50, {"m": [0.1] * 1000})
    (one,) = lint(predictions, "accuracy")
    assert one.sentence == 'accuracy 0.9500 is what always predicting "0" gets'
    assert (one.comparison.p, one.comparison.difference, one.outcome) == (1.0, 0.0, "level")


def test_recall_is_beaten_by_always_saying_yes():
    predictions = Predictions.from_arrays(TRUTH, {"m": PROBABILITY})
    (one,) = lint(predictions, "recall")
    assert (one.trick, one.trick_value, one.significant) == ("always 1", 1.0, True)
    assert metrics["recall"].blind_to in one.meaning


def test_an_honest_model_passes_on_proper_scores_and_not_on_improper_ones():
    predictions = Predictions.from_arrays(TRUTH, {"m": PROBABILITY})
    assert lint(predictions, ["log_loss", "brier", "roc_auc", "accuracy"]) == ()
    improper = found(predictions, "probability_mae")
    assert set(improper) == {("m", "thresholded")}
    assert improper["m", "thresholded"].significant
    assert "strictly proper goal" in improper["m", "thresholded"].meaning


@pytest.mark.parametrize(
    ("power", "trick", "word"), [(3, "shrunk", "overconfident"), (0.3, "sharpened", "underconfident")]
)
def test_too_sure_and_not_sure_enough(power, trick, word):
    predictions = Predictions.from_arrays(TRUTH, {"m": odds(power)})
    one = found(predictions, "log_loss")["m", trick]
    assert one.significant
    assert f"the model is {word}" in one.meaning


def test_probabilities_that_are_too_high():
    moved = PROBABILITY * 9 / (1 - PROBABILITY + 9 * PROBABILITY)
    one = found(Predictions.from_arrays(TRUTH, {"m": moved}), "log_loss")["m", "recentred"]
    # The odds were multiplied by 9, and the mean gives that back: the honest model's loss.
    assert one.trick_value == pytest.approx(metrics["log_loss"](TRUTH, PROBABILITY), abs=2e-3)


def test_values_and_p_are_those_of_the_row_test():
    scores = DRAW.random(ROWS)
    (one,) = [f for f in lint(Predictions.from_arrays(TRUTH, {"m": scores}), "brier") if f.is_constant]
    share = TRUTH.mean()
    assert one.trick_value == pytest.approx(share * (1 - share), rel=1e-12)
    test = tests["influence"](TRUTH, scores, np.full(ROWS, share), metric="brier")
    assert (one.comparison.p, one.comparison.difference) == pytest.approx((test.p, test.difference))


def test_costs_of_credit_g(reference):
    """A missed bad customer costs five times a refused good one: calling all 1,000 bad costs 700 / 1,000, and at 0.5
    naive Bayes costs more (95 refused, 151 missed: 0.85, as in the metric's example)."""
    file = reference / "weka/credit-g.NaiveBayes.csv"
    predictions = Predictions.read(str(file), truth="actual", positive="bad", columns={"nb": "p_bad"})
    (one,) = lint(predictions, "expected_cost(fn=5)")
    assert (one.trick, one.trick_value, one.value, one.significant) == ("always bad", 0.7, 0.85, True)
    assert "referee threshold" in one.meaning


def test_weights_count():
    weight = np.where(TRUTH == 1, 9.0, 1.0)
    predictions = Predictions.from_arrays(TRUTH, {"m": PROBABILITY}, weight=weight)
    one = found(predictions, "accuracy")["m", "always 1"]
    assert one.trick_value == pytest.approx(weight[TRUTH == 1].sum() / weight.sum())


def test_several_classes():
    truth = np.repeat(["a", "b", "c"], [800, 100, 100])
    columns = DRAW.dirichlet([1, 1, 1], 1000)
    predictions = Predictions.from_arrays(truth, {"m": columns})
    assert {"always a"} == {one.trick for one in lint(predictions, "accuracy")}
    assert {("prior", True), ("shrunk", False)} == {
        (one.trick, one.is_constant) for one in lint(predictions, "log_loss")
    }


def test_numbers():
    truth = DRAW.normal(10, 3, 500)
    models = {
        "good": truth + DRAW.normal(0, 1, 500),
        "noise": DRAW.normal(10, 3, 500),
        "high": truth + DRAW.normal(2, 1, 500),
    }
    predictions = Predictions.from_arrays(truth, models, task="regression")
    assert set(found(predictions, "rmse")) == {("noise", "mean"), ("noise", "shrunk"), ("high", "recentred")}
    assert found(predictions, "r2")["noise", "mean"].trick_value == pytest.approx(0, abs=1e-12)
    assert ("noise", "median") in found(predictions, "mae")


def test_decisions_alone():
    predictions = Predictions.from_arrays(["y", "n"] * 20, {"m": ["y", "y"] * 20}, positive="y")
    (one,) = lint(predictions, "accuracy")
    assert one.outcome == "level"
    with pytest.raises(RefereeError):
        lint(predictions, "brier")


@pytest.mark.parametrize(
    ("only", "goal", "trick", "value"),
    [
        (1, "accuracy", "always 1", 1.0),
        (1, "f1", "always 1", 1.0),
        (1, "log_loss", "prior", 0.0),
        (1, "precision", "always 1", 1.0),
        (0, "accuracy", "always 0", 1.0),
        (0, "log_loss", "prior", 0.0),
        (0, "precision", "always 1", 0.0),
    ],
)
def test_one_class_and_few_rows(only, goal, trick, value):
    """The only class is always right; AUC needs both."""
    predictions = Predictions.from_arrays([only] * 8, {"m": np.linspace(0, 1, 8)}, classes=[0, 1], positive=1)
    (one,) = lint(predictions, goal)
    assert (one.trick, one.trick_value) == (trick, pytest.approx(value, abs=1e-12))
    assert lint(predictions, "roc_auc") == ()


def test_scores_that_are_no_probabilities():
    predictions = Predictions.from_arrays(TRUTH, {"m": Z})
    assert lint(predictions, "roc_auc") == ()


NEVER_FOUND = {
    "correlation": "undefined for one answer",
    "mcc": "undefined for one answer",
    "murphy_uncertainty": "the same for all predictions",
}


WITHOUT_TRICKS = (("scores",), ("ranking",), ("multilabel",))


@pytest.mark.parametrize("name", sorted(name for name, metric in metrics.items() if metric.tasks not in WITHOUT_TRICKS))
def test_a_model_that_knows_nothing_is_found_on_every_metric(name):
    """Predictions that were drawn without a look at the truth do not clearly beat one answer for all rows."""
    metric, draw, rows = metrics[name], np.random.default_rng(4), 600
    if "binary" in metric.tasks:
        predictions = Predictions.from_arrays(draw.random(rows) < 0.3, {"m": draw.random(rows)}, positive=True)
    elif "multiclass" in metric.tasks:
        truth = draw.choice(3, rows, p=[0.7, 0.2, 0.1])
        predictions = Predictions.from_arrays(truth, {"m": draw.dirichlet([1, 1, 1], rows)}, task="multiclass")
    else:
        drawn = draw.normal(size=rows)
        given = {0.1: drawn - 1, 0.5: drawn, 0.9: drawn + 1} if metric.needs == "quantiles" else drawn
        predictions = Predictions.from_arrays(1 + draw.random(rows), {"m": given}, task="regression")
    constant = [one for one in lint(predictions, name) if one.is_constant]
    assert len(constant) == (name not in NEVER_FOUND)
    for one in constant:
        assert one.metric == metric.full_name
        assert one.to_dict()["p"] == one.comparison.p <= 1
        assert one.meaning == meaning("constant", metric, significant=one.significant)


@pytest.mark.parametrize(
    ("goal", "claim"),
    [
        ("roc_auc", "worse than chance"),
        ("log_loss", "has learned nothing"),
        ("rmse", "of no use"),
        ("expected_cost(fn=5)", "cost more than they save"),
    ],
)
def test_what_may_be_chance_is_no_claim_about_the_model(goal, claim):
    """Ten rows and an AUC of 7 / 12: that is too little to call the model good or bad."""
    truth, scores = [1, 1, 1, 0, 0] * 2, [0.6, 0.6, 0.4, 0.6, 0.4] * 2
    task = "regression" if goal == "rmse" else None
    one = next(f for f in lint(Predictions.from_arrays(truth, {"m": scores}, task=task), goal) if f.is_constant)
    assert not one.significant
    assert "these rows do not show" in one.meaning
    assert claim not in one.meaning
    assert claim in meaning("constant", metrics[goal], significant=True)


def test_an_order_that_is_reversed():
    one = found(Predictions.from_arrays(TRUTH, {"m": 1 - PROBABILITY}), "roc_auc")["m", "prior"]
    assert one.significant
    assert "worse than chance" in one.meaning


def test_a_metric_that_no_prediction_changes():
    """The uncertainty is a matter of the truth, so nothing can be said for or against a model."""
    predictions = Predictions.from_arrays(TRUTH, {"m": [0.5] * ROWS})
    assert lint(predictions, "murphy_uncertainty") == ()
    assert {one.metric for one in lint(predictions, ["murphy_uncertainty", "brier"])} == {"brier"}


def test_scores_without_a_truth_cannot_be_tricked():
    scores = Predictions.read({"a": [1.0, 2.0], "b": [2.0, 1.0]}, task="scores")
    with pytest.raises(RefereeError, match="needs predictions and their truth"):
        lint(scores, "mean")


def test_numbers_that_are_moved():
    """9 everywhere, where the mean is 7.5 and the median 5. What MAPE pays for is only that 7.5 is lower."""
    truth = np.array([5.0, 5.0, 5.0, 15.0] * 100)
    high = Predictions.from_arrays(truth, {"m": np.full(400, 9.0)}, task="regression")
    one = found(high, "mape")["m", "recentred"]
    assert one.significant
    assert "too high" not in one.meaning.partition(";")[0]
    assert metrics["mape"].blind_to in one.meaning
    assert "too high or too low on average" in found(high, "rmse")["m", "recentred"].meaning
    assert "more than half of the predictions" in found(high, "mae")["m", "recentred"].meaning


def test_every_kind_of_trick_has_a_meaning_for_every_metric():
    for task in ("binary", "multiclass", "regression"):
        some = Predictions("regression", Z, ()) if task == "regression" else Predictions.from_arrays(TRUTH, {"m": Z})
        kinds = {(trick.kind, needs) for trick in tricks(some) for needs in trick.serves}
        for metric in metrics.values():
            for kind, needs in kinds:
                if metric.needs == needs and task in metric.tasks:
                    assert meaning(kind, metric)
                    assert kind != "constant" or meaning(kind, metric, significant=False)
    used = {id(one) for metric in metrics.values() for one in MEANINGS if _is_first(one, metric)}
    assert len(used) == len(MEANINGS), "a text that is never shown"


def _is_first(one, metric):
    same = [other for other in MEANINGS if (other.kind, other.significant) == (one.kind, one.significant)]
    fits = [o for o in same if all(getattr(metric, key) == value for key, value in o.metric.items())]
    return bool(fits) and fits[0] is one


def test_a_model_that_is_called_like_a_trick():
    predictions = Predictions.from_arrays(TRUTH, {"prior": PROBABILITY, "always 1": odds(3)})
    assert {one.model for one in lint(predictions, "recall")} == {"prior", "always 1"}
