"""Write statsmodels_long_run.json: HAC standard errors of mean row losses in time (statsmodels 0.15.0, NumPy 2.4.6)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

ROWS, LAGS = 20_000, 120
"""Lags that dependence of 0.7 from row to row does not reach, so that weights of any shape give about the same."""


def drift(random, rho=0.7):
    steps = np.sqrt(1 - rho**2) * random.standard_normal(ROWS)
    for place in range(1, ROWS):
        steps[place] += rho * steps[place - 1]
    return steps


def predictions():
    """A number with its forecast, and a label with its probability."""
    random = np.random.default_rng(18)
    number, error, logit = (drift(random) for _ in range(3))
    label = (random.random(ROWS) < 1 / (1 + np.exp(-drift(random) - logit))).astype(int)
    return {"numbers": (number, number + error), "labels": (label, 1 / (1 + np.exp(-logit)))}


def losses():
    made = predictions()
    (number, forecast), (label, probability) = made["numbers"], made["labels"]
    right = (probability >= 0.5) == (label == 1)
    log_loss = -np.log(np.where(label == 1, probability, 1 - probability))
    return {"mae": np.abs(number - forecast), "accuracy": right.astype(float), "log_loss": log_loss}


def standard_error(each):
    import statsmodels.api

    model = statsmodels.api.OLS(each, np.ones(ROWS))
    return float(model.fit(cov_type="HAC", cov_kwds={"maxlags": LAGS}).bse[0])


if __name__ == "__main__":
    found = {metric: standard_error(each) for metric, each in losses().items()}
    Path(__file__).with_suffix(".json").write_text(json.dumps(found) + "\n")
