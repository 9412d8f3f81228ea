"""Write model_diagnostics_decomposition.json: what model-diagnostics' decompose finds, with the forecasts it was given.

Run it where model-diagnostics is installed (values of model-diagnostics 1.5.0, scikit-learn 1.9.1, NumPy 2.4.6).
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

SCORES = {"brier": "SquaredError", "log_loss": "LogLoss"}


def forecasts(name):
    """Overconfident forecasts: distinct ones, ones in steps of a tenth, and rare events with weights."""
    draw = np.random.default_rng(["distinct", "tenths", "weighted"].index(name))
    rows = 400
    signal = draw.normal(size=rows) - (2 if name == "weighted" else 0)
    truth = (draw.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
    said = 1 / (1 + np.exp(-2 * signal + 0.3))
    if name == "tenths":
        said = np.clip(np.round(said, 1), 0.05, 0.95)
    weight = draw.integers(1, 9, rows) / 4 if name == "weighted" else None
    return truth, said, weight


def found_by_model_diagnostics(name):
    from model_diagnostics import scoring

    truth, said, weight = forecasts(name)
    found = {"truth": truth.tolist(), "forecast": said.tolist(), "weight": None if weight is None else weight.tolist()}
    for metric, function in SCORES.items():
        (row,) = scoring.decompose(truth, said, weight, scoring_function=getattr(scoring, function)()).to_dicts()
        found[metric] = {key: row[key] for key in ("score", "miscalibration", "discrimination", "uncertainty")}
    return found


if __name__ == "__main__":
    everything = {name: found_by_model_diagnostics(name) for name in ("distinct", "tenths", "weighted")}
    Path(__file__).with_suffix(".json").write_text(json.dumps(everything) + "\n")
