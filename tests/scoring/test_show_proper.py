"""What a metric rewards, shown: against exact fractions, closed forms, and what the metric declares."""

from __future__ import annotations

import json
from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from referee import metrics
from referee.document.screen import IN_ASCII
from referee.scoring import OTHERS, curves, has_others, propriety
from referee.scoring.propriety_document import gamed_by
from referee.scoring.propriety_game import DRAWN, expected_scores
from referee.scoring.small_plots import Panel, small_plots

OF_CLASSES = [name for name in metrics if metrics[name].of_classes]
WITHOUT_CURVES = (("scores",), ("ranking",), ("multilabel",))


def test_expected_brier_is_the_articles_formula():
    for curve in curves(metrics["brier"]):
        p = Fraction(str(curve.true))
        exact = [float((q - p) ** 2 + p * (1 - p)) for q in (Fraction(k, 100) for k in range(101))]
        assert curve.values == pytest.approx(exact, abs=1e-15)


def test_expected_log_loss_is_the_cross_entropy():
    for curve in curves(metrics["log_loss"]):
        inner = slice(1, 100)
        exact = [-curve.true * log(q) - (1 - curve.true) * log(1 - q) for q in curve.reports[inner]]
        assert curve.values[inner] == pytest.approx(exact, rel=1e-14)


def test_expected_absolute_error_is_linear_so_0_or_1_is_best():
    for curve in curves(metrics["probability_mae"]):
        p = Fraction(str(curve.true))
        exact = [float(p * (1 - q) + (1 - p) * q) for q in (Fraction(k, 100) for k in range(101))]
        assert curve.values == pytest.approx(exact, abs=1e-15)
        assert curve.best.tolist() == [1.0 if curve.true > 0.5 else 0.0]


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_strictly_proper_scores_are_best_at_the_truth_alone(name):
    assert [curve.best.tolist() for curve in curves(metrics[name])] == [[p] for p in DRAWN]


def test_accuracy_is_the_same_on_one_side_of_the_threshold():
    below, _, above = curves(metrics["accuracy"])
    assert (below.best[0], below.best[-1], len(below.best)) == (0.0, 0.49, 50)
    assert (above.best[0], above.best[-1], len(above.best)) == (0.5, 1.0, 51)
    assert (below.best_value, above.best_value) == pytest.approx((0.9, 0.7))


def test_f1_by_hand():
    """Rows of two kinds with probability 1/10 and 2/5: nothing is positive at 0.5; calling the second kind positive
    has TP 1/5, FP 3/10, FN 1/20."""
    honest, other = expected_scores(metrics["f_beta"], [0.1, 0.4], np.array([[0.1, 0.4], [0.0, 1.0]]))
    tp, fp, fn = Fraction(1, 5), Fraction(3, 10), Fraction(1, 20)
    assert honest == 0
    assert other == pytest.approx(float(2 * tp / (2 * tp + fp + fn)), rel=1e-15)
    found = propriety(metrics["f_beta"])
    assert (found.proper, found.game.true, found.game.reports) == ("no", (0.1, 0.4), (0.0, 1.0))
    assert found.game.gain == pytest.approx(other)


BEST_AT_ONE_HALF = {"accuracy", "error_rate", "expected_cost"}
"""Where all errors cost the same, deciding at 0.5 is best; all other metrics of decisions have another threshold."""


@pytest.mark.parametrize("name", OF_CLASSES)
def test_what_is_found_is_what_theory_says(name):
    """Of probabilities it is what the metric declares. The order by the true probability is the best order (Neyman and
    Pearson), but others share it; decisions are as good as their threshold."""
    metric, found = metrics[name], propriety(metrics[name])
    expected = {
        "probabilities": metric.proper,
        "scores": "weakly",
        "labels": "weakly" if name in BEST_AT_ONE_HALF else "no",
    }
    assert found.proper == expected[metric.needs]
    assert (found.game is None) == (found.proper == "strictly")
    assert found.sees_reports == (name != "murphy_uncertainty")


def correlation_of(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


@pytest.mark.parametrize("last", [Fraction(55, 100), Fraction(6, 10)])
def test_mcc_by_hand(last):
    """Rows of three kinds with probability 1/10, 2/5 and a little over 1/2: honest reports call the last kind
    positive, and calling the second one positive too is better."""
    first, second = Fraction(1, 10), Fraction(2, 5)
    honest = correlation_of(last, 1 - last, first + second, 2 - first - second)
    other = correlation_of(last + second, 2 - last - second, first, 1 - first)
    true = (0.1, 0.4, float(last))
    found = expected_scores(metrics["mcc"], true, np.array([true, (0, 1, 1)]))
    assert found == pytest.approx([honest, other], rel=1e-14)
    assert other > honest + 0.04


def test_a_game_of_three_kinds_is_on_the_card(referee):
    """The values are those of `test_mcc_by_hand` at 0.6."""
    honest, other = correlation_of(0.6, 0.4, 0.5, 1.5), correlation_of(1.0, 1.0, 0.1, 0.9)
    told = referee("metrics", "mcc").json["gamed_by"]
    assert told == (
        "where the probability is 0.1, 0.4 and 0.6 for a third of the rows each: honest reports score "
        f"{honest:.4f}, and reporting 0, 1 and 1 scores {other:.4f}, which is better by {other - honest:.4f}"
    )
    assert referee("metrics", "mcc", "--show-proper").json["gamed_by"]["sentence"] == told
    shown = referee("metrics", "mcc", "--show-proper", form="text").out
    assert "improper: other reports beat honest ones" in shown


def test_a_metric_of_the_truth_alone(referee):
    shown = referee("metrics", "murphy_uncertainty", "--show-proper").json["sentence"]
    assert "depends on the truth alone" in shown
    assert "order" not in shown


@pytest.mark.parametrize("name", OF_CLASSES)
def test_the_game_does_what_it_says(name):
    """The reports of the game are not honest, and not worse."""
    metric, game = metrics[name], propriety(metrics[name]).game
    if game is None:
        assert gamed_by(metric) is None
        return
    honest, other = expected_scores(metric, game.true, np.array([game.true, game.reports]))
    sign = 1 if metric.better == "higher" else -1
    assert sign * (other - honest) >= -1e-12
    assert (honest, other) == pytest.approx((game.honest_value, game.value), abs=1e-12)
    assert tuple(game.reports) != tuple(game.true)
    assert (game.gain > 1e-6) == (propriety(metric).proper == "no")


OF_SCIKIT_LEARN = {
    "accuracy": "accuracy_score", "balanced_accuracy": "balanced_accuracy_score", "f_beta": "f1_score",
    "jaccard": "jaccard_score", "kappa": "cohen_kappa_score", "mcc": "matthews_corrcoef",
    "precision": "precision_score", "recall": "recall_score", "roc_auc": "roc_auc_score",
    "average_precision": "average_precision_score", "brier": "brier_score_loss", "log_loss": "log_loss",
}  # fmt: skip


@pytest.mark.parametrize(("name", "theirs"), OF_SCIKIT_LEARN.items())
def test_expected_scores_are_those_of_scikit_learn(name, theirs):
    """Each kind of rows twice, as positive and as negative, weighted by how often that is true."""
    from sklearn import metrics as their

    true, reports = np.array([0.1, 0.4, 0.6]), np.array([[0.1, 0.4, 0.6], [0.2, 0.7, 0.5], [0.3, 0.3, 0.9]])
    weight = np.concatenate([true, 1 - true])
    for one, value in zip(reports, expected_scores(metrics[name], true, reports), strict=True):
        twice = np.tile(one, 2)
        given = (twice >= 0.5).astype(int) if metrics[name].needs == "labels" else twice
        expected = getattr(their, theirs)([1, 1, 1, 0, 0, 0], given, sample_weight=weight)
        assert value == pytest.approx(expected, rel=1e-12)


def test_numbers_mean_and_median():
    best = {name: curves(metrics[name])[0].best.tolist() for name in ("rmse", "mae", "pinball(level=0.9)")}
    assert best == {"rmse": [6.0], "mae": [7.0], "pinball(level=0.9)": [12.0]}


def test_others_stand_beside_what_is_no_average():
    assert not has_others(metrics["brier"])
    assert has_others(metrics["roc_auc"])
    # All positives above all negatives but for the two kinds themselves: the AUC of (p, others) by hand.
    curve = curves(metrics["roc_auc"])[0]
    p, r = Fraction(str(curve.true)), Fraction(str(OTHERS))
    positives, negatives = p + r, 2 - p - r
    area = (r * (1 - p) + (r * (1 - r) + p * (1 - p)) / 2) / (positives * negatives)
    assert curve.honest_value == pytest.approx(float(area), rel=1e-14)


@pytest.mark.parametrize("name", sorted(metrics))
@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_every_metric_is_shown_or_says_why_not(referee, name, form):
    run = referee("metrics", name, "--show-proper", form=form)
    metric = metrics[name]
    if name == "correlation" or metric.needs == "quantiles" or metric.tasks in WITHOUT_CURVES:
        assert run.code == (4 if name == "correlation" else 2)
        return
    assert run.code == 0, run.err
    if form == "json":
        assert json.loads(run.out)["metric"] == name
    if form == "text":
        assert max(map(len, run.out.splitlines())) <= 80


def test_json_and_csv_hold_the_curves(referee):
    shown = referee("metrics", "brier", "--show-proper").json
    assert (shown["found"], shown["declared"], shown["gamed_by"]) == ("strictly", "strictly", None)
    assert shown["curves"][2]["expected"][70] == pytest.approx(0.21)
    rows = referee("metrics", "brier", "--show-proper", form="csv").out.splitlines()
    assert rows[0] == "true,reported,expected"
    assert len(rows) == 1 + 3 * 101


def test_exact_infinity_is_null_in_json(referee):
    shown = referee("metrics", "log_loss(clip=0)", "--show-proper").json
    assert shown["curves"][0]["expected"][0] is None
    assert shown["curves"][0]["best"] == [0.1]


def test_ascii_where_the_terminal_knows_no_more():
    x = np.linspace(0, 1, 11)
    panel = Panel("p", x, (x - 0.3) ** 2, np.array([0.3]), 0.0, 0.3)
    fine = "\n".join(small_plots([panel] * 3, 80))
    plain = fine.translate(IN_ASCII)
    assert plain.isascii()
    assert (plain.count("o"), plain.count("^")) == (3, 3)
    assert (fine.count("●"), fine.count("▲")) == (3, 3)
    assert max(map(len, fine.splitlines())) <= 80


def test_usage(referee):
    assert referee("metrics", "--show-proper").json["error"]["code"] == "E_USAGE"
    assert "--needs" in referee("metrics", "brier", "--show-proper", "--needs", "scores").json["error"]["message"]
    assert referee("metrics", "brierr", "--show-proper").json["error"]["code"] == "E_UNKNOWN"
    of_three = "expected_cost(costs=[[0, 1, 2], [1, 0, 3], [4, 5, 0]])"
    assert referee("metrics", of_three).json["gamed_by"] is None
    assert referee("metrics", of_three, "--show-proper").json["error"]["code"] == "E_PARAMETER"
