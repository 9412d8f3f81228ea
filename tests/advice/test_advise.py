"""Advice on the goal: what answers lead to, and with sizes computed by hand."""

from __future__ import annotations

import numpy as np
import pytest

from referee import metrics
from referee.advice import advise
from referee.advice.sample_size import planning_predictions
from referee.errors import UsageError

HARD = {"task": "binary", "purpose": "decision"}
SCORES = {"task": "binary", "purpose": "probabilities"}
NUMBER = {"task": "regression"}


def avoided(advice):
    return {name for one in advice.avoided for name in one.metrics}


def watched(advice):
    return {one.metric.name for one in advice.watched}


def test_the_articles_warnings():
    """Avoid accuracy with a rare class; AUC is not calibration; F1 belongs to a threshold; look at Brier separately."""
    assert {"accuracy", "error_rate"} <= avoided(advise(**HARD, balance="imbalanced"))
    assert "accuracy" not in avoided(advise(**HARD, balance="balanced", costs="equal"))
    assert "roc_auc" in avoided(advise(**SCORES, quality="calibration"))
    both = advise(**SCORES, quality="both")
    assert {"roc_auc", "calibration_error", "brier"} <= watched(both)
    assert {"f_beta", "accuracy"} <= avoided(both)
    assert {"probability_mae", "probability_rae"} <= avoided(both)


@pytest.mark.parametrize(
    ("answers", "goal"),
    [
        (HARD | {"fp": 1, "fn": 5}, "expected_cost(fn=5)"),
        (HARD | {"beta": 2}, "f_beta(beta=2)"),
        (HARD | {"costs": "misses", "precision": 0.25}, "recall_at_precision(precision=0.25)"),
        (HARD | {"costs": "false_alarms", "recall": 0.8}, "precision_at_recall(recall=0.8)"),
        (HARD | {"capacity": 0.05}, "lift(top=0.05)"),
        (HARD | {"costs": "equal", "balance": "balanced"}, "accuracy"),
        (HARD | {"focus": "both"}, "balanced_accuracy"),
        ({"cost_matrix": [[0, 1, 2], [1, 0, 2], [5, 5, 0]]}, "expected_cost(costs=[[0, 1, 2], [1, 0, 2], [5, 5, 0]])"),
        ({"task": "multiclass", "purpose": "decision", "average": "weighted"}, "f_beta(average=weighted)"),
        ({"shortlist": 5}, "top_k(k=5)"),
        ({"shortlist": 2.0}, "top_k"),
        ({"shortlist": "1e3"}, "top_k(k=1000)"),
        ({"task": "multiclass", "purpose": "unknown"}, "log_loss"),
        (
            {"task": "multiclass", "purpose": "decision", "costs": "misses", "precision": 0.7, "average": "weighted"},
            "recall_at_precision(precision=0.7, average=weighted)",
        ),
        ({"level": 0.9}, "pinball(level=0.9)"),
        (NUMBER | {"target": "distribution"}, "crps"),
        (NUMBER | {"penalty": "typical"}, "median_ae"),
    ],
    ids=str,
)
def test_goals_have_their_parameters(answers, goal):
    advice = advise(**answers)
    assert advice.goal.full_name == goal
    assert metrics[goal] == advice.goal


def test_a_shortlist_that_is_too_long_to_plan():
    """A model for each of a million classes would not fit into memory."""
    assert advise(shortlist=1_000_000).rows_needed.rows is None
    assert advise(shortlist=5).rows_needed.rows > 100


def test_several_classes_are_told_what_is_assumed():
    advice = advise(task="multiclass", purpose="decision", costs="misses")
    assert advice.goal.full_name == "recall_at_precision(precision=0.5, average=macro)"
    assert {"precision": 0.5, "average": "macro"}.items() <= advice.answers.assumed.items()


def test_several_classes_and_an_unknown_goal():
    """The paper's average is for two classes, so nothing may be said of metrics that are averaged."""
    advice = advise(task="multiclass", purpose="unknown")
    assert "single" not in advice.answers.all
    assert watched(advice) == {"rms", "roc_auc"}
    assert not any("averaged" in one.reason.text for one in advice.watched)
    assert any("made for two classes" in one.text for one in advice.reasons)
    assert any("averaged" in one.reason.text for one in advise(task="binary", purpose="unknown").watched)


def test_what_is_only_assumed_is_not_stated():
    """Nobody said that a class is rare."""
    for answers in (HARD, SCORES | {"quality": "ranking"}):
        advice = advise(**answers)
        assert advice.answers.assumed["balance"] == "imbalanced"
        texts = [one.text for one in advice.reasons] + [one.reason.text for one in advice.avoided]
        about = [text for text in texts if "rare" in text]
        assert about
        assert all(text.startswith(("where a class is rare", "with a rare class")) for text in about)


def test_rows_of_a_proportion_by_hand():
    """(1.96 + 0.84)² x variance / difference²; an accuracy a has variance a (1 - a), with n - 1 for n."""
    answers = HARD | {"balance": "balanced", "costs": "equal", "difference": 0.01}
    planned = planning_predictions("binary", rare=False)
    accuracy = float((np.argmax(np.stack(planned.models[0].class_scores), axis=0) == planned.truth).mean())
    n = planned.rows
    exact = (1.959963984540054 + 0.8416212335729143) ** 2 * accuracy * (1 - accuracy) * n / (n - 1) / 0.01**2
    assert 0 <= advise(**answers).rows_needed.rows - exact <= 3  # t has a little more in its tails than the normal


def test_rows_of_rmse_by_hand():
    """Normal errors: the squared ones have variance 2 s⁴, so RMSE has s² / 2 a row; 5% of it need 7.85 x 200."""
    found = advise(task="regression", penalty="large").rows_needed
    assert found.difference == pytest.approx(0.05, rel=0.03)
    assert found.rows == pytest.approx(7.8489 * 0.5 / 0.05**2, rel=0.07)


def test_half_the_difference_needs_four_times_the_rows():
    one, half = (advise(**HARD, costs="misses", difference=d).rows_needed.rows for d in (0.04, 0.02))
    assert half == pytest.approx(4 * one, rel=1e-3)


def test_planned_probabilities_are_calibrated():
    for rare, share in ((False, 0.5), (True, 0.05)):
        planned = planning_predictions("binary", rare=rare)
        column = planned.models[0].class_scores[0]
        assert column.mean() == pytest.approx(share, abs=1e-6)
        assert (planned.truth == 0).mean() == pytest.approx(share, abs=0.02)
        assert metrics["roc_auc"](planned.truth == 0, column) == pytest.approx(0.85, abs=0.04)


def test_contradictions():
    for answers in (
        {"costs": "misses", "fp": 1},
        {"task": "regression", "purpose": "decision"},
        {"task": "binary", "average": "macro"},
        {"purpose": "unknown", "costs": "known"},
        {"purpose": "decision", "quality": "ranking"},
        {"fp": 0, "fn": 0},
        {"shortlist": 3, "task": "binary"},
        {"task": "multiclass", "purpose": "unknown", "single": "no"},
    ):
        with pytest.raises(UsageError) as caught:
            advise(**answers)
        assert caught.value.code == "E_CONTRADICTION", answers


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"purpose": "decison"}, "did you mean 'decision'?"),
        ({"purpose": 3}, "not an answer"),
        ({"fn": "many"}, "not a finite number"),
        ({"fn": float("nan")}, "not a finite number"),
        ({"fp": -1}, "must be at least 0"),
        ({"fn": -0.5}, "must be at least 0"),
        ({"capacity": 1.5}, "must be below 1"),
        ({"capacity": 0}, "must be above 0"),
        ({"level": 1}, "must be below 1"),
        ({"precision": 1.1}, "must be at most 1"),
        ({"cost_matrix": [[0, 1], [5, 0]]}, "is for two classes: give their costs as fp and fn"),
        ({"shortlist": 2.5}, "whole number"),
        ({"difference": True}, "not a finite number"),
        ({"cost_matrix": [[0, 1], [1]]}, "not a square matrix"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "at least 0"),
        ({"cost_matrix": [[0, 0], [0, 0]]}, "not all 0"),
        ({"cost_matrix": [[0, float("inf")], [1, 0]]}, "finite costs"),
        ({"task": "binary"}, "purpose= is needed"),
        ({"task": "regression"}, "penalty= is needed"),
        ({"costs": "known", "task": "binary"}, "fp= is needed"),
        ({}, "task= is needed"),
    ],
    ids=str,
)
def test_wrong_answers(answers, words):
    with pytest.raises(UsageError) as caught:
        advise(**answers)
    assert words in caught.value.message
    assert caught.value.code == "E_ANSWERS"
