"""Win rates: of scores and of judgements, by NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import referee
from referee.errors import RefereeError


def items(rows=90):
    draw = np.random.default_rng(4)
    return {"a": draw.integers(1, 6, rows) + 1, "b": draw.integers(1, 6, rows), "c": draw.integers(1, 6, rows)}


def wins(one, other):
    return (one > other) + 0.5 * (one == other)


def test_of_two_models():
    scores = {name: items()[name] for name in ("a", "b")}
    won = wins(scores["a"], scores["b"])
    verdict = referee.compare(scores, task="scores", goal="win_rate")
    assert verdict.scores["a", "win_rate"].value == pytest.approx(won.mean(), rel=1e-12)
    assert verdict.scores["a", "win_rate"].standard_error == pytest.approx(stats.sem(won), rel=1e-9)
    assert verdict.comparisons[0].statistic == pytest.approx(stats.ttest_rel(won, 1 - won).statistic, rel=1e-9)


def test_of_three_models_each_is_set_against_both_others():
    scores = items()
    found = referee.evaluate(scores, task="scores", metrics=["win_rate"])
    for name, others in (("a", "bc"), ("b", "ac"), ("c", "ab")):
        expected = np.mean([wins(scores[name], scores[other]) for other in others])
        assert found[name, "win_rate"].value == pytest.approx(expected, rel=1e-12)


def test_lower_scores_may_win():
    found = referee.evaluate(items(), task="scores", better="lower", metrics=["win_rate"])
    turned = referee.evaluate({name: -scores for name, scores in items().items()}, task="scores", metrics=["win_rate"])
    assert [row.value for row in found] == [row.value for row in turned]
    assert referee.compare(items(), task="scores", better="lower", goal="win_rate").best != "a"


def test_slices_are_won_within_themselves():
    scores = items() | {"topic": ["x", "y", "z"] * 30}
    found = referee.evaluate(scores, task="scores", by="topic", metrics=["win_rate"])
    part = slice(0, None, 3)
    expected = np.mean([wins(scores["b"][part], scores[other][part]) for other in "ac"])
    row = next(row for row in found if (row.model, row.slice) == ("b", "x"))
    assert row.value == pytest.approx(expected, rel=1e-12)


def judged(**changed):
    return {"winner": ["new", "old", "Tie", "new", "new"] * 12, "prompt": [*range(30)] * 2} | changed


def test_judgements_are_scores_of_two_models():
    by_judges = referee.compare(judged(), task="scores", winner="winner", goal="win_rate", group="prompt")
    new = [1, 0, 0.5, 1, 1] * 12
    as_scores = {"new": new, "old": [1 - one for one in new], "prompt": judged()["prompt"]}
    by_scores = referee.compare(as_scores, task="scores", models=["new", "old"], goal="win_rate", group="prompt")
    assert by_judges.sentence == by_scores.sentence
    assert by_judges.scores["new", "win_rate"].value == pytest.approx(0.7, rel=1e-12)


def test_a_model_that_never_won():
    always = judged(winner=["new"] * 30 + ["tie"] * 30)
    found = referee.evaluate(always, task="scores", winner="winner", models=["new", "old"], metrics=["win_rate"])
    assert found["old", "win_rate"].value == 0.25


@pytest.mark.parametrize(
    ("columns", "said", "code", "words"),
    [
        (judged(winner=["a", "b", "c"] * 20), {}, "E_WINNER", "names 'a', 'b' and 'c'"),
        (judged(winner=["a"] * 60), {}, "E_WINNER", "a judgement is between two models"),
        (judged(winner=["tie"] * 60), {}, "E_WINNER", "names no model"),
        (judged(), {"models": ["new", "other"]}, "E_WINNER", "and you asked for 'new' and 'other'"),
        (judged(winner=["new", None, "old"] * 20), {}, "E_MISSING", "column 'winner', row 2"),
        (judged(), {"winner": "winer"}, "E_NOCOL", "did you mean 'winner'?"),
        (judged(s=[1.0] * 60), {"model_column": "prompt", "score_column": "s"}, "E_ROLE", "is for judgements"),
    ],
)
def test_bad_judgements(columns, said, code, words):
    with pytest.raises(RefereeError) as caught:
        referee.compare(columns, **{"task": "scores", "winner": "winner", "goal": "win_rate", **said})
    assert caught.value.code == code
    assert words in caught.value.message


def test_one_model_has_nobody_to_win_over():
    with pytest.raises(RefereeError, match="there is only one"):
        referee.evaluate({"a": [1.0, 2.0, 3.0]}, task="scores", metrics=["win_rate"])


MET = {
    "model_a": ["a", "b", "a", "a", "c", "c"] * 10,
    "model_b": ["b", "c", "c", "b", "a", "b"] * 10,
    "winner": ["a", "b", "a", "tie", "a", "c"] * 10,
}
"""Who met whom: a and b in 20 rows, of which a has won 10 and 10 are ties."""


@pytest.mark.parametrize("by_side", [False, True])
def test_a_pair_of_many_models_has_its_own_rows(by_side):
    winner = ["model_a", "model_a", "model_a", "tie (bothbad)", "model_b", "model_a"] * 10 if by_side else MET["winner"]
    verdict = referee.compare(
        MET | {"winner": winner}, task="scores", winner="winner", goal="win_rate", models=["a", "b"]
    )
    won = np.array([1.0, 0.5] * 10)
    assert verdict.values == pytest.approx({"a": won.mean(), "b": 1 - won.mean()}, rel=1e-12)
    assert verdict.comparisons[0].statistic == pytest.approx(stats.ttest_rel(won, 1 - won).statistic, rel=1e-9)
    assert any("40 rows about other pairs" in note for note in verdict.predictions.notes)


def test_many_models_are_offered_pair_by_pair():
    with pytest.raises(RefereeError) as caught:
        referee.compare(MET, task="scores", winner="winner", goal="win_rate")
    assert caught.value.code == "E_WINNER"
    assert "models=['a', 'b']" in caught.value.hint and "a and c, 20 rows" in caught.value.hint
