"""What verdicts warn of, at the edges: guessing, sorted rows, margins, ranks, models that decide alike."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import referee
from referee.comparing import Comparison, Design, tests
from referee.comparing.checks import cautions_of_guessing
from referee.comparing.group_pairs import SignFlips
from referee.comparing.in_time import _is_monotone
from referee.comparing.margins import Margin, against_margin
from referee.comparing.mean_differences import mean_difference, within_margin
from referee.comparing.question import why_rows
from referee.comparing.ranks import RankTable, f_details
from referee.comparing.sentence import _useful, blind_spot
from referee.comparing.slice_tests import _on_scale

DRAW = np.random.default_rng(67)


@pytest.mark.parametrize(
    ("better", "value", "said"),
    [
        ("higher", 0.4, "is worse than a baseline"),
        ("higher", 0.5, "is not shown to be better than a baseline"),
        ("higher", 0.5 - 1e-13, "is not shown"),
        ("higher", 0.6, "is not shown"),
        ("lower", 0.6, "is worse than a baseline"),
        ("lower", 0.4, "is not shown"),
        ("lower", 0.5 + 1e-7, "is worse than a baseline"),
    ],
)
def test_a_best_model_that_may_know_nothing(better, value, said):
    contest = SimpleNamespace(goal="g", metric=SimpleNamespace(better=better))
    guessing = SimpleNamespace(better=False, value=value, guessed=0.5, guess="the mean", p=0.25)
    (notice,) = cautions_of_guessing(contest, "best", guessing)
    assert said in notice.message
    assert ("p = 0.25" in notice.message) is ("not shown" in said)
    assert [*cautions_of_guessing(contest, "best", SimpleNamespace(better=True))] == []


@pytest.mark.parametrize(
    ("column", "expected"),
    [([1, 1, 2], True), ([3, 2, 2], True), ([1, 3, 2], False), ([2, 1, 3], False), ([1, 1, 1], True)],
)
def test_columns_in_order(column, expected):
    assert _is_monotone(np.array(column)) is expected


@pytest.mark.parametrize(
    ("relation", "said"),
    [
        ("practically equal", ", which is less than the margin of 0.0500"),
        ("a is better by more", ", by more than the margin of 0.0500"),
        ("cannot be said", ", though not certainly by more than the margin of 0.0500"),
    ],
)
def test_whether_a_lead_matters(relation, said):
    assert _useful(Margin(0.05, relation, -0.1, 0.1, True, True, False)) == said
    assert _useful(None) == ""


@pytest.mark.parametrize(
    ("ends", "better", "relation"),
    [
        ((-0.01, 0.02), "higher", "practically equal"),
        ((0.06, 0.09), "higher", "a is better by more"),
        ((0.06, 0.09), "lower", "b is better by more"),
        ((-0.09, -0.06), "higher", "b is better by more"),
        ((-0.09, -0.06), "lower", "a is better by more"),
        ((0.03, 0.07), "higher", "cannot be said"),
        ((-0.2, 0.2), "lower", "cannot be said"),
    ],
)
def test_an_interval_against_a_margin(ends, better, relation):
    pair = Comparison(sum(ends) / 2, 0.04, "a", low=ends[0], high=ends[1], a="x", b="y", standard_error=0.01)
    contest = SimpleNamespace(compare=lambda *_, **__: pair, design=SimpleNamespace(better=better))
    found = against_margin(contest, None, pair, 0.05)
    assert found.relation == relation
    low, high = ends if better == "higher" else (-ends[1], -ends[0])
    assert (found.a_not_worse, found.b_not_worse, found.a_is_worse) == (low > -0.05, high < 0.05, high < -0.05)
    nobody = Comparison(0.1, None, "tie", low=-0.1, high=0.1, a="x", b="y", undecided="few rows")
    assert against_margin(contest, None, nobody, 0.05).relation == "cannot be said"
    assert not against_margin(contest, None, nobody, 0.05).a_is_worse


@pytest.mark.parametrize("sides", [(1,), (-1,), (1, -1)])
def test_equivalence_by_scipys_one_sided_tests(sides):
    a, b = DRAW.normal(0.02, 0.1, 30), DRAW.normal(0, 0.1, 30)
    found = within_margin(mean_difference(a, b, Design("data_sets")), 0.05, sides, Design("data_sets"), "equivalent")
    each = a - b
    expected = max(stats.ttest_1samp(side * each, -0.05, alternative="greater").pvalue for side in sides)
    assert found.p == pytest.approx(expected, rel=1e-9)
    ends = stats.ttest_1samp(each, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high))


def test_ranks_of_iman_and_davenport_have_their_degrees_of_freedom():
    """k - 1 and (k - 1) (n - 1), with p by SciPy's F."""
    ranks = stats.rankdata(DRAW.random((8, 4)), axis=1)
    chi = 12 * 8 / (4 * 5) * ((ranks.mean(axis=0) - 2.5) ** 2).sum()
    f = 7 * chi / (8 * 3 - chi)
    found = f_details(RankTable(tuple("abcd"), ranks), f, stats.f.sf(f, 3, 21))
    assert found == {"statistic": f, "df": [3, 21], "p": stats.f.sf(f, 3, 21)}
    data = dict(zip("abcd", DRAW.random((4, 8)), strict=True))
    compared = tests["iman_davenport"](data)
    assert compared.df == 3


def test_yardsticks_of_rows_are_known_where_they_are_given():
    """Estimated from the rows themselves, they need these; a column or other folds do not."""
    assert "yardstick" in why_rows("probability_rae", {})
    assert why_rows("probability_rae", {"baseline": "base"}) is None
    assert why_rows("probability_rae", {"fold": "f"}) is None
    assert why_rows("brier", {}) is None


@pytest.mark.parametrize(("rows", "few"), [(999, True), (1000, False)])
def test_errors_that_few_rows_cannot_show(rows, few):
    predictions = SimpleNamespace(group=None, classes=(), rows_of_classes=())
    said = blind_spot(referee.metrics["mse"], Design("rows"), predictions, rows)
    assert said == (f" Errors rarer than 3 in {rows:,} rows cannot be judged." if few else "")
    in_groups = SimpleNamespace(group=range(12), classes=(), rows_of_classes=())
    assert "whole groups rarer than 3 in 12" in blind_spot(referee.metrics["mse"], Design("rows"), in_groups, 10**6)
    assert blind_spot(referee.metrics["mse"], Design("data_sets"), predictions, rows) == ""


@pytest.mark.parametrize(
    ("metric", "value"), [("accuracy", 0.7), ("kappa", 0.3), ("mse", 2.5), ("r2", 0.4), ("accuracy", 1.0)]
)
def test_values_on_an_even_scale_have_the_slope_there(metric, value):
    contender = SimpleNamespace(metric=referee.metrics[metric], value=value)
    near = SimpleNamespace(metric=referee.metrics[metric], value=value * (1 - 1e-6))
    (at, slope), (before, _) = _on_scale(contender, near)
    assert (at - before) / (value * 1e-6) == pytest.approx(slope, rel=1e-4)


def test_copies_are_no_surprise_among_rows_of_groups():
    draw = np.random.default_rng(3)
    truth, scores = np.tile(np.arange(40) % 2, 5), {name: np.tile(draw.random(40), 5) for name in "AB"}
    codes = [
        {notice.code for notice in referee.compare(truth, scores, goal="brier", metrics="goal", **roles).warnings}
        for roles in ({}, {"group": np.tile(np.arange(40), 5)})
    ]
    assert [("W_DUPROWS" in each) for each in codes] == [True, False]


def test_sums_of_few_signs_are_all_there_are():
    """The p of signs by trying each of them, also of a difference that is not 0 and with groups of unequal size."""
    added, shares = DRAW.normal(0.02, 0.05, 7), DRAW.dirichlet(np.ones(7))
    flips = SignFlips.of(added, shares, seed=0)
    assert flips.error == pytest.approx(np.sqrt(((added - added.sum() * shares) ** 2).sum()))
    low, high = flips.interval(0.3)
    assert low < added.sum() < high
    assert flips.p(low + 1e-6) >= 0.3 > flips.p(low - 1e-4)
    assert flips.p(high - 1e-6) >= 0.3 > flips.p(high + 1e-4)


def test_predictions_that_were_read_are_compared_as_they_are():
    truth, models = [0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.3, 0.4] * 20}
    known = referee.Predictions.from_arrays(truth, models)
    assert referee.compare(known, goal="brier").sentence == referee.compare(truth, models, goal="brier").sentence
    with pytest.raises(referee.RefereeError, match="goal"):
        referee.compare(known)
