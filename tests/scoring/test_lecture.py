"""The lecture's and the article's worked examples."""

from __future__ import annotations

from fractions import Fraction

import pytest

import referee
from referee import metrics

MODEL_TEST = "YYNYNNNYNN", "YNNNNNYYNN"
CANCER = [[90, 210], [140, 9560]]
BUYS_COMPUTER = [[6954, 46], [412, 2588]]
ROC_ROWS = [0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742]
ROC_CLASSES = "PPNPPNPNNP"
ROC_TABLE = [
    (1, 0, 4, 5), (2, 0, 4, 4), (2, 1, 3, 4), (3, 1, 3, 3), (4, 1, 3, 2),
    (4, 2, 2, 2), (5, 2, 2, 1), (5, 3, 1, 1), (5, 4, 0, 1), (6, 4, 0, 0),
]  # fmt: skip


def test_model_test_of_ten_rows():
    truth, predicted = map(list, MODEL_TEST)
    assert metrics["accuracy"](truth, predicted, positive="Y") == 0.7
    predictions = referee.Predictions.from_arrays(truth, {"m": predicted}, positive="Y")
    confusion = referee.evaluate(predictions, ["accuracy"]).to_dict()["confusion"]
    assert confusion == [{"model": "m", "classes": ["N", "Y"], "counts": [[5, 1], [2, 2]]}]


def test_buys_computer():
    assert metrics["accuracy"].of_counts(BUYS_COMPUTER) == 9542 / 10000
    assert metrics["recall"].of_counts(BUYS_COMPUTER) == 6954 / 7000
    assert metrics["specificity"].of_counts(BUYS_COMPUTER) == 2588 / 3000


@pytest.mark.parametrize(
    ("metric", "expected", "on_the_slide"),
    [
        ("recall", Fraction(90, 300), 0.3000),
        ("specificity", Fraction(9560, 9700), 0.9856),
        ("accuracy", Fraction(9650, 10000), 0.9650),
        ("precision", Fraction(90, 230), 0.3913),
        ("f1", Fraction(180, 530), 0.339),
        ("f_beta(beta=2)", Fraction(5 * 90, 5 * 90 + 4 * 210 + 140), 0.315),
    ],
)
def test_cancer(metric, expected, on_the_slide):
    value = metrics[metric].of_counts(CANCER)
    assert value == pytest.approx(float(expected), rel=1e-15)
    assert value == pytest.approx(on_the_slide, abs=1e-3)


def test_class_imbalance():
    matrix = [[20, 80], [0, 9900]]
    assert metrics["accuracy"].of_counts(matrix) == 0.992
    assert metrics["recall"].of_counts(matrix) == 0.2


@pytest.mark.parametrize(("row", "expected"), list(enumerate(ROC_TABLE)))
def test_roc_table_row_by_row(row, expected):
    truth = [letter == "P" for letter in ROC_CLASSES]
    predictions = referee.Predictions.from_arrays(truth, {"m": ROC_ROWS}, threshold=ROC_ROWS[row])
    (confusion,) = referee.evaluate(predictions, ["recall", "false_positive_rate"]).to_dict()["confusion"]
    (tn, fp), (fn, tp) = confusion["counts"]
    assert (tp, fp, tn, fn) == expected
    scores = referee.evaluate(predictions, ["recall", "false_positive_rate"])
    assert scores["m", "recall"].value == expected[0] / 6
    assert scores["m", "false_positive_rate"].value == expected[1] / 4


def test_roc_steps_are_the_table():
    from referee.engines import summarise

    truth = [letter == "P" for letter in ROC_CLASSES]
    predictions = referee.Predictions.from_arrays(truth, {"m": ROC_ROWS})
    steps = summarise(predictions, predictions.models[0]).ranking(predictions.positive).steps
    found = zip(steps.tp.tolist(), steps.fp.tolist(), strict=True)
    assert list(found) == [(tp, fp) for tp, fp, _, _ in ROC_TABLE]


def test_article_exercise():
    """950 negatives, 50 positives, all predicted negative."""
    matrix = [[0, 50], [0, 950]]
    assert metrics["accuracy"].of_counts(matrix) == 0.95
    assert str(metrics["precision"].of_counts(matrix)) == "nan"
    assert metrics["precision(undefined=0)"].of_counts(matrix) == 0
    assert metrics["recall"].of_counts(matrix) == 0
    assert metrics["f1"].of_counts(matrix) == 0


def test_article_exercise_on_the_command_line(referee, tmp_path):
    file = tmp_path / "all_negative.csv"
    file.write_text("y,m\n" + "1,0.1\n" * 50 + "0,0.1\n" * 950)
    names = "accuracy,precision,precision(undefined=0),recall,f1"
    run = referee("evaluate", file, "--truth", "y", "--metrics", names)
    assert run.code == 0
    found = {row["metric"]: row["value"] for row in run.json["scores"] if row["class"] is None}
    assert found == {"accuracy": 0.95, "precision": None, "precision(undefined=0)": 0, "recall": 0, "f_beta": 0}
    (undefined,) = [row for row in run.json["scores"] if row["metric"] == "precision" and row["class"] is None]
    assert undefined["undefined"] == "no row was predicted positive"
    assert "W_ZERODIV" in {warning["code"] for warning in run.json["warnings"]}
