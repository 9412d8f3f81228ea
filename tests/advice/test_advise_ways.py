"""Advice on the goal over all ways through the questions."""

from __future__ import annotations

import json
import shlex

import click
import pytest

from referee import metrics
from referee.advice import QUESTIONS, Answers, advise
from referee.advice.advice import next_command
from referee.advice.rule import choose, metrics_of
from referee.advice.rules import RULES
from referee.cli.commands import referee as command_line
from referee.predictions import metric_list
from referee.scoring import SCORES

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
        choice = choose(RULES, answers.completed().all, metrics_of(answers["task"]))
        assert choice is not None, answers.given
        recommended = {choice.goal.name} | {one.metric.name for one in choice.watched}
        assert answers["task"] in choice.goal.tasks
        assert not recommended & {name for one in choice.avoided for name in one.metrics}, answers.given
        assert choice.goal.name not in {one.metric.name for one in choice.watched}
        reasons = [*choice.reasons, *(one.reason for one in (*choice.watched, *choice.avoided))]
        assert all(one.text and one.source for one in reasons)
        reached |= recommended
    # Whoever has classes with an order names the metric and the order.
    with_truth = {name for name, metric in metrics.items() if metric.tasks != SCORES and not metric.ordinal}
    assert with_truth - reached == set(), "no answers lead there: write a rule"


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
    choices = [choose(RULES, answers.completed().all, metrics_of(answers["task"])) for answers in EVERY]
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
    """Rows can be planned; all that decided it is told as said or as assumed, and the same answers again lead there."""
    for answers in EVERY:
        advice = advise(**answers.given)
        told = json.loads(json.dumps(advice.to_dict()))
        assert told["rows_needed"]["rows"] > 10, answers.given
        assert told["answers"] == dict(answers.given)
        assert set(told["assumed"]) == {one.key for one in QUESTIONS if _is_assumed(one, answers)}
        again = advise(**told["answers"], **told["assumed"]).to_dict()
        assert again | {"answers": {}, "assumed": {}} == told | {"answers": {}, "assumed": {}}


def _is_assumed(question, answers):
    has_default = question.default is not None and question.key not in answers.given
    return has_default and question.arises(answers.completed().all)
