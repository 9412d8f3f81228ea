"""Tests, intervals and adjustments that R 4.2.2 and pROC 1.18.0 computed."""

from __future__ import annotations

import csv
import json
from itertools import combinations

import numpy as np
import pytest

from referee.comparing import adjusted, tests
from referee.scoring import clopper_pearson, wilson

AS_IN_R = {"method": "normal", "ties": "bitwise"}
"""The reference runs have exact=FALSE; R ranks floating-point numbers as they are."""
NO_MARGIN = 5e-324
"""The smallest number above 0: no value changes when it is added."""


def same(expected):
    # Without abs=0 every small p would do.
    return pytest.approx(expected, rel=1e-9, abs=0)


@pytest.fixture(scope="module")
def folds(reference):
    return json.loads((reference / "r/fold_tests.json").read_text())


@pytest.fixture(scope="module")
def pairs(reference, folds):
    """What R found on each pair of schemes, with the scores of both."""
    with (reference / "weka/experimenter_10x10_scores.csv").open() as file:
        rows = list(csv.DictReader(file))

    def scores(found, scheme):
        wanted = (found["dataset"], found[scheme])
        return np.array([float(row[found["metric"]]) for row in rows if (row["dataset"], row["scheme"]) == wanted])

    return [(found, scores(found, "x"), scores(found, "y")) for found in folds["pairs"]]


def test_all_pairs_are_there(pairs):
    assert len(pairs) == 150
    assert all(len(x) == len(y) == 100 for _, x, y in pairs)


def test_paired_t(pairs):
    for found, x, y in pairs:
        ours, expected = tests["paired_t"](x, y), found["t_paired"]
        assert ours.statistic == same(expected["statistic"])
        assert ours.p == same(expected["p.value"])
        assert ours.difference == same(expected["estimate"])
        assert [ours.df] == expected["parameter"]
        assert [ours.low, ours.high] == same(expected["conf.int"])


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_paired_t_greater_is_non_inferiority_without_a_margin(pairs, better):
    sign = 1 if better == "higher" else -1
    for found, x, y in pairs:
        ours = tests["non_inferiority"](sign * x, sign * y, margin=NO_MARGIN, better=better)
        expected = found["t_paired_greater"]
        assert ours.statistic == same(expected["statistic"])
        assert ours.p == same(expected["p.value"])
        # R's one-sided 95% bound is one end of the 90% interval.
        assert sign * (ours.low if sign > 0 else ours.high) == same(expected["conf.int"][0])


def test_sign(pairs):
    for found, x, y in pairs:
        ours, expected = tests["sign"](x, y), found["sign_binom"]
        assert [ours.details[key] for key in ("wins", "losses", "ties")] == [
            found[key] for key in ("wins", "losses", "ties")
        ]
        assert ours.statistic == expected["statistic"]
        assert [ours.units] == expected["parameter"]
        assert ours.p == same(expected["p.value"])
        assert ours.details["share_of_wins"] == same(expected["estimate"])
        assert [ours.details["share_low"], ours.details["share_high"]] == same(expected["conf.int"])


@pytest.mark.parametrize(("key", "correction"), [("wilcoxon_correct", True), ("wilcoxon_nocorrect", False)])
def test_wilcoxon(pairs, key, correction):
    for found, x, y in pairs:
        ours = tests["wilcoxon"](x, y, correction=correction, **AS_IN_R)
        assert ours.statistic == found[key]["statistic"]
        assert ours.p == same(found[key]["p.value"])


def test_wilcoxon_sees_the_ties_that_rounding_hides_from_r(pairs):
    """Scores have six decimals: whole millionths have the same differences, and ties to the last bit."""
    for found, x, y in pairs:
        millionths = [np.rint(scores * 1e6) for scores in (x, y)]
        ours, exact = tests["wilcoxon"](x, y), tests["wilcoxon"](*millionths, ties="bitwise")
        assert (ours.statistic, ours.p, ours.outcome) == (exact.statistic, exact.p, exact.outcome)
        seen_by_r = ours.p == pytest.approx(tests["wilcoxon"](x, y, ties="bitwise").p, rel=1e-12, abs=0)
        assert seen_by_r or any(notice.code == "W_DUST" for notice in ours.warnings), found


def column_by_model(reference, name):
    with (reference / "r" / name).open() as file:
        rows = list(csv.DictReader(file))
    return {model: [float(row[model]) for row in rows] for model in rows[0] if model != "dataset"}


@pytest.fixture(scope="module")
def many(reference, folds):
    found = folds["friedman"]["percent_correct"]
    return found, column_by_model(reference, found["input"])


def test_friedman(many):
    found, values = many
    ours, expected = tests["friedman"](values), found["friedman"]
    assert ours.statistic == same(expected["statistic"])
    assert ours.p == same(expected["p.value"])
    assert [ours.df] == expected["parameter"]
    assert ours.details["mean_ranks"] == same(found["mean_ranks"])
    assert (ours.units, ours.outcome) == (found["N"], "different")
    assert ours.details["iman_davenport"]["p"] == same(found["iman_davenport_p"])


def test_iman_davenport(many):
    found, values = many
    ours = tests["iman_davenport"](values)
    assert ours.statistic == same(found["iman_davenport_F"])
    assert ours.p == same(found["iman_davenport_p"])


def test_nemenyi(many):
    """R's qtukey stops iterating once a step is below 1e-4: its quantile is exact to eight digits only."""
    found, values = many
    ours = tests["nemenyi"](values)
    assert ours.critical == pytest.approx(found["nemenyi_q05"], rel=1e-8)
    assert ours.details["critical_difference"] == pytest.approx(found["nemenyi_CD05"], rel=1e-8)
    assert ours.details["mean_ranks"] == same(found["mean_ranks"])


def test_pairwise_wilcoxon_with_holm(many):
    found, values = many
    chosen = list(combinations(values, 2))
    p = [tests["wilcoxon"](values[one], values[other], **AS_IN_R).p for one, other in chosen]
    ours = dict(zip(map(frozenset, chosen), adjusted(p, "holm"), strict=True))
    expected = {
        frozenset((row["_row"], other)): p
        for row in found["pairwise_wilcox_holm"]
        for other, p in row.items()
        if other != "_row"
    }
    assert len(expected) == 10
    assert ours == same(expected)


@pytest.mark.parametrize(
    ("method", "in_r"), [("holm", "holm"), ("hochberg", "hochberg"), ("bh", "BH"), ("bonferroni", "bonferroni")]
)
def test_adjustments(folds, method, in_r):
    table = folds["p_adjust"]
    assert adjusted(table["p"], method) == same(table[in_r])
    half = [None if place % 2 else p for place, p in enumerate(table["p"])]
    alone = adjusted(table["p"][::2], method)
    assert adjusted(half, method) == [None if place % 2 else alone[place // 2] for place in range(len(half))]


@pytest.fixture(scope="module")
def rows(reference):
    (found,) = json.loads((reference / "r/proc_and_paired.json").read_text())["pairs"]
    with (reference / "r" / found["input"]).open() as file:
        table = list(csv.DictReader(file))
    return found, {name: np.array([float(row[name]) for row in table]) for name in table[0]}


def test_delong(rows):
    found, columns = rows
    ours = tests["delong"](columns["y"], columns["score_a"], columns["score_b"])
    expected = found["delong_paired"]
    assert ours.statistic == same(expected["Z"])
    assert ours.p == same(expected["p.value"])
    assert [ours.low, ours.high] == same(expected["conf.int"])
    assert ours.difference == same(found["auc_a"]["auc"] - found["auc_b"]["auc"])
    variance = found["auc_a"]["delong_var"] + found["auc_b"]["delong_var"] - 2 * found["delong_cov"]
    assert ours.standard_error == same(variance**0.5)


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("mcnemar_corrected", {"method": "asymptotic", "correction": True}),
        ("mcnemar_uncorrected", {"method": "asymptotic"}),
        ("mcnemar_exact_binom", {}),
    ],
)
def test_mcnemar(rows, key, settings):
    found, columns = rows
    right_a, right_b = (columns[f"pred_{model}"] == columns["y"] for model in "ab")
    ours, expected = tests["mcnemar"](right_a, right_b, **settings), found[key]
    assert ours.p == same(expected["p.value"])
    assert ours.statistic == same(expected["statistic"])
    counts = found["paired_correctness"]
    assert [ours.details[name] for name in ("only_a", "only_b", "both_right")] == [
        counts[name] for name in ("a_only", "b_only", "both_right")
    ]
    if expected["conf.int"]:
        discordant = counts["a_only"] + counts["b_only"]
        ends = [(2 * share - 1) * discordant / found["n"] for share in expected["conf.int"]]
        assert [ours.low, ours.high] == same(ends)


def test_intervals_of_a_share(rows):
    found, _ = rows
    right = found["accuracy_a_clopper_pearson"]["statistic"]
    assert list(clopper_pearson(right, 1000, 0.05)) == same(found["accuracy_a_clopper_pearson"]["conf.int"])
    assert list(wilson(right, 1000, 0.05)) == same(found["accuracy_a_wilson"]["conf.int"])
