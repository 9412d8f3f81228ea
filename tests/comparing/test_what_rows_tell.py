"""Verdicts whose rows lie elsewhere, are copies, are rare or are drawn again: against memory and SciPy."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import referee
from referee.comparing.margins import widest_difference
from referee.predictions import ReadOptions

DRAW = np.random.default_rng(61)
ROWS = 160
TRUTH = DRAW.integers(0, 2, ROWS)
MODELS = {"a": np.clip(0.3 * TRUTH + 0.7 * DRAW.random(ROWS), 0.01, 0.99), "b": DRAW.random(ROWS)}


def compared(*given, goal="brier", **more):
    return referee.compare(*given, goal=goal, positive=1, metrics="goal", **more)


@pytest.mark.parametrize(("goal", "folds"), [("brier", 1), ("roc_auc", 1), ("brier", 5)])
def test_rows_that_stay_in_a_database_have_the_same_verdict(goal, folds):
    """The difference by NumPy, all else as of the rows in memory."""
    fold = np.arange(ROWS) % folds
    expected = compared(TRUTH, MODELS, goal=goal, **({"fold": fold} if folds > 1 else {}))
    with duckdb.connect() as connection:
        connection.register("rows", pa.table({"y": TRUTH, "fold": fold, **MODELS}))
        connection.execute("create table t as select * from rows")
        options = {"models": ["a", "b"], "fold": "fold"} if folds > 1 else {"models": ["a", "b"]}
        verdict = compared(
            connection.table("t"), truth="y", goal=goal, options=ReadOptions(engine="database"), **options
        )
    (wanted,), (pair,) = expected.comparisons, verdict.comparisons
    assert (verdict.predictions.engine, verdict.outcome, verdict.winners) == ("database", "winner", expected.winners)
    assert (pair.a, pair.b) == ("a", "b")
    for part in ("difference", "p", "low", "high", "standard_error"):
        assert getattr(pair, part) == pytest.approx(getattr(wanted, part), rel=1e-6), part
    # What one cross-validation says of the procedures.
    assert ("procedures" in pair.details) is ("procedures" in wanted.details) is (folds > 1)
    assert pair.details.get("procedures", {}) == pytest.approx(wanted.details.get("procedures", {}), rel=1e-6)
    if goal == "brier":
        each = (MODELS["a"] - TRUTH) ** 2 - (MODELS["b"] - TRUTH) ** 2
        assert wanted.difference == pytest.approx(each.mean(), rel=1e-12)


def test_a_goal_that_needs_the_rows_says_so():
    with duckdb.connect() as connection:
        connection.register("rows", pa.table({"y": MODELS["a"] * 9, **MODELS}))
        options = ReadOptions(engine="database")
        with pytest.raises(referee.RefereeError, match="depends on the rows around it"):
            referee.compare(connection.table("rows"), truth="y", task="regression", goal="median_ae", options=options)


def test_copies_are_pointed_out_unless_they_are_a_group():
    again = np.repeat(np.arange(60), 3)
    models = {name: scores[again] for name, scores in MODELS.items()}
    plain = compared(TRUTH[again], models)
    grouped = compared(TRUTH[again], models, group=again)
    assert "120 rows of 180 repeat another row" in " ".join(notice.message for notice in plain.warnings)
    assert "W_DUPROWS" not in [notice.code for notice in grouped.warnings]
    once = compared(TRUTH[:60], {name: scores[:60] for name, scores in MODELS.items()}, group=np.arange(60))
    assert grouped.comparisons[0].p == pytest.approx(once.comparisons[0].p, rel=1e-9)


@pytest.mark.parametrize("flip", [1, -1])
def test_intervals_of_replicates_are_near_scipys(flip):
    """Bias-corrected and accelerated, of both signs of the difference."""
    models = MODELS if flip > 0 else {"a": MODELS["b"], "b": MODELS["a"]}
    (pair,) = compared(TRUTH, models, test="bootstrap").comparisons
    each = (models[pair.a] - TRUTH) ** 2 - (models[pair.b] - TRUTH) ** 2
    theirs = stats.bootstrap((each,), np.mean, method="BCa", n_resamples=4000, rng=1).confidence_interval
    assert pair.difference == pytest.approx(each.mean(), rel=1e-12)
    assert (pair.low, pair.high) == pytest.approx((theirs.low, theirs.high), abs=0.12 * (theirs.high - theirs.low))


@pytest.mark.parametrize(("positives", "known"), [(80, True), (24, True), (14, False)])
def test_what_to_expect_is_said_where_both_classes_have_a_tenth_of_the_rows(positives, known):
    truth = (np.arange(ROWS) < positives).astype(int)
    models = {"a": np.clip(0.2 * truth + 0.8 * DRAW.random(ROWS), 0, 1), "b": DRAW.random(ROWS)}
    assert (compared(truth, models, goal="roc_auc").expected is not None) is known


def test_the_most_that_two_models_can_differ_by():
    """Brier's score adds over the classes: at most 1 of two of them, and 2 of more, as of scores that are all wrong."""
    brier = referee.metrics["brier"]
    worst = {
        classes: referee.evaluate([1] * 5 + [0] * 5, {"m": np.eye(classes)[[0] * 5 + [1] * 5]}, metrics="brier",
                                  **({"positive": 1} if classes == 2 else {"classes": [0, 1, 2]}))
        for classes in (2, 3)
    }  # fmt: skip
    for classes, scores in worst.items():
        assert widest_difference(brier, None, classes) == scores["m", "brier"].value == classes - 1


def test_a_gate_says_what_its_answer_hangs_on():
    """The precision of a median is estimated from the scores around it, and so the answer is approximate."""
    scores = DRAW.normal(size=80)
    table = {"old": scores, "new": scores + 0.1 + 0.05 * DRAW.random(80)}
    said = {"goal": "median", "production": "old", "candidate": "new", "margin": 0.5}
    answer = referee.gate(table, task="scores", **said)
    reason = answer.verdict.approximate_reason
    assert (answer.outcome, reason is None) == ("pass", False)
    assert f"approximately, as {reason}" in answer.sentence
