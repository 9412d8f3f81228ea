"""Verdicts at their edges: slices by Welch, groups by their flips, what is said of weights, leads and tables."""

from __future__ import annotations

from math import log, sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import referee
from referee.comparing import Comparison
from referee.comparing.comparison import Differences
from referee.comparing.explained_formulas import table_of
from referee.comparing.group_pairs import SignFlips
from referee.comparing.looks import state_of
from referee.comparing.margins import small_difference, widest_difference
from referee.comparing.question import why_rows
from referee.metrics import accuracy, log_loss, r2

DRAW = np.random.default_rng(21)


def models_of(truth, *noise):
    return {
        name: np.clip(0.3 + 0.4 * truth + DRAW.normal(0, size, len(truth)), 0.01, 0.99)
        for name, size in zip("abc", noise, strict=False)
    }


def test_a_small_slice_by_welchs_degrees_of_freedom():
    """On the logit of its range: t is the difference there, with variances times the squares of the slopes."""
    high = referee.metrics["brier"].range[1]
    truth = DRAW.integers(0, 2, 90)
    place = np.where(np.arange(90) < 24, "few", "rest")
    truth[:24] = [0, 1] * 12
    models = models_of(truth, 0.3, 0.35)
    found = referee.compare(truth, models, goal="brier", metrics="goal", by={"place": place}).slices
    for name, scores in models.items():
        losses = (scores - truth) ** 2
        sides = [losses[place == "few"], losses[place == "rest"]]
        slopes = [1 / side.mean() + 1 / (high - side.mean()) for side in sides]
        own = [side.var(ddof=1) / len(side) * slope**2 for side, slope in zip(sides, slopes, strict=True)]
        kurtoses = [stats.kurtosis(side, fisher=False) for side in sides]
        df = [min(len(s) - 1, 2 * len(s) / (k - 1)) for s, k in zip(sides, kurtoses, strict=True)]
        joint = sum(own) ** 2 / sum(v**2 / each for v, each in zip(own, df, strict=True))
        x, y = (log(side.mean() / (high - side.mean())) for side in sides)
        expected = 2 * stats.t.sf(abs(x - y) / sqrt(sum(own)), joint)
        assert found.apart("few", name).p == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("of_class", "is_tested"), [(10, True), (9, False)])
def test_a_slice_needs_ten_rows_of_a_second_class(of_class, is_tested):
    truth = np.array([0] * 40 + [1] * of_class + [0, 1] * 40)
    place = np.where(np.arange(len(truth)) < 40 + of_class, "here", "there")
    found = referee.compare(truth, models_of(truth, 0.3, 0.4), goal="brier", metrics="goal", by={"place": place}).slices
    assert bool(found is not None and [test for test in found.tests if test.slice == "here"]) is is_tested


def test_groups_of_unequal_size_are_flipped():
    """What each group adds to the difference of the mean losses, with the share of the rows it holds."""
    sizes = [40, 25, 12, 9, 7, 5, 4, 4, 3, 3, 2, 2, 2, 1, 1]
    group = np.repeat(np.arange(len(sizes)), sizes)
    truth = DRAW.integers(0, 2, len(group))
    models = models_of(truth, 0.25, 0.3)
    verdict = referee.compare(truth, models, goal="brier", metrics="goal", group=group)
    (pair,) = verdict.comparisons
    losses = {name: (scores - truth) ** 2 for name, scores in models.items()}
    each = (losses[pair.a] - losses[pair.b]) / len(group)
    flips = SignFlips.of(np.bincount(group, each), np.array(sizes) / len(group), seed=0)
    assert pair.details["groups"]["test"] == "flips"
    assert pair.p == pytest.approx(flips.p(), abs=2e-4)
    assert (pair.low, pair.high) == pytest.approx(flips.interval(0.05), rel=0.02)
    ranked = referee.compare(truth, models, goal="roc_auc", metrics="goal", group=group).comparisons[0]
    assert ranked.details["groups"]["test"] == "both"


def test_a_margin_and_what_is_small():
    assert widest_difference(accuracy.metric, 0.5) == 1
    assert widest_difference(log_loss.metric, 0.69) == 0.69
    assert widest_difference(r2.metric, -0.25) == 1.25
    assert widest_difference(log_loss.metric, None) is None
    assert small_difference(log_loss.metric, 0.0) is None


def test_a_small_lead_is_called_small():
    truth = DRAW.integers(0, 2, 4000)
    base = np.clip(0.2 + 0.6 * truth + DRAW.normal(0, 0.1, 4000), 0.01, 0.99)
    models = {"a": base, "b": np.clip(base + np.where(truth == 1, -0.001, 0.001), 0.01, 0.99)}
    verdict = referee.compare(truth, models, goal="brier", metrics="goal")
    assert verdict.winners == ("a",)
    assert "small" in verdict.sentence
    far = {"a": base, "b": np.clip(base + np.where(truth == 1, -0.3, 0.3), 0.01, 0.99)}
    assert "small" not in referee.compare(truth, far, goal="brier", metrics="goal").sentence


def test_weights_make_few_rows_count():
    """Kish's number of rows, the square of the sum over the sum of squares."""
    truth = DRAW.integers(0, 2, 300)
    for heavy, is_said in ((300.0, True), (20.0, False)):
        weight = np.where(np.arange(300) < 3, heavy, 1.0)
        verdict = referee.compare(truth, models_of(truth, 0.2, 0.3), goal="brier", metrics="goal", weight=weight)
        said = [notice.message for notice in verdict.warnings if notice.code == "W_EFFECTIVE"]
        counts = weight.sum() ** 2 / (weight**2).sum()
        assert (bool(said), bool(counts < 30)) == (is_said, is_said)
        assert all(f"count as about {counts:,.3g}" in message for message in said)


def test_a_difference_that_only_rounding_moves():
    assert Differences(np.array([0.5, 0.5 + 1.9e-9]), 1e-9).are_constant
    assert not Differences(np.array([0.5, 0.5 + 2.5e-9]), 1e-9).are_constant


def test_squares_have_one_tail():
    """Chi-squared and F: alpha is in the upper tail."""
    known = {"critical": stats.f.isf(0.05, 10, 5), "df": 10.0, "details": {"df_denominator": 5.0}}
    table = table_of(Comparison(0.1, 0.01, "a", statistic=6.0, **known))
    assert table.two_sided is False
    chi = table_of(Comparison(0.1, 0.01, "a", statistic=6.0, critical=stats.chi2.isf(0.05, 3), df=3.0))
    assert chi.two_sided is False


def test_why_a_database_has_to_send_its_rows():
    assert why_rows("brier", {}) is None
    assert "time" in why_rows("brier", {"time": "day"})
    assert why_rows("brier", {"group": "g"}) is None
    assert why_rows("brier", {"fold": "f"}) is None
    assert "id" in why_rows("brier", {"id": "i", "fold": "f"})
    assert why_rows("brier", {"id": "i"}) is None
    assert why_rows("brier", {}, test="permutation")
    assert why_rows("brier", {}, test="permutation", unit="fold") is None
    assert "ledger" in why_rows("brier", {}, ledger="x.jsonl")
    assert "subsets" in why_rows("brier", {}, subsets=5)
    assert why_rows("brier", {"time": "day"}, unit="slice") is None


@pytest.mark.parametrize("goal", ["brier", "accuracy"])
def test_the_lead_of_a_look_is_positive_where_the_candidate_is_better(goal):
    truth = DRAW.integers(0, 2, 200)
    verdict = referee.compare(truth, models_of(truth, 0.15, 0.4), goal=goal, metrics="goal")
    (pair,) = verdict.comparisons
    state = state_of(verdict, SimpleNamespace(method="normal"), shards=False)
    better = 1 if goal == "accuracy" else -1
    assert state.lead == pytest.approx(better * pair.difference)
    assert state.error == pytest.approx(pair.standard_error)


def test_two_folds_are_too_few_to_look_normal():
    scores = {"fold": [1, 2], "a": [0.8, 0.9], "b": [0.7, 0.75]}
    verdict = referee.compare(scores, task="scores", fold="fold", models=["a", "b"], goal="mean", test="paired_t")
    assert not any(notice.code == "W_NOTNORMAL" for notice in verdict.warnings)
