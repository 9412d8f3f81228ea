"""Scores at their edges: standard errors and intervals by NumPy and SciPy, tails by SciPy, rows seen several times."""

from __future__ import annotations

from math import exp, inf, log, nan, sqrt

import numpy as np
import pytest
from scipy import stats

import referee
from referee import Predictions
from referee.errors import RefereeError
from referee.predictions.units import Instants
from referee.scoring.derivatives import derivative, gradient
from referee.scoring.distributions import beta_quantile, binomial_cdf, binomial_sf, chi_square_tail, t_cdf
from referee.scoring.intervals import Spread, bessel, degrees_of_freedom, df_from_moments, interval, wilson
from referee.scoring.many_quantiles import beta_quantiles, t_quantiles
from referee.scoring.partitions import deal
from referee.scoring.residuals import tenths
from referee.scoring.time_order import DUST, TimeOrder, _alikeness
from referee.scoring.unit_intervals import _clopper_pearson

DRAW = np.random.default_rng(8)
ROWS = 61
TRUTH = DRAW.integers(0, 2, ROWS)
SHARES = np.round(np.clip(0.25 * TRUTH + DRAW.random(ROWS) * 0.75, 0.01, 0.99), 3)
AMOUNTS = DRAW.normal(size=ROWS)
FORECASTS = AMOUNTS + DRAW.standard_t(4, ROWS)


def score(truth, prediction, metric, **options):
    return referee.evaluate(truth, {"m": prediction}, metrics=metric, **options)["m", metric]


@pytest.mark.parametrize(
    ("metric", "losses"),
    [
        ("mae", np.abs(AMOUNTS - FORECASTS)),
        ("mse", (AMOUNTS - FORECASTS) ** 2),
    ],
)
def test_the_error_of_a_mean_and_its_interval_on_the_log_scale(metric, losses):
    found = score(AMOUNTS, FORECASTS, metric)
    error = losses.std(ddof=1) / sqrt(ROWS)
    kurtosis = stats.kurtosis(losses, fisher=False)
    df = max(1, min(ROWS - 1, 2 * ROWS / (kurtosis - 1)))
    step = stats.t.isf(0.025, df) * error / losses.mean()
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((losses.mean() * exp(-step), losses.mean() * exp(step)), rel=1e-9)


def test_the_error_of_a_median_by_hall_and_sheathers_reach():
    losses = np.abs(AMOUNTS - FORECASTS)
    reach = 0.97 * ROWS ** (-1 / 3)
    low, high = np.quantile(losses, [0.5 - reach, 0.5 + reach], method="interpolated_inverted_cdf")
    found = score(AMOUNTS, FORECASTS, "median_ae")
    assert found.value == np.median(losses)
    assert found.standard_error == pytest.approx((high - low) / (2 * reach) / 2 / sqrt(ROWS), rel=1e-9)


@pytest.mark.parametrize(
    ("ends", "value", "outside"),
    [
        ((0, 1), 0.9, (lambda v: log(v / (1 - v)), lambda x: 1 / (1 + exp(-x)))),
        ((-1, 1), 0.8, (lambda v: log((v + 1) / (1 - v)), lambda x: 2 / (1 + exp(-x)) - 1)),
        ((2, inf), 2.5, (lambda v: log(v - 2), lambda x: 2 + exp(x))),
        ((-inf, 1), 0.7, (lambda v: -log(1 - v), lambda x: 1 - exp(-x))),
        ((-inf, inf), 0.7, (lambda v: v, lambda x: x)),
    ],
)
def test_an_interval_on_the_scale_of_its_ends(ends, value, outside):
    """The delta method: on the other scale the error is multiplied by the slope there."""
    scale, back = outside
    slope = (scale(value + 1e-6) - scale(value - 1e-6)) / 2e-6
    reach = stats.t.isf(0.025, 12) * 0.03 * slope
    expected = back(scale(value) - reach), back(scale(value) + reach)
    assert interval(value, Spread(0.03**2, 12), ends, 0.05, 50) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("ends", "width"), [((0, 1), 1), ((-1, 1), 2), ((0, 5), 5)])
def test_an_interval_at_an_end_is_clopper_and_pearsons(ends, width):
    room = width * (1 - stats.beta.ppf(0.025, 20, 1))
    assert interval(ends[1], Spread(0.0, 1), ends, 0.05, 20) == pytest.approx((ends[1] - room, ends[1]), rel=1e-12)
    assert interval(ends[0], Spread(0.0, 1), ends, 0.05, 20) == pytest.approx((ends[0], ends[0] + room), rel=1e-12)
    assert interval(ends[0], Spread(0.0, 1), ends, 0.05, nan) == (ends[0], ends[0])


def test_degrees_of_freedom_by_scipys_kurtosis():
    changes = DRAW.standard_t(3, 40)
    changes -= changes.mean()
    expected = 2 * 40 / (stats.kurtosis(changes, fisher=False) - 1)
    assert 1 < expected < 39
    assert degrees_of_freedom(changes) == pytest.approx(expected, rel=1e-12)
    assert degrees_of_freedom(np.array([1.0, -1.0])) == 1
    assert df_from_moments(10, 0.0, 0.0) == df_from_moments(10, 1e200, 1e300) == 1
    assert (bessel(2), bessel(1)) == (2, inf)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 31])
def test_tails_are_scipys(df):
    for value in (1e-12, 0.5, 3.0, 40.0, 700.0):
        assert chi_square_tail(df, value) == pytest.approx(stats.chi2.sf(value, df), rel=1e-9, abs=1e-300)
    assert (chi_square_tail(df, 0.0), chi_square_tail(df, -1.0), chi_square_tail(df, inf)) == (1, 1, 0)
    for value in (-40.0, -2.0, 0.0, 0.3, 7.0):
        assert t_cdf(df, value) == pytest.approx(stats.t.cdf(value, df), rel=1e-9)
    for p in (1e-9, 0.025, 0.5, 0.8, 0.999):
        assert t_quantiles(np.array([df, inf]), p).tolist() == pytest.approx(
            [stats.t.ppf(p, df), stats.norm.ppf(p)], rel=1e-8, abs=1e-12
        )
        assert beta_quantile(df + 0.5, 2.5, p) == pytest.approx(stats.beta.ppf(p, df + 0.5, 2.5), rel=1e-8)
        assert beta_quantiles(np.array([df + 0.5]), np.array([2.5]), p)[0] == pytest.approx(
            stats.beta.ppf(p, df + 0.5, 2.5), rel=1e-8
        )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("units", [1, 9, 3000])
def test_counts_of_wins_are_scipys(share, units):
    for wins in {-1, 0, units // 3, units - 1, units, units + 1}:
        assert binomial_cdf(wins, units, share) == pytest.approx(stats.binom.cdf(wins, units, share), abs=1e-12)
        assert binomial_sf(wins, units, share) == pytest.approx(stats.binom.sf(wins, units, share), abs=1e-12)


def test_wilsons_interval_is_scipys():
    for wins, units in ((0, 5), (3, 5), (5, 5), (870, 1000)):
        theirs = stats.binomtest(wins, units).proportion_ci(method="wilson")
        assert wilson(wins, units, 0.05) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)


def test_derivatives_by_hand():
    assert derivative(lambda x: np.sqrt(x) * 3, np.array([4.0, 0.25])).tolist() == pytest.approx([0.75, 3.0])
    # At a cut the slope of one side counts; of |x| a complex step says nothing.
    assert derivative(np.abs, np.array([-2.0, 3.0])).tolist() == pytest.approx([-1.0, 1.0])
    assert derivative(lambda x: np.where(np.real(x) > 1, 1.0, x), np.array([1.0]))[0] == pytest.approx(1.0)
    assert gradient(lambda at: at[:, 0] ** 2 / at[:, 1], np.array([3.0, 2.0])).tolist() == pytest.approx([3, -2.25])


@pytest.mark.parametrize("metric", ["brier", "log_loss", "roc_auc", "accuracy", "f_beta", "average_precision"])
def test_rows_seen_several_times(metric):
    times = DRAW.integers(0, 4, ROWS)
    repeated = score(np.repeat(TRUTH, times), np.repeat(SHARES, times), metric, positive=1)
    counted = score(TRUTH, SHARES, metric, positive=1, weight=times, weight_kind="frequency")
    for part in ("value", "low", "high", "standard_error"):
        assert getattr(counted, part) == pytest.approx(getattr(repeated, part), rel=1e-9), part


@pytest.mark.parametrize(("metric", "losses"), [("rae", np.abs), ("rrse", np.square), ("r2", np.square)])
def test_a_row_moves_the_mean_that_is_the_yardstick(metric, losses):
    """The jackknife, whose error agrees with that of influences on many rows."""
    draw = np.random.default_rng(9)
    truth = draw.normal(3, 1, 400)
    guess = truth + draw.normal(0, 0.7, 400)

    def value(rows):
        share = losses(truth[rows] - guess[rows]).sum() / losses(truth[rows] - truth[rows].mean()).sum()
        return {"rae": share, "rrse": sqrt(share), "r2": 1 - share}[metric]

    left_out = np.array([value(np.arange(400) != row) for row in range(400)])
    found = score(truth, guess, metric)
    assert found.value == pytest.approx(value(slice(None)))
    jackknife = sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(jackknife, rel=0.02)


def test_the_most_that_lift_can_be():
    """All rows at the top are positive: the exact bound of so many of so many."""
    truth, scores = np.arange(100) < 20, np.linspace(1, 0, 100)
    found = score(truth, scores, "lift(top=0.1)", positive=True)
    assert found.value == pytest.approx(5)
    assert found.low == pytest.approx(5 * stats.beta.ppf(0.025, 10, 1))
    assert 5 < found.high <= 10
    fewer = score(truth, np.where(np.arange(100) % 3 == 0, 0.5, 0) + scores / 2, "lift(top=0.1)", positive=True)
    assert fewer.value == pytest.approx(7 / 2)
    assert fewer.low < 3.5 < fewer.high <= 10


def test_a_perfect_ranking_is_as_sure_as_two_shares():
    """Jeffreys' lower ends of 6 of 6 and 9 of 9, joined as the errors of a mean of two."""
    truth = np.arange(15) < 6
    found = score(truth, np.where(truth, 0.9, 0.1) + np.arange(15) / 1000, "roc_auc", positive=True)
    room = np.hypot(*(1 - stats.beta.ppf(0.025, rows + 0.5, 0.5) for rows in (6, 9))) / 2
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - room, rel=1e-9)


def test_a_score_by_name_is_that_of_all_rows():
    place = np.where(np.arange(ROWS) < 20, "here", "there")
    sliced = referee.evaluate(TRUTH, {"m": SHARES}, metrics="brier", by={"place": place}, positive=1)
    assert sliced["m", "brier"].value == pytest.approx(np.mean((SHARES - TRUTH) ** 2))
    with pytest.raises(KeyError):
        sliced["other", "brier"]


def test_a_metric_as_a_function_refuses_what_it_cannot_use():
    with pytest.raises(RefereeError, match="probabilit"):
        referee.metrics["log_loss"]([0, 1, 1], [2.5, 3.0, -1.0])
    assert referee.metrics["mae"]([1.0, 2.0], [1.5, 2.0]) == 0.25


def test_the_screen_names_errors_and_kinds_of_intervals():
    shown = referee.evaluate(TRUTH, {"m": SHARES}, metrics="brier, roc_auc", positive=1)
    text = shown.to_markdown()
    for metric in ("brier", "roc_auc"):
        assert f"{shown['m', metric].standard_error:.4f}" in text
        assert shown["m", metric].interval in text


def test_neighbours_in_time_by_their_correlation():
    """Of single rows and of pairs, without the bias of Marriott and Pope."""
    draw = np.random.default_rng(16)
    rows = 5 + np.convolve(draw.normal(size=1002), [1, 0.8, 0.5], "valid")
    found = dict(_alikeness(rows))
    for block in (1, 2):
        means = rows.reshape(-1, block).mean(axis=1)
        off = means - means.mean()
        alike = (off[1:] * off[:-1]).sum() / (off**2).sum()
        assert found[block] == pytest.approx(alike + (1 + 3 * alike) / len(means), rel=1e-9)
    # Rows that differ by rounding alone have nothing in common.
    level = 1 + sqrt(DUST / 10) * np.where(np.arange(60) % 2, 1, -1)
    assert next(iter(_alikeness(level)))[1] == pytest.approx(1 / 60)


def test_groups_are_dealt_as_wholes():
    group = np.repeat([0, 1, 2], 10)
    predictions = Predictions.from_arrays(np.arange(30) % 2, {"m": np.linspace(0, 1, 30)}, group=group)
    with pytest.raises(RefereeError, match="3 groups of rows"):
        deal(predictions, 5, seed=0)
    dealt = deal(predictions, 3, seed=0)[0]
    assert all(len(set(dealt[group == each])) == 1 for each in range(3))


def test_numbers_of_a_formula_are_those_of_its_class():
    truth, said = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([0, 1, 1, 1, 2, 0, 2])
    scores = referee.evaluate(truth, {"m": said}, metrics="recall", task="multiclass")
    each = {row.class_: row.value for row in scores.rows if row.class_ is not None}
    assert each == pytest.approx({"0": 1 / 2, "1": 1.0, "2": 2 / 3})


def test_tenths_of_twenty_values_are_pairs():
    assert [rows.tolist() for rows in tenths(np.arange(20.0))] == [[row, row + 1] for row in range(0, 20, 2)]


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_exact_intervals_of_many_shares_are_scipys(alpha):
    hits, rows = np.array([0.0, 3.0, 7.0, 10.0]), np.full(4, 10.0)
    low, high = _clopper_pearson(hits, rows, alpha)
    for place, hit in enumerate(hits):
        known = stats.binomtest(int(hit), 10).proportion_ci(1 - alpha, "exact")
        assert (low[place], high[place]) == pytest.approx((known.low, known.high), abs=1e-12)


def test_a_perfect_ranking_of_folds_is_no_certainty():
    """Each fold's interval is that of its rows alone."""
    fold, truth = np.repeat([0, 1], 30), np.tile([0, 1], 30)
    scores = truth + DRAW.random(60) / 2
    rows = referee.evaluate(truth, {"m": scores}, metrics="roc_auc", fold=fold).to_dict()["scores"]
    folds = [row for row in rows if row["unit"] in ("0", "1") and row["metric"] == "roc_auc"]
    alone = score(truth[:30], scores[:30], "roc_auc")
    assert len(folds) == 2
    assert [row["low"] for row in folds] == pytest.approx([alone.low] * 2, abs=1e-9)
    assert alone.low < 1


def test_moments_of_classes_are_enlarged():
    order = TimeOrder(Instants.of(np.arange(3)), None, np.array([2.0, 1.0, 4.0]))
    assert order.sums(np.array([1.0, 2.0, 3.0])).tolist() == [2.0, 2.0, 12.0]
