"""Pairs of a state in any order, and any of its models: what rows say; and sizes that a state cannot add up."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import referee
from tests.sources.refusals import refused

ROWS = 3000
draw = np.random.default_rng(11)
TRUTH = (draw.random(ROWS) < 0.4).astype(int)
SCORES = {
    name: 1 / (1 + np.exp(1 - signal * TRUTH - draw.normal(size=ROWS)))
    for name, signal in zip("abc", (1.4, 1.2, 0.9), strict=True)
}
NUMBERS = draw.normal(size=ROWS)
GUESSES = {name: NUMBERS + error * draw.normal(size=ROWS) for name, error in zip("abc", (0.8, 1.0, 1.1), strict=True)}


def of(goal):
    return (NUMBERS, GUESSES) if goal in ("mae", "rmse") else (TRUTH, SCORES)


@pytest.mark.parametrize("goal", ["accuracy", "f1", "log_loss", "roc_auc", "mae", "rmse"])
@pytest.mark.parametrize(("production", "candidate"), list(permutations("abc", 2)))
def test_a_gate_of_any_two_models(goal, production, candidate):
    truth, models = of(goal)
    asked = {"goal": goal, "production": production, "candidate": candidate, "margin": 0.01, "metrics": "goal"}
    state = referee.summarise(truth, models, metrics=goal)
    kept, of_rows = referee.gate(state, **asked), referee.gate(truth, models, **asked)
    assert kept.outcome == of_rows.outcome
    one, other = kept.verdict.comparisons[0], of_rows.verdict.comparisons[0]
    near = 1e-3 if goal == "roc_auc" else 1e-9  # whose scores lie in bins
    assert one.difference == pytest.approx(other.difference, rel=near)
    assert one.standard_error == pytest.approx(other.standard_error, rel=near)
    assert one.p == pytest.approx(other.p, rel=10 * near, abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [2.0**-60, 2.0**-40, 1.0, 2.0**40, 2.0**59])
def test_sizes_are_kept(size):
    """By powers of two every number is scaled without rounding."""
    state = referee.summarise(NUMBERS * size, {name: column * size for name, column in GUESSES.items()})
    metrics = ("mae", "rmse", "r2", "correlation")
    kept, plain = referee.evaluate(state, metrics=metrics), referee.evaluate(NUMBERS, GUESSES, metrics=metrics)
    for name in GUESSES:
        for metric, scale in zip(metrics, (size, size, 1, 1), strict=True):
            one, other = kept[name, metric], plain[name, metric]
            for field in ("value", "low", "high", "standard_error"):
                assert getattr(one, field) == pytest.approx(getattr(other, field) * scale, rel=1e-9), (metric, field)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("size", "which"), [(1e-30, "small"), (1e-100, "small"), (1e30, "large"), (1e100, "large"), (1e200, "large")]
)
def test_sizes_whose_powers_are_no_numbers_are_refused(size, which):
    with refused("E_STATE", f"too {which} for a state", "column 'b'"):
        referee.summarise(NUMBERS * size / 10, {"a": GUESSES["a"] * size / 10, "b": GUESSES["b"] * size})


def test_one_tiny_number_is_no_tiny_column():
    truth = np.append(NUMBERS, 1e-300)
    models = {name: np.append(column, 0.5) for name, column in GUESSES.items()}
    state = referee.summarise(truth, models)
    kept, plain = referee.evaluate(state, metrics="mae"), referee.evaluate(truth, models, metrics="mae")
    assert kept["a", "mae"].low == pytest.approx(plain["a", "mae"].low, rel=1e-12)
