"""Isotonic regression (CORP) of a million forecasts, against scikit-learn's."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Workload
from benchmarks.two_models import two_models
from referee.calibration import reliability
from referee.calibration.events import Forecasts, first_of_blocks
from referee.predictions import Model, Predictions

ROWS = 1_000_000


def in_steps(truth, scores):
    """Rows to distinct forecasts: the sort that all ranking metrics of a model share."""
    predictions = Predictions("binary", truth, (Model("m", scores=scores),), ("0", "1"), 1)
    return Forecasts.of(predictions, predictions.models[0])


def fitted(forecasts):
    """The regression at each forecast."""
    first = first_of_blocks(forecasts)
    rows, came_true, _ = forecasts.blocks(first)
    return np.repeat(came_true / rows, np.diff(np.append(first, len(forecasts.forecast))))


def with_scikit_learn(forecasts):
    from sklearn.isotonic import isotonic_regression

    return isotonic_regression(forecasts.came_true / forecasts.rows, sample_weight=forecasts.rows)


def diagram(truth, scores):
    """The whole diagram with its band, from rows."""
    predictions = Predictions("binary", truth, (Model("m", scores=scores),), ("0", "1"), 1)
    found = reliability(predictions, "m")
    return found.observed[np.searchsorted(found.first, scores, "right") - 1]


def with_isotonic_regression(truth, scores):
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression().fit_transform(scores, truth)


def agree(answers):
    for name, values in answers.items():
        np.testing.assert_allclose(values, answers["referee"], atol=1e-9, err_msg=name)


def workloads():
    truth, (scores, _) = two_models(ROWS)
    forecasts = in_steps(truth, scores)
    return [
        Workload(
            f"isotonic regression of {ROWS:,} sorted rows",
            {
                "referee": lambda: fitted(forecasts),
                "scikit-learn's isotonic_regression": lambda: with_scikit_learn(forecasts),
            },
            {"scikit-learn's isotonic_regression": 1},
            agree=agree,
        ),
        Workload(
            f"reliability diagram (CORP) with its band, {ROWS:,} rows",
            {
                "referee": lambda: diagram(truth, scores),
                "scikit-learn's IsotonicRegression": lambda: with_isotonic_regression(truth, scores),
            },
            {"scikit-learn's IsotonicRegression": 1},
            agree=agree,
        ),
    ]
