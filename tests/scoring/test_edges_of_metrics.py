"""Metrics at their edges: one row of a class, values at the end of a range, a mean that rounding moves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, precision_recall_curve

import referee
from referee.errors import RefereeError
from referee.metrics.interval_width import row_terms as width_terms


def value(truth, scores, metric, **options):
    return referee.evaluate(truth, {"m": scores}, metrics=metric, **options)["m", metric].value


@pytest.mark.parametrize("positives", [1, 4])
def test_one_row_of_a_class(positives):
    """Of five rows one is positive, or one negative."""
    truth, scores = np.arange(5) < positives, np.array([0.6, 0.3, 0.9, 0.2, 0.7])
    assert value(truth, scores, "average_precision", positive=True) == average_precision_score(truth, scores)
    precision, recall, _ = precision_recall_curve(truth, scores)
    expected = precision[recall >= 0.9].max()
    assert value(truth, scores, "precision_at_recall", positive=True) == pytest.approx(expected)


def test_without_a_positive_row_there_is_no_recall():
    options = {"positive": 1, "classes": [0, 1]}
    for truth, metric in ([0, 0, 0], "precision_at_recall"), ([1, 1, 1], "average_precision"):
        with pytest.raises(RefereeError, match="undefined"):
            value(truth, [0.1, 0.5, 0.7], metric, **options)


def test_no_correlation_is_beyond_one():
    draw = np.random.default_rng(4)
    for rows in range(3, 60):
        truth = draw.normal(size=rows)
        assert 1 - 1e-12 < value(truth, 3 * truth + 0.1, "correlation") <= 1
        assert -1 <= value(truth, -3 * truth + 0.1, "correlation") < -1 + 1e-12


def test_no_matthews_coefficient_is_beyond_one():
    draw = np.random.default_rng(5)
    for rows in range(4, 40):
        truth = np.arange(rows) % 3
        weight = draw.random(rows)
        assert 1 - 1e-12 < value(truth, truth, "mcc", weight=weight) <= 1


@pytest.mark.parametrize("constant", [0.1, 1e9 / 3])
def test_rounding_of_a_mean_is_no_deviation(constant):
    """The mean of equal numbers may differ from them in the last digit: always predicting it has no error."""
    truth = np.full(7, constant)
    with pytest.raises(RefereeError, match="all true values are the same"):
        value(truth, truth + 1, "rae")


def test_a_true_deviation_counts():
    truth, predicted = np.array([1.0, 2.0, 6.0]), np.array([1.5, 2.0, 5.0])
    assert value(truth, predicted, "rae") == pytest.approx(1.5 / 6)


def test_the_papers_average_by_hand():
    """Accuracy 3/4, AUC 3/4, F1 2/3; four squared errors, and the logarithms of the true class's probabilities."""
    truth, p = [1, 1, 0, 0], [0.9, 0.4, 0.45, 0.2]
    of_true = [0.9, 0.4, 0.55, 0.8]
    rms = sqrt(sum((1 - q) ** 2 for q in of_true) / 4)
    log_loss = -sum(np.log(of_true)) / 4
    expected = (3 / 4 + 3 / 4 + 2 / 3 + (1 - rms) + (1 - log_loss)) / 5
    assert value(truth, p, "paper_average", positive=1) == pytest.approx(expected, rel=1e-12)


def test_percentages_are_undefined_at_truths_of_0_alone():
    known = referee.evaluate([1.0, 4.0], {"m": [2.0, 3.0]}, task="regression", metrics="mape")["m", "mape"]
    assert known.value == (1.0 + 0.25) / 2
    with pytest.raises(referee.RefereeError, match="a true value is 0"):
        referee.evaluate([0.0, 4.0], {"m": [2.0, 3.0]}, task="regression", metrics="mape")


def corners(truth, scores):
    """The corners of the ROC curve: shares of the negatives and of the positives at or above each score."""
    yield Fraction(0), Fraction(0)
    for cut in sorted(set(scores), reverse=True):
        called = [y for y, score in zip(truth, scores, strict=True) if score >= cut]
        yield tuple(Fraction(called.count(y), truth.count(y)) for y in (0, 1))


def area_between(points, low, high):
    """Exact: straight lines between the corners, each cut off where the part of the axis ends."""
    total = Fraction(0)
    for (x, y), (next_x, next_y) in pairwise(points):
        begin, end = max(x, low), min(next_x, high)
        if begin < end:
            middle = (begin + end) / 2
            total += (end - begin) * (y + (next_y - y) * (middle - x) / (next_x - x))
    return total


PARTS = [(0, 1), (0, Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)), (Fraction(7, 8), 1), (Fraction(1, 3), 1)]


@pytest.mark.parametrize("focus", ["specificity", "sensitivity"])
@pytest.mark.parametrize(("low", "high"), PARTS)
def test_partial_areas_are_those_of_the_drawn_curve(low, high, focus):
    draw = np.random.default_rng(8)
    for digits in (1, 2):  # with ties and without
        truth = [1, 0, *draw.integers(0, 2, 28).tolist()]
        scores = (0.2 * np.array(truth) + draw.random(30)).round(digits).tolist()
        points = list(corners(truth, scores))
        if focus == "specificity":
            area = area_between(points, 1 - high, 1 - low)
        else:  # as high as the specificity, along the sensitivity
            area = area_between([(y, 1 - x) for x, y in points], low, high)
        guessed = (high - low) * (1 - (low + high) / Fraction(2))  # below the diagonal, along either axis
        expected = {
            "area": area,
            "mean": area / (high - low),
            "mcclish": (1 + (area - guessed) / (high - low - guessed)) / 2,
        }
        for scale, exact in expected.items():
            found = referee.metrics["partial_auc"](
                truth, scores, focus=focus, low=float(low), high=float(high), scale=scale
            )
            assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-13), (scale, digits)


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.5), (0.9, 0.1)])
def test_a_part_has_a_width(low, high):
    with pytest.raises(RefereeError, match="low must be below high"):
        value([0, 1, 1], [0.2, 0.1, 0.7], f"partial_auc(low={low}, high={high})")


def test_ends_of_an_interval_in_either_order():
    ends = [np.array([1.0, 4.0, 2.5]), np.array([3.0, 1.0, 2.5])]
    assert width_terms(ends, [0.05, 0.95], np)["width"].tolist() == [2.0, 3.0, 0.0]


@pytest.mark.parametrize("size", [3.0, 0.125])
def test_chance_in_bins_is_that_of_rows_and_not_of_weights(size):
    """What resampling adds to a gap hangs on how many rows there are, however large all weights are."""
    draw = np.random.default_rng(5)
    truth, scores = draw.integers(0, 2, 60), draw.random(60)
    asked = "calibration_error(bins=4, debiased=true)"
    assert value(truth, scores, asked, weight=np.full(60, size)) == pytest.approx(value(truth, scores, asked))


def test_intervals_about_a_truth_of_zero():
    """Width, plus 2 / alpha for each unit by which the truth is outside (Gneiting and Raftery, 2007)."""
    truth, low, high = np.array([0.0, 0.0, 5.0, -1.0]), np.array([-1.0, 1.0, 2.0, -0.5]), np.array([2.0, 3.0, 4.0, 0.5])
    outside = np.maximum(low - truth, 0) + np.maximum(truth - high, 0)
    model = {"m": {0.1: low, 0.9: high}}
    found = referee.evaluate(truth, model, metrics="interval_score(level=0.8)").rows[0].value
    assert found == pytest.approx(np.mean(high - low + 2 / 0.2 * outside))


def test_a_scorer_is_greater_where_the_model_is_better():
    """The value of a loss is negated, as scikit-learn does."""
    truth, scores = np.array([0, 1, 1, 0, 1]), np.array([0.2, 0.9, 0.25, 0.3, 0.7])
    both = np.stack([1 - scores, scores], axis=1)
    model = SimpleNamespace(classes_=np.array([0, 1]), predict_proba=lambda _x: both, predict=lambda _x: scores >= 0.5)
    asked = (referee.metrics[name].scorer(positive=1) for name in ("brier", "roc_auc"))
    brier, auc = (scorer(model, np.zeros((5, 1)), truth) for scorer in asked)
    assert (brier, auc) == pytest.approx((-np.mean((scores - truth) ** 2), 5 / 6))
    amounts = SimpleNamespace(predict=lambda _x: scores)
    found = referee.metrics["mae"].scorer()(amounts, np.zeros((5, 1)), truth)
    assert found == pytest.approx(-np.abs(scores - truth).mean())
