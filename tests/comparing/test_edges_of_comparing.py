"""Comparisons at their edges: power by SciPy's noncentral t, flips by trying all signs, what is shown turned around."""

from __future__ import annotations

from itertools import product
from math import inf, isinf, sqrt

import numpy as np
import pytest
from scipy import stats

import referee
from referee.comparing import Comparison, Design, contest_of, tests
from referee.comparing.all_pairs import _from_spread, kurtosis_df
from referee.comparing.boundaries import LookPlan, obrien_fleming_spending
from referee.comparing.checks import against_guessing
from referee.comparing.contender import _largest
from referee.comparing.group_pairs import SignFlips
from referee.comparing.looks import State
from referee.comparing.margins import widest_difference
from referee.comparing.mean_differences import mean_difference
from referee.comparing.power import Precision, rows_at_least, rows_to_pass, rows_to_separate, smallest_difference
from referee.comparing.ranks import MOST_UNITS, walsh_averages
from referee.comparing.replicate_intervals import Correction, by_replicates
from referee.comparing.sentence import certainty
from referee.errors import RefereeError
from referee.predictions import Predictions

PRECISIONS = [
    Precision(100, 4e-4, 99),
    Precision(100, 4e-4),
    Precision(40, 1e-3, 12, floor=2e-5, floor_df=4),
    Precision(40, 1e-3, 12, floor=2e-5),
    Precision(1, 1e-2, fixed_df=7),
]


def satterthwaite(precision, units):
    """The degrees of freedom of a sum of two variances, by the formula."""
    if precision.fixed_df is not None:
        return precision.fixed_df
    own = (precision.df + 1) * units / precision.units - 1
    own = max(1, min(units - 1, own)) if own < inf else inf
    falling = precision.variance * precision.units / units
    scatter = falling**2 / own + precision.floor**2 / precision.floor_df
    return (falling + precision.floor) ** 2 / scatter if scatter else inf


def scipys_power(precision, units, difference, alpha, sides):
    error = sqrt(precision.variance * precision.units / units + precision.floor)
    df = satterthwaite(precision, units)
    if isinf(df):
        return stats.norm.sf(stats.norm.isf(alpha / sides) - difference / error)
    return stats.nct.sf(stats.t.isf(alpha / sides, df), df, difference / error)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("sides", [1, 2])
class TestPower:
    def test_power(self, precision, sides):
        for units, difference in ((20, 0.05), (100, 0.05), (400, 0.02)):
            expected = scipys_power(precision, units, difference, 0.05, sides)
            assert precision.power(units, difference, 0.05, sides) == pytest.approx(expected, rel=1e-8)
            assert precision.power(units, -difference, 0.05, sides) == pytest.approx(expected, rel=1e-8)

    def test_the_smallest_difference_has_the_power(self, precision, sides):
        for units in (20, 100, 400):
            difference = precision.smallest_difference(units, 0.8, 0.05, sides)
            assert scipys_power(precision, units, difference, 0.05, sides) == pytest.approx(0.8, rel=1e-8)

    def test_one_unit_fewer_is_not_enough(self, precision, sides):
        difference = 0.06 if precision.fixed_df is None else 0.6
        units = precision.units_for(difference, 0.8, 0.05, sides)
        enough = scipys_power(precision, units, difference, 0.05, sides)
        assert enough >= 0.8 - 1e-9
        assert units == 1 or scipys_power(precision, units - 1, difference, 0.05, sides) < 0.8


def test_what_no_number_of_units_finds():
    precision = Precision(100, 1e-4, 99)
    assert precision.units_for(0.0, 0.8, 0.05) is None
    assert Precision(100, 0.0, 99).units_for(0.1, 0.8, 0.05) is None
    assert Precision(100, 1e-4, 99, floor=1e-2).units_for(0.1, 0.8, 0.05) is None
    # (1.959964 + 0.841621)^2 x 1e-2 / d^2 rows; a million times a million times the rows are more than anybody has.
    expected = (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2 * 1e-2
    assert precision.units_for(1e-6, 0.8, 0.05) == pytest.approx(expected * 1e12, rel=1e-6)
    assert precision.units_for(1e-8, 0.8, 0.05) is None


def test_rows_of_a_comparison():
    pair = Comparison(0.01, 0.3, "tie", low=-0.03, high=0.01, standard_error=0.01, df=99.0)
    precision = Precision(100, 1e-4, 99)
    assert rows_to_separate(100, pair, 0.02) == precision.units_for(0.02, 0.8, 0.05)
    assert rows_to_separate(100, pair, None) is None
    assert rows_at_least(100, pair) == precision.units_for(0.03, 0.8, 0.05)
    assert rows_to_pass(100, pair, 0.02) == precision.units_for(0.02, 0.8, 0.05, sides=1)
    for low, high in ((None, 0.01), (-0.03, None)):
        assert rows_at_least(100, Comparison(0.01, 0.3, "tie", low=low, high=high, standard_error=0.01)) is None
    found = smallest_difference(pair)
    assert stats.nct.sf(stats.t.isf(0.025, 99), 99, found / 0.01) == pytest.approx(0.8, rel=1e-8)
    assert smallest_difference(Comparison(0.0, 1.0, "tie", standard_error=0.0)) is None


def flipped_p(added, shares, delta):
    """By trying all signs: how many have a studentised sum that is as large as the one seen."""
    moved = added - delta * shares

    def size(signs):
        each = np.array(signs) * moved
        return abs(each.sum()) / np.sqrt(((each - shares * each.sum()) ** 2).sum())

    seen = size(np.ones(len(added)))
    return np.mean([size(signs) >= seen * (1 - 1e-9) for signs in product((1, -1), repeat=len(added))])


@pytest.mark.parametrize("groups", [4, 7, 10])
def test_sign_flips_by_trying_all_signs(groups):
    draw = np.random.default_rng(groups)
    added, shares = draw.normal(0.03, 0.05, groups), draw.random(groups)
    shares /= shares.sum()
    flips = SignFlips.of(added, shares)
    for delta in (0.0, 0.1, -0.2, flips.difference * 1.5):
        assert flips.p(delta) == pytest.approx(flipped_p(added, shares, delta), rel=1e-9)
    assert SignFlips.of(-added, shares).p() == flips.p()
    # Parts of size 1e-6 lie in the same order as large ones.
    assert SignFlips.of(1e-6 * added, shares).p() == flips.p()
    alpha = 0.2 if groups < 10 else 0.05
    low, high = flips.interval(alpha)
    width = high - low
    for end, side in ((low, -1), (high, 1)):
        assert flipped_p(added, shares, end - side * 1e-4 * width) >= alpha
        assert flipped_p(added, shares, end + side * 1e-4 * width) < alpha


def test_many_groups_are_flipped_at_random():
    draw = np.random.default_rng(13)
    added, shares = draw.normal(0.02, 0.05, 13), np.full(13, 1 / 13)
    exact = flipped_p(added, shares, 0.0)
    flips = SignFlips.of(added, shares, seed=1)
    assert flips.flipped.shape == (4, 9_999)
    assert flips.p() == pytest.approx(exact, abs=4 * sqrt(exact * (1 - exact) / 9_999))


def test_what_obrien_and_fleming_spend():
    for share, alpha in ((0.1, 0.05), (0.5, 0.025), (1.0, 0.05)):
        expected = 2 * stats.norm.sf(stats.norm.isf(alpha / 2) / sqrt(share))
        assert obrien_fleming_spending(share, alpha) == pytest.approx(expected, rel=1e-9)
    assert obrien_fleming_spending(0.0, 0.05) == 0
    plan = LookPlan(4, 400, 0.025)
    assert plan.spent(400) == plan.spent(1000) == pytest.approx(0.025)
    assert plan.spent(0) == 0
    assert plan.boundaries([100])[0] == pytest.approx(stats.norm.isf(plan.spent(100)), rel=1e-6)


def test_state_of_two_rows():
    state = State(2, 0.5, 0.02, 1.0, None)
    assert state.error == pytest.approx(sqrt(0.02 / (2 * 1)))
    assert state.lead_z(0.1) == pytest.approx(0.6 / 0.1)
    assert State(1, 0.5, 0.0, 1.0, None).error == inf


def test_degrees_of_freedom_of_all_pairs_by_scipys_kurtosis():
    draw = np.random.default_rng(1)
    pieces = draw.standard_t(5, (3, 60))
    pieces -= pieces.mean(axis=1, keepdims=True)
    found = kurtosis_df(pieces)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        each = pieces[a] - pieces[b]
        expected = min(59, 2 * 60 / (stats.kurtosis(each, fisher=False) - 1))
        assert found[a, b] == found[b, a] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("goal", ["mse", "r2"])
def test_all_pairs_at_once_on_either_side(goal):
    """Signed z of each pair, more than 0 where the first is better, as its own test has them."""
    draw = np.random.default_rng(2)
    truth = draw.normal(size=80)
    models = {name: truth + draw.normal(0, size, 80) for name, size in (("a", 0.5), ("b", 0.8), ("c", 0.6))}
    contest = contest_of(Predictions.from_arrays(truth, models), referee.metrics[goal])
    pieces = np.stack([contest.contenders[name].pieces for name in "abc"])
    found = _from_spread(contest, list("abc"), pieces @ pieces.T)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        pair = contest.compare(tests["influence"], "abc"[i], "abc"[j])
        better = (pair.difference > 0) == (goal == "r2")
        assert found[i, j] == pytest.approx((1 if better else -1) * stats.norm.isf(pair.p / 2), rel=0.05)


def test_a_comparison_seen_from_the_other_model():
    known = {"low": -0.3, "high": -0.1, "statistic": -4.0, "standard_error": 0.05, "a": "x", "b": "y"}
    for outcome, other in (("b", "a"), ("a", "b"), ("tie", "tie"), (None, None)):
        turned = Comparison(-0.2, 0.01, outcome, **known).seen_from("y")
        assert (turned.a, turned.b, turned.outcome) == ("y", "x", other)
        assert (turned.difference, turned.low, turned.high, turned.statistic) == (0.2, 0.1, 0.3, 4.0)
    assert Comparison(-0.2, 0.01, "b", **known).seen_from("x").difference == -0.2


@pytest.mark.parametrize("number", [1, 3, 5, 8, 9])
def test_rows_of_the_largest_sizes(number):
    sizes = np.array([2.0, 5, 1, 5, 5, 0, 2, 9])
    order = np.argsort(-sizes, kind="stable")[:number]
    assert _largest(sizes, number).tolist() == sorted(order.tolist())


def test_chance_where_no_guess_has_a_value():
    """No constant prediction has a correlation: the t of the value itself against 0 is asked."""
    draw = np.random.default_rng(3)
    truth = draw.normal(size=60)
    predictions = Predictions.from_arrays(truth, {"m": 0.3 * truth + draw.normal(size=60), "n": draw.normal(size=60)})
    contest = contest_of(predictions, referee.metrics["correlation"])
    found = against_guessing(contest, "m")
    spread = contest.contenders["m"].spread
    t = np.corrcoef(truth, predictions.model("m").values)[0, 1] / spread.standard_error
    assert found.guessed == 0
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), spread.df), rel=1e-9)
    assert found.better == (found.p < 0.05)


def test_signed_ranks_take_so_many_units_and_no_more():
    assert len(walsh_averages(np.zeros(4), 0.0)) == 10
    with pytest.raises(RefereeError, match="signed ranks take at most"):
        walsh_averages(np.zeros(MOST_UNITS + 1), 0.0)


@pytest.mark.parametrize(("folds", "repeats", "df"), [(5, 2, 4), (2, 5, 1), (10, 1, 9), (None, None, 9), (1, 10, 9)])
def test_degrees_of_freedom_of_overlapping_splits(folds, repeats, df):
    draw = np.random.default_rng(4)
    a, b = draw.random(10), draw.random(10)
    sizes = {"n_train": np.full(10, 90), "n_test": np.full(10, 10)}
    found = mean_difference(a, b, Design("splits", folds=folds, repeats=repeats, **sizes))
    assert found.df == df
    assert found.standard_error == pytest.approx(np.std(a - b, ddof=1) * sqrt(1 / 10 + 10 / 90))


def test_models_of_folds_are_two_lists_of_lists():
    test = next(test for test in tests.values() if test.takes == "folds")
    for data in (([[1, 2]],), ([[1, 2]], 3), (3, [[1, 2]]), ([[1, 2]], [[1, 2]], [[1, 2]])):
        with pytest.raises(RefereeError, match="two lists of lists"):
            test(*data, test_fraction=0.1)


def test_delta_is_told_apart_from_the_margin():
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 2, 200)
    models = {name: np.clip(truth * 0.3 + draw.random(200) * 0.7, 0, 1) for name in "ab"}
    options = {"goal": "brier", "metrics": "goal"}
    alone, both = (referee.compare(truth, models, **options, **more) for more in ({}, {"margin": 0.05}))
    other = referee.compare(truth, models, **options, margin=0.05, delta=0.02)
    assert (alone.delta, both.delta, other.delta, other.margin) == (None, 0.05, 0.02, 0.05)
    assert other.rows_to_separate == rows_to_separate(200, other.comparisons[0], 0.02)


def test_replicates_end_where_so_many_are_beyond():
    each = np.arange(1.0, 100.0)
    found = by_replicates(50.0, each, Design("rows"), Correction())
    assert (found.low, found.high) == (2.0, 98.0), "of 99 replicates 2.5 of a hundred lie below, and above"
    assert found.p == pytest.approx(2 * 0.01)
    few = by_replicates(2.0, np.array([1.0, 2.0, 3.0]), Design("rows"), Correction())
    assert (few.low, few.high) == (None, None)


def test_an_interval_with_one_end_is_not_shown():
    one_end = Comparison(0.25, 0.5, "tie", low=None, high=0.75)
    assert "interval" not in certainty(one_end)
    assert "interval 0.1250 to 0.7500" in certainty(Comparison(0.25, 0.5, "tie", low=0.125, high=0.75))


def test_the_widest_difference_is_the_range():
    assert widest_difference(referee.metrics["roc_auc"], None, 2) == 1
    assert widest_difference(referee.metrics["mcc"], None, 2) == 2
    assert widest_difference(referee.metrics["brier"], None, 2) == 1
    assert widest_difference(referee.metrics["brier"], None, 3) == 2
    assert widest_difference(referee.metrics["mae"], 0.75) == 0.75
    assert widest_difference(referee.metrics["mae"], None) is None


def test_copies_within_groups_are_no_surprise():
    draw = np.random.default_rng(3)
    truth, scores = np.tile(np.arange(100) % 2, 5), {name: np.tile(draw.random(100), 5) for name in "AB"}
    plain = referee.compare(truth, scores, goal="roc_auc")
    grouped = referee.compare(truth, scores, goal="roc_auc", group=np.tile(np.arange(100), 5))
    assert "W_DUPROWS" in [notice.code for notice in plain.warnings]
    assert "W_DUPROWS" not in [notice.code for notice in grouped.warnings]


def test_models_that_decide_alike_are_a_tie_however_few_they_call():
    truth = np.arange(60) % 2
    called = np.where(np.arange(60) < 4, 0.9, 0.1)
    verdict = referee.compare(truth, {"A": called, "B": called / 2 + 0.2}, goal="precision")
    assert verdict.outcome == "tie"
    assert verdict.comparisons[0].difference == 0


def test_the_best_of_many_is_kept_though_it_has_no_answer_with_one():
    draw = np.random.default_rng(5)
    truth = np.arange(60) % 2
    models = {f"m{number}": np.clip(truth * 0.5 + draw.random(60) * 0.6, 0, 1) for number in range(24)}
    verdict = referee.compare(truth, models | {"none": np.zeros(60)}, goal="precision", metrics="goal")
    assert verdict.outcome == "undecided"
    assert "precision of none is undefined" in verdict.sentence
    alone = referee.compare(truth, models, goal="precision", metrics="goal")
    assert alone.sentence.partition(";")[0] in verdict.sentence
