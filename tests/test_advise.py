"""Advice on the goal: over all answers, from data, and with sizes computed by hand."""

from __future__ import annotations

import shlex
from math import ceil

import click
import numpy as np
import pytest

from referee import Predictions, advise, metrics
from referee.advice.advising import Advice
from referee.advice.answers import Answers
from referee.advice.choosing import choose, metrics_of
from referee.advice.next_command import next_command
from referee.advice.questions import QUESTIONS
from referee.advice.rules import RULES
from referee.advice.sample_size import planning_predictions, rows_needed
from referee.cli.commands import referee as command_line
from referee.columns.roles import metric_list
from referee.errors import UndefinedError, UsageError

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
        ({"task": "multiclass", "purpose": "unknown"}, "log_loss"),
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


NUMBERS = {
    "fp": [1], "fn": [5], "cost_matrix": [[[0, 1, 2], [1, 0, 2], [5, 5, 0]]], "precision": [None, 0.6],
    "recall": [None, 0.3], "beta": [None, 2], "capacity": [None, 0.05], "shortlist": [None, 3], "level": [0.9],
    "difference": [None],
}  # fmt: skip


def all_answers(answers, skipped=frozenset()):
    """Every way through the questions."""
    question = next((one for one in answers.open_questions() if one.key not in skipped), None)
    if question is None:
        yield answers
        return
    for value in list(question.options) or NUMBERS[question.key]:
        if value is None:
            yield from all_answers(answers, skipped | {question.key})
        else:
            yield from all_answers(answers.also(question.key, value), skipped)


EVERY = list(all_answers(Answers()))


def test_there_are_many_ways():
    assert len(EVERY) > 300
    assert {key for answers in EVERY for key in answers.given} | {"difference"} == {one.key for one in QUESTIONS}


def test_all_answers_lead_to_a_goal():
    """It applies to the task, nothing is both recommended and avoided, every reason has a source."""
    reached = set()
    for answers in EVERY:
        choice = choose(answers.completed().all, metrics_of(answers["task"]))
        assert choice is not None, answers.given
        recommended = {choice.goal.name} | {one.metric.name for one in choice.watched}
        assert answers["task"] in choice.goal.tasks
        assert not recommended & {name for one in choice.avoided for name in one.metrics}, answers.given
        assert choice.goal.name not in {one.metric.name for one in choice.watched}
        reasons = [*choice.reasons, *(one.reason for one in (*choice.watched, *choice.avoided))]
        assert all(one.text and one.source for one in reasons)
        reached |= recommended
    assert set(metrics) - reached == set(), "no answers lead there: write a rule"


def test_the_best_goal_is_never_a_matter_of_the_alphabet():
    for answers in EVERY:
        known = answers.completed().all
        holding = [rule for rule in RULES if rule.effect == "goal" and rule.holds(known)]
        weights = sorted(sum(r.weight for r in holding if r.speaks_of(m)) for m in metrics_of(known["task"]))
        assert weights[-1] > weights[-2], answers.given


def test_every_rule_is_used_and_speaks_of_a_metric():
    known = [answers.completed().all for answers in EVERY]
    for rule in RULES:
        assert any(rule.holds(one) for one in known), rule
        assert any(rule.speaks_of(metric) for metric in metrics.values()), rule
        names = rule.metric.get("name", ())
        assert set([names] if isinstance(names, str) else names) <= set(metrics), rule


def parsed(line):
    """What click makes of a command; it raises where that is no command."""
    program, name, *arguments = shlex.split(line)
    assert program == "referee"
    with command_line.make_context("referee", [name, *arguments], resilient_parsing=False) as context:
        command = command_line.get_command(context, name)
        return command.make_context(name, list(arguments)).params


def test_every_next_command_parses():
    choices = [choose(answers.completed().all, metrics_of(answers["task"])) for answers in EVERY]
    kinds = [{}, {"sources": ["a b.csv"], "options": ["--truth", "it's"], "models": 1}]
    lines = {next_command(one.goal, [w.metric for w in one.watched], **kind) for one in choices for kind in kinds}
    assert len(lines) > 100
    for line in lines:
        try:
            given = parsed(line)
        except click.ClickException as error:
            pytest.fail(f"{line}: {error}")
        assert given["goal"] in metrics
        assert all(name in metrics for name in metric_list(given["metrics"])), line


def test_every_advice_is_complete():
    for answers in EVERY[::7]:
        advice = advise(**answers.given)
        assert isinstance(advice, Advice)
        assert advice.cannot_see == advice.goal.blind_to
        assert advice.rows_needed.basis
        assert advice.to_dict()["goal"] == advice.goal.full_name


def test_rows_of_a_proportion_by_hand():
    """(1.96 + 0.84)² x variance / difference²; an accuracy a has variance a (1 - a), with n - 1 for n."""
    answers = HARD | {"balance": "balanced", "costs": "equal", "difference": 0.01}
    planned = planning_predictions("binary", rare=False)
    accuracy = float((np.argmax(np.stack(planned.models[0].class_scores), axis=0) == planned.truth).mean())
    n = planned.rows
    exact = (1.959963984540054 + 0.8416212335729143) ** 2 * accuracy * (1 - accuracy) * n / (n - 1) / 0.01**2
    assert advise(**answers).rows_needed.rows == ceil(exact)


def test_rows_of_rmse_by_hand():
    """Normal errors: the squared ones have variance 2 s⁴, so RMSE has s² / 2 a row; 5 % of it need 7.85 x 200."""
    found = advise(task="regression", penalty="large").rows_needed
    assert found.difference == pytest.approx(0.05, rel=0.03)
    assert found.rows == pytest.approx(7.8489 * 0.5 / 0.05**2, rel=0.07)


def test_half_the_difference_needs_four_times_the_rows():
    one, half = (advise(**HARD, costs="misses", difference=d).rows_needed.rows for d in (0.04, 0.02))
    assert half == pytest.approx(4 * one, abs=4)


def test_planned_probabilities_are_calibrated():
    for rare, share in ((False, 0.5), (True, 0.05)):
        planned = planning_predictions("binary", rare=rare)
        column = planned.models[0].class_scores[0]
        assert column.mean() == pytest.approx(share, abs=1e-6)
        assert (planned.truth == 0).mean() == pytest.approx(share, abs=0.02)
        assert metrics["roc_auc"](planned.truth == 0, column) == pytest.approx(0.85, abs=0.04)


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
    from referee import compare

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
    with pytest.raises(UndefinedError, match="log_loss would be the goal, but it needs probabilities"):
        advise(logits, purpose="probabilities", quality="calibration")


def test_contradictions():
    for answers in (
        {"costs": "misses", "fp": 1},
        {"task": "regression", "purpose": "decision"},
        {"task": "binary", "average": "macro"},
        {"purpose": "unknown", "costs": "known"},
        {"purpose": "decision", "quality": "ranking"},
        {"fp": 0, "fn": 0},
        {"shortlist": 3, "task": "binary"},
    ):
        with pytest.raises(UsageError) as caught:
            advise(**answers)
        assert caught.value.code == "E_CONTRADICTION", answers


def test_data_that_contradict(predictions):
    with pytest.raises(UsageError, match="the truth is binary"):
        advise(predictions, task="regression", penalty="large")
    of_three = Predictions.from_arrays(np.arange(30) % 3, {"m": np.full((30, 3), 1 / 3)}, task="multiclass")
    with pytest.raises(UsageError, match="for 2 classes; the data have 3"):
        advise(of_three, cost_matrix=[[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"purpos": "decision"}, "did you mean 'purpose'?"),
        ({"purpose": "decison"}, "did you mean 'decision'?"),
        ({"purpose": 3}, "no answer"),
        ({"fn": "many"}, "not a finite number"),
        ({"fn": float("nan")}, "not a finite number"),
        ({"fp": -1}, "must be above 0"),
        ({"capacity": 1.5}, "must be below 1"),
        ({"capacity": 0}, "must be above 0"),
        ({"level": 1}, "must be below 1"),
        ({"precision": 1.1}, "must be"),
        ({"shortlist": 2.5}, "whole number"),
        ({"difference": True}, "not a finite number"),
        ({"cost_matrix": [[0, 1], [1]]}, "not a square matrix"),
        ({"cost_matrix": [[0, -1], [1, 0]]}, "at least 0"),
        ({"cost_matrix": [[0, 0], [0, 0]]}, "not all 0"),
        ({"cost_matrix": [[0, float("inf")], [1, 0]]}, "finite costs"),
        ({"task": "binary"}, "--purpose is needed"),
        ({"task": "regression"}, "--penalty is needed"),
        ({"costs": "known", "task": "binary"}, "--fp is needed"),
        ({}, "--task is needed"),
    ],
    ids=str,
)
def test_wrong_answers(answers, words):
    with pytest.raises(UsageError) as caught:
        advise(**answers)
    assert words in caught.value.message
    assert caught.value.code == "E_ANSWERS"


def test_rows_needed_where_there_is_no_spread():
    perfect = Predictions.from_arrays([0, 1] * 30, {"m": [0.0, 1.0] * 30})
    assert rows_needed(metrics["accuracy"], {}, perfect).rows is None
