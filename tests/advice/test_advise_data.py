"""Advice on the goal from data: what they answer, contradict, warn of, and how many rows it takes."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics
from referee.advice import advise
from referee.advice.sample_size import rows_needed
from referee.errors import UndefinedError, UsageError
from referee.predictions import Predictions


def of_share(share, models=None, rows=1000):
    """Scores that say nothing, and so many positives."""
    truth = (np.arange(rows) < share * rows).astype(int)
    draw = np.random.default_rng(1)
    return Predictions.from_arrays(truth, models or {"m": draw.random(rows)})


def test_whatever_compare_takes_is_taken(tmp_path):
    """A table, a file and arrays are the same rows, and so the same advice as of `Predictions`."""
    truth, scores = [1, 0, 0, 0] * 50, [0.9, 0.2, 0.6, 0.1] * 50
    frame = {"y": truth, "m": scores}
    path = tmp_path / "rows.csv"
    path.write_text("y,m\n" + "".join(f"{y},{m}\n" for y, m in zip(truth, scores, strict=True)))
    asked = {"purpose": "probabilities", "quality": "ranking"}
    expected = advise(Predictions.from_arrays(truth, {"m": scores}), **asked).to_dict()
    for found in (
        advise(frame, truth="y", **asked),
        advise(str(path), truth="y", **asked),
        advise(truth, {"m": scores}, **asked),
    ):
        assert found.to_dict()["reasons"] == expected["reasons"]
        assert found.to_dict()["rows_needed"] == expected["rows_needed"]
        assert found.facts.rows == 200
    with pytest.raises(UsageError, match="no column 'z'"):
        advise(frame, truth="z", **asked)


MISSES = {"purpose": "decision", "costs": "misses"}


@pytest.mark.parametrize(("share", "usual"), [(0.05, 0.5), (0.3, 0.65), (0.6, 0.8), (0.96, 0.98)])
def test_the_usual_precision_demands_something(share, usual):
    """Half way from what calling every row positive has to 1; 0.5 where positives are rare."""
    advice = advise(of_share(share), **MISSES)
    assert advice.goal.settings == {"precision": pytest.approx(usual)}
    assert advice.answers.assumed["precision"] == pytest.approx(usual)
    assert "W_ANSWERS" not in {notice.code for notice in advice.warnings}


def test_a_precision_that_demands_nothing():
    advice = advise(of_share(0.6), **MISSES, precision=0.55)
    assert advice.goal.settings == {"precision": 0.55}
    (notice,) = [one for one in advice.warnings if one.code == "W_ANSWERS"]
    assert "calling every row positive has 0.6" in notice.message
    assert advise(task="binary", **MISSES, balance="balanced").goal.settings == {"precision": 0.75}


def test_a_threshold_is_for_probabilities():
    """fp / (fp + fn) = 1 / 6 says nothing of a score between -3 and 3, or of a decision."""
    scores, costs = np.linspace(-3, 3, 1000), {"fp": 1, "fn": 5}
    shown = {
        "probabilities": of_share(0.3),
        "scores": of_share(0.3, {"m": scores}),
        "one of them": of_share(0.3, {"m": scores, "p": np.linspace(0, 1, 1000)}),
        "decisions": of_share(0.3, {"m": (scores > 0).astype(int)}),
    }
    found = {name: advise(predictions, **costs) for name, predictions in shown.items()}
    assert {name for name, advice in found.items() if "--threshold" in advice.command_line} == {"probabilities"}
    assert [advice.threshold for advice in found.values()] == [pytest.approx(1 / 6), None, None, None]


@pytest.fixture(scope="module")
def predictions():
    draw = np.random.default_rng(5)
    z = draw.normal(size=3000)
    p = 1 / (1 + np.exp(3.5 - 1.5 * z))
    truth = (draw.random(3000) < p).astype(int)
    return Predictions.from_arrays(truth, {"a": p, "b": p**0.5})


def test_data_answer_what_they_can(predictions):
    advice = advise(predictions, purpose="decision")
    assert (advice.answers["task"], advice.answers["balance"]) == ("binary", "imbalanced")
    assert not {"task", "balance"} & set(advice.answers.assumed)
    facts = advice.facts
    assert facts.rarer_rows == predictions.truth.sum()
    assert facts.rarer_share == pytest.approx(predictions.truth.mean())
    a, b = facts.models
    assert (a.gives, b.gives) == ("probabilities", "probabilities")
    assert a.calibration_p > 0.05 > b.calibration_p


def test_rows_from_data_are_those_of_compare(predictions):
    from referee.comparing import compare

    advice = advise(predictions, purpose="probabilities", quality="both", difference=0.01)
    verdict = compare(predictions, advice.goal, delta=0.01)
    assert verdict.rows_to_separate is not None
    assert advice.rows_needed.rows == verdict.rows_to_separate


def test_models_that_order_rows_alike(predictions):
    """A power of a score changes no order: there is no spread of the difference, so one model must do."""
    found = advise(predictions, purpose="probabilities", quality="ranking").rows_needed
    assert found.rows > 0
    assert "correlation 0.5" in found.basis


def test_warnings_from_data(predictions):
    codes = lambda advice: {notice.code for notice in advice.warnings}  # noqa: E731
    assert "W_UNCALIBRATED" in codes(advise(predictions, purpose="probabilities", quality="both"))
    assert "W_ANSWERS" in codes(advise(predictions, purpose="decision", balance="balanced"))
    few = Predictions.from_arrays([0, 1] * 9, {"m": np.linspace(0.1, 0.9, 18)})
    assert "W_FEWROWS" in codes(advise(few, purpose="decision"))
    hard = Predictions.from_arrays([0, 1] * 30, {"m": [0, 1, 1] * 20})
    assert "W_HARDLABELS" in codes(advise(hard, purpose="probabilities", quality="ranking"))
    tied = Predictions.from_arrays([0, 1] * 500, {"m": [0.2, 0.7] * 500})
    assert "W_TIES" in codes(advise(tied, purpose="probabilities", quality="ranking"))


def test_a_goal_that_the_models_cannot_have():
    """Of the paper's five, AUC is the best single one that needs no probabilities (tables 6 and 7, last row)."""
    logits = Predictions.from_arrays([0, 1] * 50, {"m": np.linspace(-3, 3, 100)})
    advice = advise(logits, purpose="unknown")
    assert advice.goal.name == "roc_auc"
    assert [notice.code for notice in advice.warnings] == ["W_UNFIT"]
    with pytest.raises(UndefinedError, match="log_loss would be the goal, but it needs probabilities") as caught:
        advise(logits, purpose="probabilities", quality="calibration")
    assert "referee calibrate" in caught.value.hint
    numbers = Predictions.from_arrays(np.arange(50.0), {"m": np.arange(50.0) + 1}, task="regression")
    with pytest.raises(UndefinedError, match="crps would be the goal, but it needs quantiles") as caught:
        advise(numbers, target="distribution")
    assert "NAME:0.1" in caught.value.hint
    assert "calibrate" not in caught.value.hint


def test_data_that_contradict(predictions):
    with pytest.raises(UsageError, match="the truth is binary"):
        advise(predictions, task="regression", penalty="large")
    of_three = Predictions.from_arrays(np.arange(30) % 3, {"m": np.full((30, 3), 1 / 3)}, task="multiclass")
    with pytest.raises(UsageError, match="for 4 classes; the data have 3"):
        advise(of_three, cost_matrix=(1 - np.eye(4)).tolist())


def test_rows_needed_where_there_is_no_spread():
    perfect = Predictions.from_arrays([0, 1] * 30, {"m": [0.0, 1.0] * 30})
    assert rows_needed(metrics["accuracy"], {}, perfect).rows is None
