"""Formulas with numbers put in: whoever computes what is shown arrives at scikit-learn's value."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn import metrics as theirs

from referee import evaluate, metrics
from referee.engines import engine_of
from referee.predictions import Predictions
from referee.scoring.explained_scores import KnownNumbers, worked_metric

DRAW = np.random.default_rng(7)
TRUTH = DRAW.integers(0, 2, 200)
SCORES = np.round(np.clip(0.5 * TRUTH + DRAW.uniform(0, 0.7, 200), 0, 1), 2)
CALLS = SCORES >= 0.5
Y = DRAW.normal(3, 2, 200)
P = Y + DRAW.normal(0, 1, 200)


def computed(expression):
    """What a reader makes of it with a pocket calculator."""
    text = expression.replace(",", "").replace("²", "**2").replace(" x ", " * ").replace("sqrt", "np.sqrt")
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text)
    assert re.fullmatch(r"[\d\s.+*/()abenpqsrt-]+", text), expression
    return float(eval(text, {"np": np}))


def line_of(predictions, metric, model="m"):
    (part,) = [part for part in evaluate(predictions, [metric]).explanation() if part.title.startswith(f"{model},")]
    return part.blocks[0].items[-1]


DECISIONS = {
    "accuracy": theirs.accuracy_score(TRUTH, CALLS),
    "error_rate": theirs.zero_one_loss(TRUTH, CALLS),
    "precision": theirs.precision_score(TRUTH, CALLS),
    "recall": theirs.recall_score(TRUTH, CALLS),
    "f1": theirs.f1_score(TRUTH, CALLS),
    "f_beta(beta=2)": theirs.fbeta_score(TRUTH, CALLS, beta=2),
    "jaccard": theirs.jaccard_score(TRUTH, CALLS),
    "balanced_accuracy": theirs.balanced_accuracy_score(TRUTH, CALLS),
    "mcc": theirs.matthews_corrcoef(TRUTH, CALLS),
    "kappa": theirs.cohen_kappa_score(TRUTH, CALLS),
    "specificity": theirs.recall_score(TRUTH, CALLS, pos_label=0),
    "negative_predictive_value": theirs.precision_score(TRUTH, CALLS, pos_label=0),
    "roc_auc": theirs.roc_auc_score(TRUTH, SCORES),
    "brier": theirs.brier_score_loss(TRUTH, SCORES),
}
NUMBERS = {
    "mae": theirs.mean_absolute_error(Y, P),
    "mse": theirs.mean_squared_error(Y, P),
    "rmse": theirs.mean_squared_error(Y, P) ** 0.5,
    "r2": theirs.r2_score(Y, P),
    "correlation": np.corrcoef(Y, P)[0, 1],
}


@pytest.mark.parametrize(("name", "expected"), (DECISIONS | NUMBERS).items())
def test_the_formula_with_its_numbers_gives_the_value(name, expected):
    truth, prediction = (TRUTH, SCORES) if name in DECISIONS else (Y, P)
    line = line_of(Predictions.from_arrays(truth, {"m": prediction}), name)
    *_, numbers, value = line.split(" = ")
    assert float(value) == pytest.approx(expected, rel=1e-3)
    assert computed(numbers) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("name", [name for name, metric in metrics.items() if "{" in metric.formula])
def test_every_formula_that_names_numbers_has_them(name):
    metric = metrics[name]
    truth, prediction = (TRUTH, SCORES) if metric.of_classes else (Y, P)
    predictions = Predictions.from_arrays(truth, {"m": prediction})
    known = KnownNumbers(predictions, engine_of(predictions).summarise(predictions, predictions.models[0]))
    symbols, numbers = worked_metric(metric, known)
    assert "{" not in symbols
    assert computed(numbers) == pytest.approx(metric(truth, prediction), rel=5e-3)


def test_the_cells_stand_above_the_formulas():
    (part,) = evaluate(TRUTH, {"m": SCORES}, metrics=["precision"]).explanation()
    tn, fp, fn, tp = theirs.confusion_matrix(TRUTH, CALLS).ravel()
    assert part.blocks[0].items[0] == f"TP = {tp}, FN = {fn}, FP = {fp}, TN = {tn}; positive is '1'"


def test_averages_over_classes_are_written_out():
    truth, called = DRAW.integers(0, 3, 90), DRAW.integers(0, 3, 90)
    predictions = Predictions.from_arrays(truth, {"m": called}, task="multiclass")
    for average in ("macro", "weighted"):
        line = line_of(predictions, f"f1(average={average})")
        expected = theirs.f1_score(truth, called, average=average)
        assert computed(line.split(" = ")[-2]) == pytest.approx(expected, rel=1e-3)
    assert "(" not in line_of(predictions, "f1(average=micro)").partition(") = ")[2]


def test_costs_of_a_matrix_are_not_taken_for_those_of_two_errors():
    line = line_of(Predictions.from_arrays(TRUTH, {"m": SCORES}), "expected_cost(costs=[[0, 1], [5, 0]])")
    assert line.count(" = ") == 3  # name, formula in symbols and in words, value
    assert "x 1 +" not in line


def test_weights_count_as_they_were_given():
    weight = np.where(TRUTH == 1, 3.0, 0.5)
    line = line_of(Predictions.from_arrays(TRUTH, {"m": SCORES}, weight=weight), "recall")
    hits, misses = weight[CALLS & (TRUTH == 1)].sum(), weight[~CALLS & (TRUTH == 1)].sum()
    assert f"{hits:.0f} / ({hits:.0f} + {misses:.0f})" in line


def test_undefined_values_say_why():
    line = line_of(Predictions.from_arrays([1, 0, 1], {"m": [0.1, 0.2, 0.3]}), "f1")
    assert line == (
        "f1 at 0.5 = (1 + beta²) x TP / ((1 + beta²) x TP + beta² x FN + FP) = (1 + 1²) x 0 / ((1 + 1²) x 0 + 1² x 2 + "
        "0) = 0"
    )
    scores = evaluate([1, 0, 1], {"m": [0.1, 0.2, 0.3]}, metrics=["precision", "recall"])
    undefined = scores.explanation()[0].blocks[0].items[1]
    assert undefined.startswith("precision at 0.5 = TP / (TP + FP) = 0 / (0 + 0) = undefined: no row")


@pytest.mark.parametrize("form", ["to_markdown", "to_latex", "to_html"])
def test_every_format_has_the_explanation_where_it_is_asked_for(form):
    scores = evaluate(TRUTH, {"m": SCORES}, metrics=["precision"])
    _, fp, _, tp = theirs.confusion_matrix(TRUTH, CALLS).ravel()
    assert f"{tp} / ({tp} + {fp})" in getattr(scores, form)(explain=True)
    assert f"{tp} / ({tp} + {fp})" not in getattr(scores, form)()
