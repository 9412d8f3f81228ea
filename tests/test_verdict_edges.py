"""Verdicts where little or nothing can be said: few rows, no variance, disagreement, contradicting options."""

from __future__ import annotations

import json

import numpy as np
import pytest

from referee import Predictions, compare, gate
from referee.errors import UsageError
from tests.test_compare import predictions, sample
from tests.test_verdict import GOALS


def test_two_or_three_rows_are_no_certainty():
    """At n = 2 the influences have kurtosis 1: the formula for the degrees of freedom alone would say infinity."""
    generator = np.random.default_rng(0)
    wins = 0
    for _ in range(300):
        truth = generator.normal(size=3)
        models = {name: truth + generator.normal(size=3) for name in "ab"}
        both = Predictions.from_arrays(truth, models, task="regression")
        wins += compare(both, "mae", metrics=["mae"]).comparisons[0].outcome != "tie"
    assert wins / 300 < 0.09


def test_a_random_test_of_data_sets_keeps_their_rows():
    truth, scores = sample(seed=2, strength=(1.0, 0.6))
    sets = np.arange(len(truth)) % 8
    several = Predictions.from_arrays(truth, scores, by="d", d=sets)
    options = {"unit": "slice", "by": "d", "metrics": ["roc_auc"]}
    random = compare(several, "roc_auc", test="bayes_signed_rank", **options)
    assert random.values == compare(several, "roc_auc", **options).values


def test_the_sentence_speaks_of_models_that_are_tied():
    """b is beaten clearly, c is noisy: a and c may be the best, and their difference is what is told."""
    generator = np.random.default_rng(0)
    truth = generator.normal(size=200)
    base = generator.normal(size=200)
    models = {
        "a": truth + base,
        "b": truth + base + np.sign(base) * 0.012,
        "c": truth + generator.normal(size=200) * 1.08,
    }
    verdict = compare(Predictions.from_arrays(truth, models, task="regression"), "mae", margin=0.05)
    assert set(verdict.winners) == {"a", "c"}
    pair = verdict.comparison("a", "c")
    assert f"{abs(pair.difference):.4f}" in verdict.sentence
    assert verdict.runner_up == verdict.winners[1]


def test_mcnemar_refuses_weights_and_groups():
    truth, scores = sample()
    for role in ("weight", "group"):
        with pytest.raises(UsageError, match="neither weights nor rows that belong together"):
            compare(
                Predictions.from_arrays(truth, scores, **{role: np.arange(len(truth)) % 7 + 1}),
                "accuracy",
                test="mcnemar",
            )


def test_a_constant_difference_has_no_interval_and_three_rows_pass_no_gate():
    truth = np.array([1.0, 2.0, 3.0])
    both = Predictions.from_arrays(truth, {"a": truth + 1, "b": truth + 2}, task="regression")
    verdict = compare(both, "mae", margin=0.5)
    (found,) = verdict.comparisons
    assert (found.low, found.high, found.p, verdict.outcome) == (None, None, 0.25, "tie")
    assert not gate(both, "mae", production="a", candidate="b", margin=1.5)


def test_a_few_data_sets_must_not_outweigh_the_others():
    """b is better on 11 of 12 data sets and far worse on one: neither the mean nor the ranks may decide alone."""
    rows, sets = 12 * 20, np.repeat(np.arange(12), 20)
    truth = np.linspace(0, 1, rows)
    worse = np.where(sets == 0, 3.0, 0.25 + 0.001 * sets)
    both = Predictions.from_arrays(truth, {"a": truth + 0.3, "b": truth + worse}, task="regression", by="d", d=sets)
    options = {"by": "d", "unit": "slice", "metrics": ["mae"]}
    verdict = compare(both, "mae", **options)
    assert verdict.outcome == "undecided"
    assert "outweigh" in verdict.sentence
    assert not gate(both, "mae", production="a", candidate="b", margin=0.1, by="d", unit="slice")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unit": "banana"}, "known are"),
        ({"subsets": 5, "unit": "fold"}, "give one of them"),
        ({"subsets": 2.5}, "whole number"),
        ({"partitions": 0, "subsets": 5}, "whole number"),
        ({"train_size": -3}, "at least one row"),
        ({"margin": 0.1, "alpha": 0.5}, "below 0.5"),
        ({"margin": -1}, "positive number"),
        ({"test": "tost(margin=0.1)"}, "names no winner"),
    ],
)
def test_contradictions_are_refused(options, words):
    with pytest.raises(UsageError, match=words):
        compare(predictions(), "accuracy", **options)


def test_extreme_options_are_survived():
    assert compare(predictions(), "accuracy", seed=-1, delta=1e-300).rows_to_separate is None
    truth = np.array([0, 1] * 20)
    sure, mild = np.where(np.arange(40) == 3, 0.0, truth), np.full(40, 0.5)
    infinite = compare(Predictions.from_arrays(truth, {"sure": sure, "mild": mild}), "log_loss(clip=0)")
    assert json.dumps(infinite.to_dict(), allow_nan=False)
    assert infinite.outcome == "undecided"


def test_frequency_weights_are_repeated_rows():
    truth, scores = sample(rows=80)
    times = np.arange(80) % 3 + 1
    weighted = Predictions.from_arrays(truth, scores, weight=times.astype(float), weight_kind="frequency")
    repeated = Predictions.from_arrays(np.repeat(truth, times), {m: np.repeat(s, times) for m, s in scores.items()})
    for goal in GOALS:
        one, many = (compare(p, goal, metrics=[goal]).comparisons[0] for p in (weighted, repeated))
        assert one.standard_error == pytest.approx(many.standard_error, rel=1e-9)
        assert one.df == pytest.approx(many.df, rel=1e-9)
