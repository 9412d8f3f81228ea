"""Comparisons that other programs crash on or answer with nan: here they are defined."""

from __future__ import annotations

import json
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.comparing import adjusted, tests
from referee.errors import InputError, UndefinedError, UsageError
from tests.case_record import PYTHON
from tests.models_to_compare import BY_TAKES, A, B, run
from tests.strategies import FEW_EXAMPLES

SPLITS = {"n_train": 90, "n_test": 10}
LECTURE = [0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06]


def of_differences(name, differences, **options):
    return tests[name](differences, [0.0] * len(differences), **options)


def codes(found):
    return [notice.code for notice in found.warnings]


def mcnemar(b, c, **options):
    return tests["mcnemar"]([1] * b + [0] * c + [1, 0], [0] * b + [1] * c + [1, 0], **options)


def from_manifest(args):
    """Run a case of the manifest, and name what it expects as the manifest does."""
    if "b" in args:
        found = mcnemar(args["b"], args["c"])
    elif "wins" in args:
        values = [1] * args["wins"] + [-1] * args["losses"] + [0] * args["ties"]
        found = of_differences("sign", values, alpha=args.get("alpha", 0.05))
    else:
        found = of_differences(args["test"], args["diffs"], **args.get("settings", {}))
    significant = found.outcome != "tie"
    return found, {
        "p": found.p, "verdict": "winner" if significant else "tie", "n_effective": found.units, "t": found.statistic,
        "t_crit": found.critical, "significant": significant,
    }  # fmt: skip


TEST_OF = {
    **{number: {"test": "paired_t"} for number in ("131", "132", "133", "134")},
    "135": {"test": "wilcoxon", "settings": {"zeros": "pratt"}},
    "136": {"test": "sign"},
}


@pytest.mark.parametrize(
    "number", [pytest.param(number, marks=pytest.mark.case(number, PYTHON)) for number in map(str, range(126, 137))]
)
def test_manifest(shared, number):
    cases = json.loads((shared / "cases/manifest.json").read_text())["cases"]
    (case,) = [case for case in cases if case["id"] == number]
    found, answers = from_manifest(case["args"] | TEST_OF.get(number, {}))
    for key, expected in (case["value"] or {}).items():
        assert answers[key] == (pytest.approx(expected, abs=case["tol"]) if isinstance(expected, float) else expected)
    if case["code"]:
        (notice,) = [notice for notice in found.warnings if notice.code == case["code"]]
        assert all(word in notice.message for word in case["keywords"])


@pytest.mark.parametrize("settings", [{}, {"method": "mid_p"}, {"method": "asymptotic"}])
def test_mcnemar_without_a_discordant_row(settings):
    found = mcnemar(0, 0, **settings)
    assert (found.p, found.outcome, found.difference) == (1.0, "tie", 0.0)


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_wilcoxon_of_ties_only(zeros):
    found = of_differences("wilcoxon", [0.0] * 7, zeros=zeros)
    assert (found.p, found.outcome, found.details["zeros"]) == (1.0, "tie", 7)


def test_rounding_dust_is_no_win():
    found = of_differences("sign", [1e-17, -1e-17, 0.1, 0.2, 0.3])
    assert [found.details[key] for key in ("wins", "losses", "ties")] == [3, 0, 2]
    assert found.p == 0.25


def test_ties_do_not_hide_a_winner():
    """Of all 18 differences the median is 0: the median of the 8 that are not tied is reported."""
    found = of_differences("sign", [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    assert (found.p, found.outcome, found.difference) == (2 / 2**8, "a", 4.5)


# A constant difference has no variance to test with.


def test_constant_differences_of_independent_units_go_to_the_sign_test():
    for name in ("paired_t", "paired_t_population", "bayes_correlated_t"):
        found = of_differences(name, [0.01] * 10)
        assert (found.p, found.outcome, codes(found)) == (2 / 1024, "a", ["W_ZEROVAR"]), name


@pytest.mark.parametrize("name", ["paired_t", "paired_t_population", "corrected_resampled_t", "bayes_correlated_t"])
def test_constant_differences_of_overlapping_splits_are_a_tie(name):
    found = of_differences(name, [0.01] * 10, **SPLITS)
    assert (found.p, found.outcome, codes(found)[-1]) == (None, "tie", "W_ZEROVAR")
    assert "overlap" in found.warnings[0].message


@pytest.mark.parametrize("step", [0.01, 1e-5, 1e-8])
def test_differences_that_are_constant_but_for_rounding(step):
    """Of values near 1, a difference of 1e-8 has rounding errors of 1e-8 of itself."""
    a = np.array([0.91, 0.17, 0.53, 0.29, 0.95, 0.3, 0.08, 0.62, 0.94, 0.46])
    assert np.ptp(a + step - a) > 0
    found = tests["corrected_resampled_t"](a + step, a, **SPLITS)
    assert (found.p, codes(found)) == (None, ["W_ZEROVAR"])


def test_five_by_two_without_variance():
    but_for_rounding = [0.3 - 0.2, 0.2 - 0.1] * 5
    assert but_for_rounding[0] != but_for_rounding[1]
    for values in ([0.01] * 10, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5], but_for_rounding):
        for name in ("five_by_two_t", "five_by_two_f"):
            found = of_differences(name, values)
            assert (found.p, found.outcome, codes(found)) == (None, "tie", ["W_ZEROVAR"])


@pytest.mark.parametrize("name", ["tost", "non_inferiority"])
def test_margins_without_variance(name):
    claim = {"tost": "equivalent", "non_inferiority": "non_inferior"}[name]
    identical = of_differences(name, [0.0] * 10, margin=0.01)
    assert (identical.p, identical.details[claim]) == (1.0, True)
    within = of_differences(name, [-0.01] * 10, margin=0.02)
    assert (within.p, within.details[claim], codes(within)) == (2.0**-10, True, ["W_ZEROVAR"])
    few = of_differences(name, [-0.01] * 4, margin=0.02)
    assert (few.p, few.details[claim]) == (1 / 16, False)
    beyond = of_differences(name, [-0.03] * 10, margin=0.02)
    assert (beyond.p, beyond.details[claim]) == (1.0, False)
    overlapping = of_differences(name, [-0.01] * 10, margin=0.02, **SPLITS)
    assert (overlapping.p, overlapping.details[claim]) == (None, None)


# Values that no test can compare.


@pytest.mark.parametrize("name", BY_TAKES["units"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_values_that_are_no_numbers(name, bad):
    for a, b in (([*A[:-1], bad], B), (A, [*B[:3], bad, *B[4:]])):
        with pytest.raises(InputError, match=r"fold (10|4) of [ab]") as error:
            run(name, a, b)
        assert (error.value.code, error.value.exit) == ("E_NAN", 3)


@pytest.mark.parametrize("name", BY_TAKES["many"])
def test_many_values_that_are_no_numbers(name):
    with pytest.raises(InputError, match="data set 2 of b is nan") as error:
        run(name, {"a": [1, 2, 3], "b": [1, float("nan"), 3]})
    assert error.value.exit == 3


@pytest.mark.parametrize("name", BY_TAKES["units"])
def test_too_few_units(name):
    with pytest.raises(UndefinedError) as error:
        run(name, [], [])
    assert (error.value.code, error.value.exit) == ("E_TOOFEW", 4)


@pytest.mark.parametrize("name", BY_TAKES["many"])
def test_too_few_data_sets(name):
    with pytest.raises(UndefinedError) as error:
        run(name, {"a": [1.0], "b": [2.0]})
    assert (error.value.code, error.value.exit) == ("E_TOOFEW", 4)


# What a test cannot do without.


@pytest.mark.parametrize("name", ["tost", "non_inferiority"])
def test_a_margin_must_be_named(name):
    with pytest.raises(UsageError, match="margin") as error:
        of_differences(name, LECTURE)
    assert error.value.exit == 2
    for margin in (0, -0.1):
        with pytest.raises(UsageError, match="above 0"):
            of_differences(name, LECTURE, margin=margin)


@pytest.mark.parametrize("name", ["corrected_resampled_t", "tost", "bayes_correlated_t"])
def test_overlap_is_not_guessed(name):
    options = {"margin": 0.1} if name == "tost" else {}
    with pytest.raises(UsageError) as error:
        of_differences(name, LECTURE, kind="splits", **options)
    assert all(word in error.value.hint for word in ("train_size=", "n_train=", "n_test="))
    for sizes in ({"n_train": 0, "n_test": 10}, {"n_train": 90, "n_test": -10}):
        with pytest.raises(UsageError, match="at least one"):
            of_differences(name, LECTURE, **sizes, **options)


def test_degrees_of_freedom_are_positive():
    with pytest.raises(UsageError, match="df must be above 0"):
        of_differences("corrected_resampled_t", LECTURE, df=0, **SPLITS)
    assert of_differences("corrected_resampled_t", LECTURE, df=2.5, **SPLITS).df == 2.5


@pytest.mark.parametrize("name", ["five_by_two_t", "five_by_two_f"])
def test_five_by_two_needs_ten_values(name):
    with pytest.raises(UndefinedError, match="at least 10"):
        of_differences(name, LECTURE[:9])
    with pytest.raises(UsageError, match="10 values, not 11"):
        of_differences(name, [*LECTURE, 0.1])
    with pytest.raises(UsageError, match="not 1 of 10-fold"):
        of_differences(name, LECTURE, folds=10, repeats=1, **SPLITS)
    assert of_differences(name, LECTURE, folds=2, repeats=5).units == 10


@pytest.mark.parametrize("name", ["paired_t", "corrected_resampled_t", "tost", "bayes_correlated_t"])
def test_one_unit_has_no_variance(name):
    options = SPLITS | ({"margin": 0.1} if name == "tost" else {})
    with pytest.raises(UndefinedError, match="1 fold: this test needs at least 2"):
        of_differences(name, [0.1], **options)


def test_so_few_units_that_nothing_can_be_significant():
    for name in ("sign", "wilcoxon"):
        found = of_differences(name, [0.1, 0.2, 0.3, 0.4, 0.5])
        assert (found.p, found.outcome, found.low, codes(found)) == (0.0625, "tie", None, ["W_LOWPOWER"])
        enough = of_differences(name, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
        assert (enough.outcome, enough.low, enough.high, codes(enough)) == ("a", 0.1, 0.6, [])
        at_alpha = of_differences(name, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], alpha=2 / 64)
        assert (at_alpha.p, at_alpha.outcome, at_alpha.low) == (2 / 64, "tie", None)


@pytest.mark.parametrize(
    ("call", "units"), [("wilcoxon", 5_001), ("bayes_signed_rank", 5_001), ("wilcoxon(method=exact)", 2_000)]
)
def test_more_units_than_signed_ranks_can_take(call, units):
    with pytest.raises(UsageError, match="units") as error:
        of_differences(call, np.arange(1.0, units + 1))
    assert error.value.hint


@pytest.mark.parametrize("name", ["friedman", "iman_davenport", "nemenyi"])
def test_one_model_has_nobody_to_compare_with(name):
    with pytest.raises(UsageError, match="at least two models"):
        tests[name]({"a": [1, 2, 3]})


def test_data_sets_that_all_agree():
    """F is infinite; that four data sets agree with the first on the order of three models has probability 6^-4."""
    found = tests["iman_davenport"]({"a": [3] * 5, "b": [2] * 5, "c": [1] * 5})
    assert (found.statistic, found.p, codes(found)) == (inf, pytest.approx(1 / 6**4, rel=1e-14), ["W_ZEROVAR"])
    assert found.to_dict()["statistic"] is None
    tied = tests["iman_davenport"]({"a": [3] * 5, "b": [1] * 5, "c": [1] * 5})
    assert tied.p == pytest.approx(1 / 3**4, rel=1e-14)
    details = tests["friedman"]({"a": [3] * 5, "b": [2] * 5}).details["iman_davenport"]
    assert details == {"statistic": None, "df": [1, 4], "p": 1 / 2**4}


def test_values_that_differ_by_rounding_share_a_rank():
    found = tests["friedman"]({"a": [0.1 + 0.2, 0.5], "b": [0.3, 0.4]})
    assert found.details["mean_ranks"] == {"a": 1.25, "b": 1.75}
    assert codes(found) == ["W_DUST"]


@FEW_EXAMPLES
@given(st.lists(st.none() | st.floats(0, 1), max_size=8))
def test_adjustments_keep_order_and_holes(p_values):
    for method in ("holm", "hochberg", "bh", "bonferroni", "none"):
        found = adjusted(p_values, method)
        assert [p is None for p in found] == [p is None for p in p_values]
        pairs = [(p, q) for p, q in zip(p_values, found, strict=True) if p is not None]
        assert all(p <= q <= 1 for p, q in pairs)
        assert [q for _, q in sorted(pairs)] == sorted(q for _, q in pairs)
        assert method != "none" or found == p_values


def test_unknown_adjustment():
    with pytest.raises(UsageError, match="did you mean 'holm'"):
        adjusted([0.1], "hulm")


def test_overlapping_splits_forbid_the_sign_test_and_warn_of_the_naive_one():
    with pytest.raises(UsageError, match="training sets of the splits overlap"):
        tests["sign"]([0.9, 0.8], [0.7, 0.75], n_train=90, n_test=10)
    assert codes(tests["paired_t"]([0.9, 0.8, 0.7, 0.8, 0.9], [0.7] * 5, n_train=90, n_test=10)) == ["W_NAIVE"]


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("paired_t", ([0.9, 0.8], [0.7, 0.6]), {"alpha": 2}),
        ("paired_t", ([0.9, 0.8], [0.7, 0.6]), {"better": "hihger"}),
        ("paired_t", ([0.9, 0.8], [0.7, 0.6]), {"kind": "rwos"}),
        ("paired_t", ([0.9, 0.8], [0.7, 0.6]), {"n_train": [1, 2, 3], "n_test": 1}),
        ("paired_t", ([0.9, 0.8], [0.7, 0.6]), {"n_train": 3}),
        ("paired_t", (["good", "bad"], [0.7, 0.6]), {}),
        ("paired_t", ([0.9, 0.8],), {}),
        ("friedman", ({},), {}),
    ],
)
def test_wrong_calls_are_explained(name, given, options):
    with pytest.raises(UsageError):
        tests[name](*given, **options)


@pytest.mark.parametrize("size", [1e150, 1e-150])
def test_numbers_whose_fourth_powers_have_no_number(size):
    """The difference is known; how sure it is, is only roughly so, and that is said instead of a crash."""
    from referee import compare

    draw = np.random.default_rng(0)
    truth, a, b = (draw.normal(size=200) for _ in range(3))
    verdict = compare(truth * size, {"a": a * size, "b": b * size}, goal="mae", task="regression", metrics="goal")
    (pair,) = verdict.comparisons
    expected = np.abs(truth - a).mean() - np.abs(truth - b).mean()
    assert pair.difference == pytest.approx(expected * size, rel=1e-9)
    assert (pair.df, verdict.certainty) == (1, "approximate")
