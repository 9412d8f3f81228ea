"""The numbers on the slides of CS699, lecture 6, "Performance Evaluation"; everything else is computed from them."""

from __future__ import annotations

from pathlib import Path

from referee.predictions import Predictions

TEN_ROWS = "YYNYNNNYNN", "YNNNNNYYNN"
"""The actual and the predicted classes of the model test."""
BUYS_COMPUTER = {("yes", "yes"): 6954, ("yes", "no"): 46, ("no", "yes"): 412, ("no", "no"): 2588}
"""Rows by actual and predicted class."""
RARE_CANCER = {("cancer", "cancer"): 20, ("cancer", "healthy"): 80, ("healthy", "healthy"): 9900}
CANCER = {("yes", "yes"): 90, ("yes", "no"): 210, ("no", "yes"): 140, ("no", "no"): 9560}
RANKED = "PPNPPNPNNP", (0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742)
"""The actual classes from the highest probability down, and the probabilities."""
ERRORS_1 = (0.12, 0.18, 0.14, 0.21, 0.21, 0.09, 0.18, 0.15, 0.16, 0.03)
ERRORS_2 = (0.03, 0.03, 0.02, 0.25, 0.18, 0.01, 0.07, 0.05, 0.17, 0.09)
"""Error rates of two models in the ten folds of a cross-validation."""
MODEL = "M"


def ten_rows() -> Predictions:
    actual, predicted = map(list, TEN_ROWS)
    return Predictions.from_arrays(actual, {MODEL: predicted}, positive="Y")


def rows_of(cells: dict[tuple[str, str], int], positive: str) -> Predictions:
    """As many rows as each cell of a confusion matrix counts."""
    actual = [true for (true, _), rows in cells.items() for _ in range(rows)]
    predicted = [called for (_, called), rows in cells.items() for _ in range(rows)]
    return Predictions.from_arrays(actual, {MODEL: predicted}, positive=positive)


def ranked_rows() -> Predictions:
    classes, probabilities = RANKED
    return Predictions.from_arrays(list(classes), {MODEL: list(probabilities)}, positive="P")


def cpu_rows(*, baseline: bool) -> Predictions:
    """Weka's RBFNetwork on its CPU data, predicted in ten folds; `baseline` knows the mean of each training set."""
    file, mean = Path(__file__).with_name("cpu.csv"), "train_mean" if baseline else None
    return Predictions.read(file, truth="actual", models=["predicted"], baseline=mean, task="regression")
