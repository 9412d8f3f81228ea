"""Write time_series_tests.json: Diebold-Mariano statistics of `scores`, and HAC errors of statsmodels.

Run it where these are installed (values of scores 2.7.0, statsmodels 0.15.0, xarray 2026.9.0, NumPy 2.4.6).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

RUNS = ((40, 1), (100, 3), (365, 7), (1000, 12))
"""Rows and horizon."""


def errors(rows):
    """Of two forecasts that drift: short enough to be written down exactly."""
    random = np.random.default_rng(rows)
    drift = 0.1 * random.standard_normal((2, rows)).cumsum(axis=1)
    return np.round(drift + random.standard_normal((2, rows)), 3)


def found_by_scores(differences, horizon):
    import xarray
    from scores.stats.statistical_tests import diebold_mariano

    table = xarray.DataArray([differences], dims=["lead", "day"], coords={"lead": [0], "h": ("lead", [horizon])})
    found = diebold_mariano(table, "lead", "h", method="HLN", confidence_level=0.95, statistic_distribution="t")
    return {name: float(found[name][0]) for name in ("mean", "dm_test_stat", "ci_upper", "ci_lower", "confidence_gt_0")}


def found_by_statsmodels(differences, lags):
    import statsmodels.api

    options = {"maxlags": lags, "use_correction": False, "weights_func": lambda most: np.ones(most + 1)}
    model = statsmodels.api.OLS(differences, np.ones(len(differences)))
    return float(model.fit(cov_type="HAC", cov_kwds=options).bse[0])


def found(rows, horizon):
    a, b = errors(rows)
    differences = a**2 - b**2
    by_scores = found_by_scores(differences, horizon)
    return {
        "a": a.tolist(), "b": b.tolist(), "horizon": horizon, "scores": by_scores,
        "hac_without_weights": found_by_statsmodels(differences, horizon - 1) if horizon > 1 else None,
    }  # fmt: skip


if __name__ == "__main__":
    Path(__file__).with_suffix(".json").write_text(json.dumps([found(*run) for run in RUNS]) + "\n")
