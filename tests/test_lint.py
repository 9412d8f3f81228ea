"""Degenerate predictions that do as well as a model: found where they are, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from referee import Predictions, lint, metrics, tests
from referee.errors import RefereeError, UsageError
from referee.linting.meanings import MEANINGS, meaning
from referee.linting.tricks import tricks

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
    """1 % of the population is ill: a model that always says "no disease" is 99 % accurate."""
    truth = ["ill"] * 10 + ["well"] * 990
    scores = [0.9] * 5 + [0.1] * 5 + [0.9] * 8 + [0.1] * 982
    predictions = Predictions.from_arrays(truth, {"m": scores}, positive="ill")
    (one,) = lint(predictions, "accuracy")
    assert (one.trick, one.outcome, one.trick_value, one.value) == ("always well", "beats", 0.99, 0.987)
    assert not one.significant
    assert "0.9900 against 0.9870" in one.sentence
    assert "may be chance" in one.sentence


def test_a_model_that_is_the_majority_class():
    """The article's exercise: 950 negatives, 50 positives, all predicted negative: accuracy 0.95."""
    predictions = Predictions.from_arrays([0] * 950 + [1] * 50, {"m": [0.1] * 1000})
    (one,) = lint(predictions, "accuracy")
    assert one.sentence == 'accuracy 0.9500 is what always saying "0" gets'
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


def test_costs_of_credit_g(shared):
    """A missed bad customer costs five times a refused good one: calling all 1,000 bad costs 700 / 1,000, and at 0.5
    naive Bayes costs more (95 refused, 151 missed: 0.85, as in the metric's example)."""
    file = shared / "reference/weka/credit-g.NaiveBayes.csv"
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
    assert {"prior", "shrunk"} >= {one.trick for one in lint(predictions, "log_loss") if one.is_constant}


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


@pytest.mark.parametrize("truth", [[1] * 8, [0] * 8], ids=["only positives", "only negatives"])
@pytest.mark.parametrize("goal", ["accuracy", "f1", "log_loss", "roc_auc", "precision"])
def test_one_class_and_few_rows_are_no_crash(truth, goal):
    predictions = Predictions.from_arrays(truth, {"m": np.linspace(0, 1, 8)}, classes=[0, 1], positive=1)
    assert all(np.isfinite(one.trick_value) for one in lint(predictions, goal))


def test_scores_that_are_no_probabilities():
    predictions = Predictions.from_arrays(TRUTH, {"m": Z})
    assert lint(predictions, "roc_auc") == ()


@pytest.mark.parametrize("name", sorted(metrics))
def test_every_metric_can_be_linted(name):
    metric = metrics[name]
    if "binary" in metric.tasks:
        predictions = Predictions.from_arrays(TRUTH[:300], {"m": PROBABILITY[:300]})
    elif "multiclass" in metric.tasks:
        truth = np.arange(300) % 3
        predictions = Predictions.from_arrays(truth, {"m": DRAW.dirichlet([1, 1, 1], 300)}, task="multiclass")
    else:
        level = {"m": {0.1: Z - 1, 0.5: Z, 0.9: Z + 1}} if metric.needs == "quantiles" else {"m": Z}
        predictions = Predictions.from_arrays(Z + DRAW.normal(size=ROWS), level, task="regression")
    for one in lint(predictions, name):
        assert one.metric == metric.full_name
        assert one.to_dict()["p"] is not None
        assert one.meaning


def test_every_kind_of_trick_has_a_meaning_for_every_metric():
    for task in ("binary", "multiclass", "regression"):
        some = Predictions("regression", Z, ()) if task == "regression" else Predictions.from_arrays(TRUTH, {"m": Z})
        kinds = {(trick.kind, needs) for trick in tricks(some) for needs in trick.serves}
        for metric in metrics.values():
            for kind, needs in kinds:
                if metric.needs == needs and task in metric.tasks:
                    assert meaning(kind, metric)
    used = {id(one) for metric in metrics.values() for one in MEANINGS if _is_first(one, metric)}
    assert len(used) == len(MEANINGS), "a text that is never shown"


def _is_first(one, metric):
    same = [other for other in MEANINGS if other.kind == one.kind]
    fits = [o for o in same if all(getattr(metric, key) == value for key, value in o.metric.items())]
    return bool(fits) and fits[0] is one


def test_a_model_that_is_called_like_a_trick():
    predictions = Predictions.from_arrays(TRUTH, {"prior": PROBABILITY, "always 1": odds(3)})
    assert {one.model for one in lint(predictions, "recall")} == {"prior", "always 1"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    rows = [f"{y},{p:.6f},{q:.6f}" for y, p, q in zip(TRUTH, PROBABILITY, odds(3), strict=True)]
    path.write_text("y,m,sure\n" + "\n".join(rows) + "\n")
    return path


def test_on_the_command_line(referee, file):
    run = referee("evaluate", file, "--truth", "y", "--metrics", "roc_auc", "--goal", "mxe", "--lint")
    assert run.code == 0
    assert run.json["goal"] == "log_loss"
    (one,) = [one for one in run.json["lint"] if not one["is_constant"]]
    assert (one["model"], one["trick"], one["outcome"], one["significant"]) == ("sure", "shrunk", "beats", True)
    assert one["difference"] == pytest.approx(one["value"] - one["trick_value"])
    clean = referee("evaluate", file, "--truth", "y", "--models", "m", "--metrics", "log_loss,brier", "--lint")
    assert clean.json["lint"] == []
    assert "lint" not in referee("evaluate", file, "--truth", "y", "--goal", "mxe").json


@pytest.mark.parametrize("form", ["text", "md", "csv"])
def test_in_every_format(referee, file, form):
    run = referee("evaluate", file, "--truth", "y", "--metrics", "log_loss", "--lint", form=form)
    assert "the model is overconfident" in " ".join((run.out + run.err).split())
    if form == "text":
        assert max(map(len, run.out.partition("Lint:")[2].splitlines())) <= 80
    clean = referee("evaluate", file, "--truth", "y", "--models", "m", "--metrics", "brier", "--lint", form=form)
    assert ("nothing found" in clean.out) == (form != "csv")


def test_rows_that_are_not_in_memory(referee, file):
    asked = ["--metrics", "brier", "--lint", "--max-memory", "1KB"]
    error = referee("evaluate", file, "--truth", "y", *asked).json["error"]
    assert (error["code"], error["exit"]) == ("E_ROWS", 2)


def test_usage(referee, file):
    error = referee("evaluate", file, "--truth", "y", "--lint").json["error"]
    assert (error["code"], error["exit"]) == ("E_NOMETRIC", 2)
    assert "advise" in error["hint"]
    assert referee("evaluate", file, "--truth", "y", "--lint", "--goal", "log_los").json["error"]["code"] == "E_UNKNOWN"
    with pytest.raises(UsageError):
        lint(Predictions.from_arrays(TRUTH, {"m": PROBABILITY}), [])
