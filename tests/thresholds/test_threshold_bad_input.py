"""Curves and thresholds of rows that say little or nothing, and of wishes that cannot be: a result or a clear error."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import RefereeError
from referee.predictions import Predictions
from referee.thresholds import Objective, banded, cheaper_regions, curves, hull, kinds, thinned, threshold
from referee.thresholds.costs import probability_cost
from referee.thresholds.curve_points import curve

ODD = {
    "constant scores": ([0, 1] * 20, [0.5] * 40),
    "all zero or one": ([0, 1, 1, 0] * 10, [0.0, 1.0, 0.0, 1.0] * 10),
    "always right": ([0, 1] * 20, [0.0, 1.0] * 20),
    "always wrong": ([0, 1] * 20, [1.0, 0.0] * 20),
    "ten rows": ([1, 1, 0, 1, 1, 0, 1, 0, 0, 1], [0.9, 0.8, 0.75, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]),
    "ties everywhere": ([0, 1, 1, 0, 1] * 10, [0.2, 0.2, 0.8, 0.8, 0.2] * 10),
    "one positive": ([1] + [0] * 19, np.linspace(1, 0, 20)),
    "two rows": ([0, 1], [0.3, 0.6]),
    "neighbouring floats": ([0, 1] * 20, [0.5, float(np.nextafter(0.5, 1))] * 20),
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("kind", list(kinds))
def test_every_curve_of_odd_rows(case, kind):
    truth, scores = ODD[case]
    predictions = Predictions.from_arrays(truth, {"m": scores}, task="binary")
    found = curve(predictions, kind)
    assert len(found)
    assert np.isfinite(found.x).all()
    assert np.isfinite(found.y).all()
    for band in ("pointwise", "simultaneous") if kinds[kind].has_bands else ():
        one = banded(found, predictions, band)
        assert (one.low <= one.y).all()
        assert (one.y <= one.high).all()
    assert len(thinned(found, 0.5)) <= len(found)
    if kind == "roc":
        assert hull(found).area >= found.area


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("goal", ["f1", "accuracy", "youden", "mcc", "expected_cost(fn=5)", "precision_at_recall"])
def test_every_threshold_of_odd_rows(case, goal):
    truth, scores = ODD[case]
    found = threshold(Predictions.from_arrays(truth, {"m": scores}, task="binary"), goal)["m"]
    assert found.tp + found.fn == sum(np.asarray(truth) == 1)
    assert found.low <= found.high
    # The correlation with a constant is undefined, whatever the threshold.
    assert (found.apparent is None) == (goal == "mcc" and case == "constant scores")
    assert found.reached == (found.apparent is not None)
    assert found.to_dict()["calls_positive"] in ("all", "some", "none")


def test_few_rows_name_no_better_model():
    truth, scores = ODD["ten rows"]
    found = threshold(Predictions.from_arrays(truth, {"a": scores, "b": [1 - s for s in scores]}), "accuracy")
    assert found.comparisons[0].outcome == "tie"
    assert {"W_FOLDS", "W_FEWROWS"} <= {notice.code for notice in found.notices}


def test_few_rows_name_no_cheaper_model():
    truth = np.repeat([1, 0], [5, 995])
    draw = np.random.default_rng(0).random(1000)
    found = cheaper_regions(Predictions.from_arrays(truth, {"a": draw + truth, "b": draw[::-1]}))
    assert set(found.outcome) == {"tie"}
    assert "W_FEWROWS" in [notice.code for notice in found.notices]
    assert found.to_dict()["p"].count(None) > 100


def test_numbers_of_numpy_are_limits():
    found = threshold(two(), "recall", at_least={"precision": np.float32(0.5)}, folds=0)
    assert list(found["m"].limits) == ["precision >= 0.5000"]
    assert str(Objective.of("recall", at_least={"precision": 0.999999})) == "recall, precision >= 0.999999"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--choose-on", "part=a"], "E_CROSSFIT"),
        (["--folds", "5"], "E_CROSSFIT"),
        (["--folds", "0", "--region"], "E_SAMEROWS"),
        (["--folds", "0"], None),
    ],
)
def test_rows_that_are_not_in_memory(referee, tmp_path, asked, code):
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 30_000)
    columns = {
        "y": truth,
        "a": draw.random(30_000) + truth,
        "b": draw.random(30_000),
        "part": np.tile(["a", "b"], 15_000),
    }
    pq.write_table(pa.table(columns), tmp_path / "p.parquet", row_group_size=1000)
    source = ("threshold", tmp_path / "p.parquet", "--truth", "y", "--models", "a,b", "--for", "f1")
    run = referee(*source, "--max-memory", "300KB", *asked)
    if code is None:
        assert run.code == 0
        assert "in memory" in next(one["message"] for one in run.json["warnings"] if one["code"] == "W_SAMEROWS")
    else:
        assert (run.code, run.json["error"]["code"]) == (2, code)


def test_a_class_of_one_row_is_judged_on_the_same_rows():
    truth, scores = ODD["one positive"]
    found = threshold(Predictions.from_arrays(truth, {"m": scores}), "f1")
    assert found.how == "same_rows"
    assert "W_SAMEROWS" in [notice.code for notice in found.notices]


def one_class():
    return Predictions.from_arrays([1] * 20, {"m": np.linspace(0, 1, 20), "n": np.linspace(1, 0, 20)}, task="binary")


@pytest.mark.parametrize(
    ("wish", "code", "exit_code"),
    [
        (lambda: curves(one_class(), "roc"), "E_ONECLASS", 4),
        (lambda: threshold(one_class(), "f1"), "E_ONECLASS", 4),
        (lambda: cheaper_regions(one_class()), "E_ONECLASS", 4),
        (lambda: threshold(two(), "roc_auc"), "E_NOTCOUNTS", 2),
        (lambda: threshold(two(), "log_loss"), "E_NOTCOUNTS", 2),
        (lambda: threshold(two(), "expected_cost(fn=-1)"), "E_PARAMETER", 2),
        (lambda: threshold(two(), "expected_cost(fn=nan)"), "E_PARAMETER", 2),
        (lambda: threshold(two(), "expected_cost(costs=[[0, 1]])"), "E_PARAMETER", 2),
        (lambda: threshold(two(), "expected_cost(costs=[[0, 1, 2], [1, 0, 2], [1, 2, 0]])"), "E_PARAMETER", 2),
        (lambda: threshold(two(), "expected_cost(costs=[[0, -1], [5, 0]])"), "E_PARAMETER", 2),
        (lambda: threshold(two(), "expected_cost", prevalence=0.0), "E_PREVALENCE", 2),
        (lambda: threshold(two(), "expected_cost", prevalence=1.0), "E_PREVALENCE", 2),
        (lambda: threshold(two(), "expected_cost", prevalence=float("nan")), "E_PREVALENCE", 2),
        (lambda: threshold(two(), "recall", capacity=-1), "E_PARAMETER", 2),
        (lambda: threshold(two(), "recall", capacity=float("nan")), "E_PARAMETER", 2),
        (lambda: threshold(two(), "recall", at_least={"precision": float("nan")}), "E_PARAMETER", 2),
        (lambda: threshold(two(), "recall", at_least={"brier": 0.5}), "E_NOTCOUNTS", 2),
        (lambda: threshold(two(), "f1", folds=1), "E_PARAMETER", 2),
        (lambda: threshold(two(), "f1", alpha=2), "E_PARAMETER", 2),
        (lambda: threshold(two(), "f1", chosen_on=("region", "north")), "E_NOCOL", 2),
        (lambda: threshold(two(), Objective.of("f1"), capacity=5), "E_PARAMETER", 2),
        (lambda: cheaper_regions(two(), alpha=2), "E_PARAMETER", 2),
        (lambda: cheaper_regions(two(), folds=0), "E_SAMEROWS", 2),
        (lambda: threshold(decisions(), "f1"), "E_NOSCORE", 3),
        (lambda: threshold(numbers(), "f1"), "E_CONTINUOUS", 4),
        (lambda: curves(numbers(), "roc"), "E_CONTINUOUS", 4),
        (lambda: curve(two(), "decision", "logits"), "E_PROBRANGE", 3),
        (lambda: curve(two(), "rock", "m"), "E_UNKNOWN", 2),
        (lambda: curve(two(), "roc"), "E_NOMODEL", 2),
        (lambda: curve(two(), "roc", "m", positive="yes"), "E_POSITIVE", 2),
        (lambda: hull(curve(two(), "pr", "m")), "E_HULL", 2),
        (lambda: banded(curve(two(), "roc", "m"), two(), "wide"), "E_PARAMETER", 2),
        (lambda: banded(curve(two(), "roc", "m"), two(), method="magic"), "E_PARAMETER", 2),
        (lambda: thinned(curve(two(), "roc", "m"), -1), "E_PARAMETER", 2),
        (lambda: cheaper_regions(two(), "m", "m"), "E_TWOMODELS", 2),
        (lambda: probability_cost(0, 0.5), "E_PREVALENCE", 2),
        (lambda: probability_cost(1, 1.5), "E_PREVALENCE", 2),
    ],
)
def test_what_cannot_be_is_refused(wish, code, exit_code):
    with pytest.raises(RefereeError) as caught:
        wish()
    assert (caught.value.code, caught.value.exit) == (code, exit_code)


def two():
    scores = np.linspace(0, 1, 20)
    return Predictions.from_arrays([0, 1] * 10, {"m": scores, "logits": 10 * scores - 5})


def decisions():
    return Predictions.from_arrays(["no", "yes"] * 10, {"m": ["no", "yes", "yes", "no"] * 5}, positive="yes")


def numbers():
    return Predictions.from_arrays(np.linspace(0, 9, 20), {"m": np.linspace(0, 9, 20)}, task="regression")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--for", "f1", "--at-least", "precision"], "E_SYNTAX"),
        (["--for", "f1", "--at-least", "precision=high"], "E_SYNTAX"),
        (["--for", "f1", "--choose-on", "part"], "E_SYNTAX"),
        (["--for", "f1", "--choose-on", "part=9"], "E_NOVALUE"),
        (["--for", "f1", "--choose-on", "wing=1"], "E_NOCOL"),
        (["--for", "f1", "--prevalence", "1.5"], "E_PREVALENCE"),
        (["--for", "f1", "--region", "--models", "a"], "E_TWOMODELS"),
        (["--for", "f1", "--folds", "1"], "E_PARAMETER"),
        (["--for", "fone"], "E_UNKNOWN"),
        ([], "E_USAGE"),
    ],
)
def test_the_command_line_says_what_is_wrong(referee, tmp_path, asked, code):
    path = tmp_path / "p.csv"
    path.write_text("y,a,part\n" + "1,0.9,1\n0,0.2,1\n1,0.6,2\n0,0.7,2\n" * 5)
    run = referee("threshold", path, "--truth", "y", *asked)
    assert (run.code, run.json["error"]["code"]) == (2, code)


def test_pictures_need_a_known_format(referee, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,0.9\n0,0.2\n")
    run = referee("curves", path, "--truth", "y", "--figure", tmp_path / "f.gif")
    assert (run.code, run.json["error"]["code"]) == (2, "E_FIGURE")


def test_pictures_name_the_extra_that_is_missing(referee, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,0.9\n0,0.2\n")
    run = referee("curves", path, "--truth", "y", "--figure", tmp_path / "f.png")
    assert (run.code, run.json["error"]["code"]) == (2, "E_EXTRA")
    assert "referee[png]" in run.json["error"]["hint"]


def test_a_picture_that_cannot_be_written(referee, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("y,a\n1,0.9\n0,0.2\n")
    run = referee("curves", path, "--truth", "y", "--figure", tmp_path / "nowhere" / "f.svg")
    assert (run.code, run.json["error"]["code"]) == (6, "E_WRITE")
