"""Values that Weka 3.6.14 computed, through the command line."""

from __future__ import annotations

import json

import pytest

CLASSIFIERS = [
    "credit-g.IBk-5", "credit-g.IBk-50", "credit-g.J48-U", "credit-g.J48", "credit-g.NaiveBayes", "credit-g.ZeroR",
    "page-blocks.J48", "page-blocks.NaiveBayes",
]  # fmt: skip
REGRESSORS = ["cpu.IBk-5", "cpu.LinearRegression", "cpu.M5P", "cpu.RBFNetwork", "cpu.ZeroR"]
NUMERIC = {"mae": "mae", "rmse": "rmse", "rae": "rae_percent", "rrse": "rrse_percent", "correlation": "correlation"}
PROBABILITY = {
    "probability_mae": "mae",
    "rms": "rmse",
    "probability_rae": "rae_percent",
    "probability_rrse": "rrse_percent",
}
BY_CLASS = {
    "recall": "tp_rate",
    "false_positive_rate": "fp_rate",
    "precision": "precision",
    "f_beta": "f",
    "roc_auc": "roc_area",
}
WEIGHTED = {
    "precision(average=weighted, undefined=0)": "weighted_precision",
    "recall(average=weighted)": "weighted_recall",
    "f_beta(average=weighted, undefined=0)": "weighted_f",
    "roc_auc(average=weighted)": "weighted_roc_area",
}


@pytest.fixture
def weka(request, reference):
    """Where Weka's values for a name are: page-blocks has too many rows to be kept with the tests."""

    def file(name):
        here = reference / "weka" / name
        return here if here.exists() else request.getfixturevalue("shared") / "reference/weka" / name

    return file


def weka_says(weka, name):
    return json.loads(weka(f"{name}.json").read_text())


def same(expected):
    return pytest.approx(expected, rel=1e-9, abs=1e-9)


def in_percent(key, value):
    return 100 * value if key.endswith("percent") else value


@pytest.fixture
def classified(referee, weka):
    def run(name, *options, folds=("--fold", "fold")):
        columns = ("--truth", "actual", *folds, "--model", "m=p_{class}", "--label", "m=predicted")
        positive = ("--positive", "bad") if name.startswith("credit") else ()
        found = referee("evaluate", weka(f"{name}.csv"), *columns, *positive, *options)
        assert found.code == 0, found.err
        return found

    return run


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_whole_table(classified, weka, name):
    told, found = weka_says(weka, name), classified(name)
    assert found.value("m", "accuracy") == same(told["accuracy"])
    assert found.value("m", "kappa") == same(told["kappa"])
    for ours, theirs in PROBABILITY.items():
        assert in_percent(theirs, found.value("m", ours)) == same(told[theirs]), ours


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_confusion_matrix(classified, weka, name):
    told, found = weka_says(weka, name), classified(name).json["confusion"][0]
    order = [found["classes"].index(row["class"]) for row in told["classes"]]
    assert [[found["counts"][i][j] for j in order] for i in order] == told["confusion_rows_actual_cols_predicted"]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_each_class(classified, weka, name):
    found = classified(name, folds=())  # which Weka pools, whatever their scales
    for row in weka_says(weka, name)["classes"]:
        for ours, theirs in BY_CLASS.items():
            value = found.value("m", ours, class_=row["class"])
            # Weka writes 0 where a class was never predicted.
            assert (0 if value is None else value) == same(row[theirs]), (ours, row["class"])


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_weighted_averages(classified, weka, name):
    told, found = weka_says(weka, name), classified(name, "--metrics", ",".join(WEIGHTED), folds=())
    for ours, theirs in WEIGHTED.items():
        assert found.value("m", ours) == same(told[theirs]), ours


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("yardstick", ["fold", "baseline"])
def test_numbers(referee, weka, name, yardstick):
    """The training mean of each fold, from the folds or from a column."""
    told = weka_says(weka, name)
    column = {"fold": "fold", "baseline": "train_mean"}[yardstick]
    file = weka(f"{name}.csv")
    found = referee("evaluate", file, "--truth", "actual", "--models", "predicted", f"--{yardstick}", column)
    for ours, theirs in NUMERIC.items():
        value = found.value("predicted", ours)
        if ours == "correlation" and abs(told[theirs]) < 1e-6 and value is None:
            continue
        assert in_percent(theirs, value) == same(told[theirs]), ours


@pytest.fixture
def slide(reference):
    return reference / "lecture/cpu_predictions.csv"


def test_the_lectures_slide_exactly(referee, slide):
    found = referee("evaluate", slide, "--truth", "actual", "--models", "predicted", "--fold", "fold")
    assert f"{found.value('predicted', 'correlation'):.4f}" == "0.6115"
    assert f"{found.value('predicted', 'mae'):.4f}" == "61.8725"
    assert f"{found.value('predicted', 'rmse'):.4f}" == "127.1763"
    assert f"{100 * found.value('predicted', 'rae'):.4f}%" == "64.2904%"
    assert f"{100 * found.value('predicted', 'rrse'):.4f}%" == "79.0639%"
    assert found.json["rows"] == 209


def test_the_lectures_own_formula_without_folds(referee, slide):
    found = referee("evaluate", slide, "--truth", "actual", "--models", "predicted")
    assert f"{100 * found.value('predicted', 'rae'):.4f}%" == "64.5073%"
    assert f"{100 * found.value('predicted', 'rrse'):.4f}%" == "79.2645%"
