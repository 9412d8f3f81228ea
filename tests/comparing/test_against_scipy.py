"""Unit tests of significance against SciPy, enumeration and exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, inf

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from referee.comparing import tests
from referee.errors import UsageError
from tests.strategies import FEW_EXAMPLES

SPLITS = {"n_train": 90, "n_test": 10}
LECTURE = [0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06]


def of_differences(name, differences, **options):
    return tests[name](differences, [0.0] * len(differences), **options)


SMALL = st.lists(st.integers(-4, 4), min_size=1, max_size=10).filter(any)


def all_signings(ranks, observed):
    """The two-sided p of a rank sum, by going through all signs."""
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product((0, 1), repeat=len(ranks))
    ]
    return min(Fraction(1), 2 * Fraction(sum(one <= observed for one in sums), len(sums)))


@FEW_EXAMPLES
@given(SMALL, st.sampled_from(["drop", "pratt"]))
def test_exact_wilcoxon_by_enumeration(values, zeros):
    kept = np.array([value for value in values if value or zeros == "pratt"])
    ranks = stats.rankdata(np.abs(kept))
    positive, negative = (float(ranks[side].sum()) for side in (kept > 0, kept < 0))
    found = of_differences("wilcoxon", values, zeros=zeros)
    assert (found.statistic, found.details["negative_ranks"]) == (positive, negative)
    assert found.p == float(all_signings(ranks[kept != 0].tolist(), min(positive, negative)))


@FEW_EXAMPLES
@given(SMALL, st.booleans(), st.sampled_from(["wilcox", "pratt"]))
def test_normal_wilcoxon_as_scipy(values, correction, zeros):
    expected = stats.wilcoxon(values, method="approx", correction=correction, zero_method=zeros)
    settings = {"zeros": "pratt" if zeros == "pratt" else "drop", "correction": correction, "method": "normal"}
    found = of_differences("wilcoxon", values, **settings)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)
    assert min(found.statistic, found.details["negative_ranks"]) == expected.statistic


def test_exact_wilcoxon_of_many_units_as_scipy():
    values = np.random.default_rng(3).normal(0.3, 1, 200)
    expected = stats.wilcoxon(values, method="exact")
    assert of_differences("wilcoxon", values, method="exact").p == pytest.approx(expected.pvalue, rel=1e-10)


@FEW_EXAMPLES
@given(
    st.lists(st.integers(-20, 20), min_size=6, max_size=12),
    st.sampled_from(["drop", "pratt"]),
    st.sampled_from(["exact", "normal"]),
)
def test_wilcoxon_interval_excludes_0_where_it_is_significant(values, zeros, method):
    found = of_differences("wilcoxon", values, zeros=zeros, method=method, alpha=0.1)
    if found.low is not None and found.outcome != "tie":
        assert found.low >= 0 or found.high <= 0
    elif found.low is not None:
        assert found.low <= 0 <= found.high


def test_wilcoxon_interval():
    """Conover's construction without ties: the 9th smallest of 55 averages, as P(W <= 8) = 25/1024 < 0.025."""
    values = np.array([1.1, -0.4, 2.3, 0.7, 3.9, -1.2, 2.8, 5.1, 0.2, 1.9])
    averages = np.sort([(values[i] + values[j]) / 2 for i in range(10) for j in range(i, 10)])
    found = of_differences("wilcoxon", values)
    assert (found.low, found.high) == (averages[8], averages[-9])
    assert found.difference == np.median(averages)


@FEW_EXAMPLES
@given(st.integers(0, 60), st.integers(0, 60))
def test_sign_in_exact_fractions(wins, losses):
    found = of_differences("sign", [1] * wins + [-1] * losses + [0])
    units = wins + losses
    tail = Fraction(sum(comb(units, k) for k in range(min(wins, losses) + 1)), 2**units)
    assert found.p == pytest.approx(float(min(1, 2 * tail)), rel=1e-12)
    assert found.outcome == ("tie" if found.p >= 0.05 else "a" if wins > losses else "b")


@pytest.mark.parametrize(
    "call", ["sign", "wilcoxon", "wilcoxon(method=normal)", "wilcoxon(method=normal, correction=false)"]
)
def test_an_interval_is_the_other_face_of_the_test(call):
    """A value is in the interval just where differences less that value do not differ from 0."""
    values = np.random.default_rng(8).normal(0.4, 1, 23)
    found = of_differences(call, values)
    for inside in (found.low + 1e-6, found.high - 1e-6):
        assert of_differences(call, values - inside).outcome == "tie"
    for outside in (found.low - 1e-6, found.high + 1e-6):
        assert of_differences(call, values - outside).outcome != "tie"


@FEW_EXAMPLES
@given(st.lists(st.integers(-9, 9), min_size=10, max_size=10))
def test_five_by_two_in_exact_fractions(values):
    within = [Fraction(first - second) ** 2 / 2 for first, second in zip(values[::2], values[1::2], strict=True)]
    if not sum(within):
        return
    t, f = of_differences("five_by_two_t", values), of_differences("five_by_two_f", values)
    expected_t = values[0] / float(sum(within) / 5) ** 0.5
    expected_f = float(sum(Fraction(value) ** 2 for value in values) / (2 * sum(within)))
    assert t.statistic == pytest.approx(expected_t, rel=1e-12)
    assert t.p == pytest.approx(2 * stats.t.sf(abs(expected_t), 5), rel=1e-12)
    assert f.statistic == pytest.approx(expected_f, rel=1e-12)
    assert f.p == pytest.approx(stats.f.sf(expected_f, 10, 5), rel=1e-12)


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1, 0.2])
def test_margins_as_scipy(margin):
    above = stats.ttest_1samp(LECTURE, -margin, alternative="greater")
    below = stats.ttest_1samp(LECTURE, margin, alternative="less")
    found = of_differences("tost", LECTURE, margin=margin)
    assert found.p == pytest.approx(max(above.pvalue, below.pvalue), rel=1e-12)
    interval = stats.ttest_1samp(LECTURE, 0).confidence_interval(0.9)
    assert [found.low, found.high] == pytest.approx(list(interval), rel=1e-12)
    assert found.details["equivalent"] == (-margin < interval.low and interval.high < margin)
    higher = of_differences("non_inferiority", LECTURE, margin=margin)
    lower = of_differences("non_inferiority", LECTURE, margin=margin, better="lower")
    assert [higher.p, lower.p] == pytest.approx([above.pvalue, below.pvalue], rel=1e-12)


def test_margins_on_overlapping_splits_have_the_corrected_error():
    corrected = of_differences("corrected_resampled_t", LECTURE, **SPLITS)
    found = of_differences("tost", LECTURE, margin=0.2, **SPLITS)
    t = (0.2 - corrected.difference) / corrected.standard_error
    assert found.p == pytest.approx(stats.t.sf(t, 9), rel=1e-12)


def test_bayesian_t_as_scipy():
    found = of_differences("bayes_correlated_t", LECTURE, rope=0.02, rho=0.2)
    scale = np.std(LECTURE, ddof=1) * (0.1 + 0.2 / 0.8) ** 0.5
    posterior = stats.t(9, np.mean(LECTURE), scale)
    expected = [posterior.sf(0.02), posterior.cdf(0.02) - posterior.cdf(-0.02), posterior.cdf(-0.02)]
    assert [found.details[key] for key in ("a_better", "practically_equal", "b_better")] == pytest.approx(
        expected, rel=1e-10
    )
    by_sizes = of_differences("bayes_correlated_t", LECTURE, rope=0.02, n_train=8, n_test=2)
    assert by_sizes.details == pytest.approx(found.details, rel=1e-12)
    with pytest.raises(UsageError, match="rho=1"):
        of_differences("bayes_correlated_t", LECTURE, rho=1)


FOUR_SIGMA = 4 * (0.25 / 20_000) ** 0.5


@pytest.mark.parametrize("units", [2, 3, 5])
def test_bayesian_signed_rank_in_closed_form(units):
    """Of equal differences, only pairs of the prior with itself are equal: its weight is beta(1/2, n)."""
    found = of_differences("bayes_signed_rank", [0.3] * units)
    assert found.details["a_better"] == pytest.approx(special.betainc(0.5, units, 0.5**0.5), abs=FOUR_SIGMA)
    assert found.details["b_better"] == 0.0


def test_bayesian_signed_rank_by_numbers():
    """Differences 1 and -2 with weights u and v, the prior with w: u^2 + 2 u w is a's, w^2 nobody's, the rest b's."""
    u, v, w = np.random.default_rng(5).dirichlet([1, 1, 0.5], 400_000).T
    a, b = u**2 + 2 * u * w, v**2 + 2 * v * w + 2 * u * v
    found = of_differences("bayes_signed_rank", [1, -2], rope=0.1)
    largest = [(a > np.maximum(b, w**2)).mean(), (b > np.maximum(a, w**2)).mean()]
    assert [found.details["a_better"], found.details["b_better"]] == pytest.approx(largest, abs=1.1 * FOUR_SIGMA)
    without_rope = of_differences("bayes_signed_rank", [1, -2], rope=0)
    assert without_rope.details["a_better"] == pytest.approx((a > b).mean(), abs=1.1 * FOUR_SIGMA)
    assert without_rope.details["practically_equal"] == pytest.approx(0, abs=1e-12)


def test_bayesian_signed_rank_hangs_on_the_seed():
    same, other = (of_differences("bayes_signed_rank", LECTURE, seed=seed) for seed in (0, 1))
    assert of_differences("bayes_signed_rank", LECTURE).details == same.details != other.details


@FEW_EXAMPLES
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=3, max_size=5))
def test_friedman_as_scipy(values):
    if all(len(set(column)) == 1 for column in zip(*values, strict=True)):
        return
    found = tests["friedman"]({f"m{i}": row for i, row in enumerate(values)})
    expected = stats.friedmanchisquare(*values)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12, abs=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-11)


@pytest.mark.parametrize("models", [2, 3, 10, 50])
def test_nemenyi_as_scipy(models):
    values = {f"m{i}": [float(models - i)] * 12 for i in range(models)}
    found = tests["nemenyi"](values)
    assert found.critical == pytest.approx(stats.studentized_range.ppf(0.95, models, inf) / 2**0.5, rel=1e-9)
    assert found.details["critical_difference"] == pytest.approx(found.critical * (models * (models + 1) / 72) ** 0.5)
    q = (models - 1) / (models * (models + 1) / 72) ** 0.5
    assert found.p == pytest.approx(stats.studentized_range.sf(q * 2**0.5, models, inf), abs=1e-12)
    apart = found.details["pairs_that_differ"]
    far = [[f"m{i}", f"m{j}"] for i in range(models) for j in range(i + 1, models)]
    assert apart == [pair for pair in far if int(pair[1][1:]) - int(pair[0][1:]) > found.details["critical_difference"]]


CRITICAL_VALUES = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}
"""Demšar (2006), table 5a: for two to ten models; some are cut off instead of rounded."""


@pytest.mark.parametrize("alpha", CRITICAL_VALUES)
def test_nemenyi_as_the_printed_table(alpha):
    for models, critical in enumerate(CRITICAL_VALUES[alpha], 2):
        found = tests["nemenyi"]({str(place): [place, place] for place in range(models)}, alpha=alpha)
        assert found.critical == pytest.approx(critical, abs=1e-3)


@pytest.mark.parametrize("name", ["corrected_resampled_t", "bayes_correlated_t", "tost", "non_inferiority"])
def test_ten_folds_are_a_tenth_of_the_rows(name):
    settings = {"margin": 0.1} if "margin" in tests[name].defaults else {}
    by_rows, by_share = (
        of_differences(name, LECTURE, **sizes, **settings) for sizes in (SPLITS, {"test_fraction": 0.1})
    )
    by_hand = np.std(LECTURE, ddof=1) * (1 / 10 + 1 / 9) ** 0.5
    assert by_share.standard_error == pytest.approx(by_hand, rel=1e-12)
    for field in ("statistic", "df", "p", "low", "high"):
        if (expected := getattr(by_rows, field)) is not None:  # a Bayesian test has no p
            assert getattr(by_share, field) == pytest.approx(expected, rel=1e-12)
    assert by_share.details == pytest.approx(by_rows.details, rel=1e-12)
    assert by_share.outcome == by_rows.outcome


@pytest.mark.parametrize(
    "sizes", [{"test_fraction": 0}, {"test_fraction": 1}, {"test_fraction": 0.1, "n_test": 10}, {"n_train": 90}]
)
def test_sizes_that_say_nothing(sizes):
    with pytest.raises(UsageError) as caught:
        of_differences("corrected_resampled_t", LECTURE, **sizes)
    assert caught.value.code == "E_DESIGN"
    assert "test_fraction" in caught.value.message


def test_missing_sizes_are_asked_for_by_name():
    with pytest.raises(UsageError) as caught:
        of_differences("corrected_resampled_t", LECTURE)
    assert all(name in caught.value.hint for name in ("n_train", "n_test", "test_fraction"))


@pytest.mark.parametrize(
    ("name", "data", "takes"),
    [
        (
            "corrected_resampled_t",
            ([1, 2, 3], [2, 3, 1]),
            ["n_train", "n_test", "test_fraction", "df", "alpha", "better"],
        ),
        ("sign", ([1, 2, 3], [2, 3, 1]), ["n_train", "n_test", "test_fraction", "alpha", "seed", "better", "unit"]),
        ("mcnemar", ([1, 0, 1], [0, 0, 1]), ["method", "correction", "alpha"]),
        ("bootstrap", ([1, 0, 1], [0.1, 0.2, 0.4], [0.4, 0.2, 0.3]), ["replicates", "metric", "weight", "group"]),
    ],
)
def test_a_wrong_guess_is_told_every_parameter(name, data, takes):
    metric = {"metric": "brier"} if tests[name].takes == "rows" else {}
    with pytest.raises(UsageError) as caught:
        tests[name](*data, n_tests=3, **metric)
    said, listed = caught.value.message.split("; it takes ")
    assert said == f"{name} does not take 'n_tests'"
    assert {f"'{one}'" for one in (*takes, *tests[name].defaults)} <= set(listed.replace(" and ", ", ").split(", "))
    for one in (set(SPLITS) | {"test_fraction"}) - set(takes):
        assert f"'{one}'" not in listed


@pytest.mark.parametrize("frame", [dict, pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_friedman_of_any_frame(frame):
    values = {"a": [0.9, 0.8, 0.7, 0.95], "b": [0.8, 0.85, 0.6, 0.9], "c": [0.7, 0.6, 0.5, 0.99]}
    found = tests["friedman"](frame(values))
    theirs = stats.friedmanchisquare(*values.values())
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    assert list(found.details["mean_ranks"]) == ["a", "b", "c"]


@pytest.mark.parametrize("given", [pandas.DataFrame(), {}, [1, 2], 3])
def test_friedman_of_nothing(given):
    with pytest.raises(UsageError, match="a mapping of names to values, or a frame"):
        tests["friedman"](given)
