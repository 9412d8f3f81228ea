"""Slices, classes and tenths are what their rows alone come to; errors that are too small for squares are not 0."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import mean_absolute_percentage_error

import referee
from referee.scoring.residuals import tenths

DRAW = np.random.default_rng(41)
ROWS = 120
TRUTH = DRAW.integers(0, 2, ROWS)
SCORES = np.round(np.clip(0.3 * TRUTH + DRAW.normal(0.35, 0.2, ROWS), 0.01, 0.99), 2)
SITE = np.arange(ROWS) % 3
PARTS = ("value", "low", "high", "standard_error", "interval")


def assert_same(found, expected):
    for part in PARTS:
        ours, theirs = getattr(found, part), getattr(expected, part)
        wanted = pytest.approx(theirs, rel=1e-9, abs=1e-12) if isinstance(theirs, float) else theirs
        assert ours == wanted, (part, expected)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_slices_of_two_classes_are_as_their_rows_alone(alpha):
    """One slice is perfect, and one has only wrong decisions."""
    scores = np.where(SITE == 1, 0.2 + 0.6 * TRUTH + SCORES / 10, np.where(SITE == 2, 0.7 - 0.6 * TRUTH, SCORES))
    asked = ["roc_auc", "accuracy", "balanced_accuracy", "kappa", "mcc", "f1", "precision", "brier", "log_loss", "ks"]
    sliced = referee.evaluate(TRUTH, {"m": scores}, metrics=asked, by={"site": SITE}, alpha=alpha, positive=1)
    for place in range(3):
        here = place == SITE
        alone = referee.evaluate(TRUTH[here], {"m": scores[here]}, metrics=asked, alpha=alpha, positive=1)
        rows = {row.metric: row for row in sliced.rows if row.slice == str(place) and row.class_ is None}
        for metric in asked:
            assert_same(rows[alone["m", metric].metric], alone["m", metric])
        right = int(((scores >= 0.5) == TRUTH)[here].sum())
        exact = stats.binomtest(right, 40).proportion_ci(1 - alpha)
        assert (rows["accuracy"].low, rows["accuracy"].high) == pytest.approx((exact.low, exact.high), rel=1e-9)


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "jaccard", "f_beta(beta=2)", "specificity"])
def test_classes_are_as_they_alone_against_the_rest(metric):
    truth = DRAW.choice(["cat", "dog", "eel"], ROWS)
    said = np.where(DRAW.random(ROWS) < 0.6, truth, "dog")
    every = referee.evaluate(truth, {"m": said}, metrics=metric)
    for name in ("cat", "dog", "eel"):
        (found,) = [row for row in every.rows if row.class_ == name]
        alone = referee.evaluate(np.where(truth == name, "+", "-"), {"m": np.where(said == name, "+", "-")},
                                 metrics=metric, positive="+")  # fmt: skip
        (expected,) = [row for row in alone.rows if row.class_ is None]
        assert_same(found, expected)


@pytest.mark.parametrize("roles", [{}, {"group": np.arange(ROWS) % 30}, {"by": {"site": SITE}}])
def test_errors_too_small_for_squares_are_not_called_certain(roles):
    """The error of a mean is never 0 where the rows differ: it has its size, or is not known."""
    errors = 1e-170 * (1 + np.arange(ROWS) % 5)
    truth = np.zeros(ROWS)
    truth[0] = 1.0
    scores = referee.evaluate(truth, {"m": truth + np.where(truth, 0, errors)}, metrics="mae", **roles)
    for row in scores.rows:
        assert row.value > 0
        assert row.standard_error != 0
        assert row.low is None or row.low < row.value < row.high


def test_tenths_are_numpys_parts_of_the_sorted_rows():
    values = DRAW.permutation(70) / 7
    for found, expected in zip(tenths(values), np.array_split(np.argsort(values), 10), strict=True):
        assert found.tolist() == sorted(expected.tolist())
    # A row that counts three times is three rows.
    times = DRAW.integers(1, 4, 70)
    counted = [times[rows].sum() for rows in tenths(values, times.astype(float))]
    repeated = [len(rows) for rows in tenths(np.repeat(values, times))]
    assert counted == repeated


def test_relative_errors_where_the_truth_is_one_or_none():
    truth, guess = np.array([1.0, 2.0, -4.0, 1.0]), np.array([1.5, 1.0, -5.0, 1.0])
    found = referee.evaluate(truth, {"m": guess}, metrics="mape")
    assert found["m", "mape"].value == pytest.approx(mean_absolute_percentage_error(truth, guess), rel=1e-12)
    truth[3] = 0
    with pytest.raises(referee.RefereeError, match="0"):
        referee.evaluate(truth, {"m": guess}, metrics="mape")


def test_quietly_the_scores_are_shown_all_the_same(referee, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,m\n" + "".join(f"{y},{s}\n" for y, s in zip(TRUTH, SCORES, strict=True)))
    run = referee("evaluate", path, "--truth", "y", "--metrics", "brier", "--quiet", form="text")
    assert f"{np.mean((SCORES - TRUTH) ** 2):.4f}" in run.out
