"""Numbers that others certified: NIST's reference data, exact fractions, offsets, extreme weights, narrow types."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import fsum, sqrt

import numpy as np
import pyarrow as pa
import pytest

import referee
from referee import metrics


@pytest.fixture(scope="module")
def nist(reference):
    return json.loads((reference / "nist_strd.json").read_text())


def alternating(first, low, high):
    return [first, *[low, high] * 500]


MADE_BY_RULE = {
    "NumAcc1": ([10000001, 10000003, 10000002], "10000002", "1"),
    "NumAcc2": (alternating(1.2, 1.1, 1.3), "1.2", "0.1"),
    "NumAcc3": (alternating(1000000.2, 1000000.1, 1000000.3), "1000000.2", "0.1"),
    "NumAcc4": (alternating(10000000.2, 10000000.1, 10000000.3), "10000000.2", "0.1"),
}
SETS = ("Lew", "Lottery", "Mavro", "Michelso", *MADE_BY_RULE)
WRITTEN = {"NumAcc3": 1e-9, "NumAcc4": 1e-8}
"""How exactly the standard deviation can be known of numbers that binary fractions do not hold exactly."""


def certified(nist, name):
    if name in MADE_BY_RULE:
        return MADE_BY_RULE[name]
    return tuple(nist["univariate"][name][part] for part in ("values", "mean", "standard_deviation"))


def exact_moments(values):
    """Mean and sample variance of the binary numbers themselves, as fractions."""
    numbers = [Fraction(value) for value in values]
    mean = sum(numbers) / len(numbers)
    return mean, sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)


@pytest.mark.parametrize("name", SETS)
def test_moments_are_those_of_nist(nist, name):
    values, mean, deviation = certified(nist, name)
    score = referee.evaluate(pa.table({"m": values, "n": values[::-1]}), task="scores", models=["m", "n"])["m", "mean"]
    spread = score.standard_error * sqrt(len(values))
    assert score.value == pytest.approx(float(mean), rel=1e-14)
    assert spread == pytest.approx(float(deviation), rel=WRITTEN.get(name, 1e-13))
    exact_mean, exact_variance = exact_moments(values)
    assert score.value == pytest.approx(float(exact_mean), rel=2e-16)
    assert spread == pytest.approx(sqrt(exact_variance), rel=1e-9 if name in WRITTEN else 1e-13)


@pytest.mark.parametrize("engine", ["memory", "database"])
def test_linear_regression_of_norris(nist, engine):
    data = nist["norris"]
    y, x = np.array(data["y"]), np.array(data["x"])
    table = pa.table({"y": y, "fit": float(data["intercept"]) + float(data["slope"]) * x, "x": x})
    if engine == "database":
        ibis = pytest.importorskip("ibis")
        table = ibis.memtable(table)
    options = referee.ReadOptions(engine=engine)
    scores = referee.evaluate(
        table, truth="y", task="regression", models=["fit", "x"], options=options, metrics=["rmse", "r2", "correlation"]
    )
    residual = scores["fit", "rmse"].value * sqrt(36 / 34)
    assert residual == pytest.approx(float(data["residual_standard_deviation"]), rel=1e-12)
    assert scores["fit", "r2"].value == pytest.approx(float(data["r_squared"]), rel=1e-14)
    assert scores["x", "correlation"].value ** 2 == pytest.approx(float(data["r_squared"]), rel=1e-14)


@pytest.mark.parametrize("name", ["Wampler3", "Wampler4", "Wampler5"])
def test_sums_of_squares_of_wampler(nist, name):
    """A polynomial of degree 5 whose certified coefficients are all 1."""
    data = nist["wampler"]
    fit = np.array([sum(x**power for power in range(6)) for x in range(21)], float)
    y = fit + data[name]["factor"] * np.array(data["deltas"], float)
    residual = metrics["rmse"](y, fit) * sqrt(21 / 15)
    assert residual == pytest.approx(float(data[name]["residual_standard_deviation"]), rel=1e-14)
    assert metrics["r2"](y, fit) == pytest.approx(float(data[name]["r_squared"]), rel=1e-12)


def test_counts_and_ranks_are_exact_fractions():
    draw = np.random.default_rng(4)
    truth, score = draw.integers(0, 2, 300), draw.integers(0, 20, 300) / 32
    weight = draw.integers(0, 5, 300)
    rows = [*zip(truth.tolist(), score.tolist(), weight.tolist(), strict=True)]
    ranked = sum(
        Fraction(w * v) * (Fraction(s > t) + Fraction(s == t, 2))
        for y, s, w in rows if y for z, t, v in rows if not z
    )  # fmt: skip
    pairs = sum(w for y, _, w in rows if y) * sum(w for y, _, w in rows if not y)
    assert metrics["roc_auc"](truth, score, weight=weight) == pytest.approx(float(ranked / pairs), rel=4e-16)
    right = Fraction(sum(w for y, s, w in rows if (s >= 0.5) == y), sum(w for _, _, w in rows))
    assert metrics["accuracy"](truth, score, weight=weight) == pytest.approx(float(right), rel=2e-16)
    square = sum(w * (Fraction(s) - y) ** 2 for y, s, w in rows) / sum(w for _, _, w in rows)
    assert metrics["brier"](truth, score, weight=weight) == pytest.approx(float(square), rel=1e-15)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
@pytest.mark.parametrize("metric", ["rmse", "mae", "r2", "rrse", "correlation"])
def test_offsets_cost_no_digits(metric, offset):
    """Multiples of 1/16 are exact at every offset used here, so the value must be the same."""
    draw = np.random.default_rng(5)
    truth = draw.integers(-80, 80, 400) / 16
    guess = truth + draw.integers(-16, 17, 400) / 16
    assert metrics[metric](truth + offset, guess + offset) == pytest.approx(metrics[metric](truth, guess), rel=1e-12)


@pytest.mark.parametrize(("offset", "within"), [(1e6, 1e-11), (1e9, 1e-8)])
@pytest.mark.parametrize("metric", ["rmse", "mae", "r2", "rrse", "correlation"])
def test_offsets_cost_errors_few_digits(metric, offset, within):
    """What a row adds to R squared and to a correlation is its distance from a mean, which is rounded, too."""
    draw = np.random.default_rng(5)
    truth = draw.integers(-80, 80, 400) / 16
    models = {name: truth + draw.integers(-wide, wide + 1, 400) / 16 for name, wide in (("a", 16), ("b", 24))}
    moved = {name: values + offset for name, values in models.items()}
    (plain,), (far,) = (
        referee.compare(y, given, goal=metric, metrics="goal").comparisons
        for y, given in ((truth, models), (truth + offset, moved))
    )
    assert far.difference == pytest.approx(plain.difference, rel=1e-12)
    for name in ("standard_error", "low", "high"):
        assert getattr(far, name) == pytest.approx(getattr(plain, name), rel=within)
    assert far.p == pytest.approx(plain.p, rel=100 * within)


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "log_loss", "f1", "calibration_error"])
def test_extreme_weights_give_the_same_numbers(metric, factor):
    draw = np.random.default_rng(6)
    truth, weight = draw.integers(0, 2, 200), draw.random(200) + 0.5
    models = {name: np.clip(draw.normal(0.3 + 0.4 * truth, 0.3), 0.01, 0.99) for name in ("a", "b")}
    plain, scaled = (
        referee.compare(truth, models, goal=metric, weight=each, metrics="goal") for each in (weight, weight * factor)
    )
    for name in ("difference", "low", "high", "p", "standard_error"):
        assert getattr(scaled.comparisons[0], name) == pytest.approx(getattr(plain.comparisons[0], name), rel=1e-9)
    assert scaled.values == pytest.approx(plain.values, rel=1e-12)


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "brier", "accuracy", "average_precision"])
def test_narrow_types_are_summed_in_64_bits(kind, metric):
    draw = np.random.default_rng(7)
    truth = draw.integers(0, 2, 5000)
    scores = np.clip(draw.normal(0.3 + 0.4 * truth, 0.3), 0.01, 0.99).astype(kind)
    value = metrics[metric](truth, scores)
    assert value == pytest.approx(metrics[metric](truth, scores.astype(np.float64)), rel=1e-14)


def doubled(state):
    """19 times, as if other days had brought the same numbers: the same rows twice are refused."""
    for doubling in range(19):
        state = replace(state + replace(state, parts=(f"copy {doubling}",)), parts=("all",))
    return state


def test_a_thousand_million_rows_of_numbers_far_from_0():
    """The variance of numbers near a million is what is left of squares of 1e12: nothing is lost of it."""
    draw = np.random.default_rng(9)
    truth = 1e6 + draw.normal(size=2000)
    guess = truth + draw.normal(size=2000) / 2
    state = doubled(referee.summarise(truth, {"m": guess}))
    many = referee.evaluate(state, metrics=["rmse", "r2", "correlation"])
    y, p = [Fraction(value) for value in truth], [Fraction(value) for value in guess]
    means = [sum(numbers) / 2000 for numbers in (y, p)]
    squared = sum((a - b) ** 2 for a, b in zip(y, p, strict=True))
    of_y, of_p = (sum((value - mean) ** 2 for value in numbers) for numbers, mean in zip((y, p), means, strict=True))
    together = sum((a - means[0]) * (b - means[1]) for a, b in zip(y, p, strict=True))
    assert many["m", "rmse"].value == pytest.approx(sqrt(squared / 2000), rel=1e-13)
    assert many["m", "r2"].value == pytest.approx(float(1 - squared / of_y), rel=1e-12)
    assert many["m", "correlation"].value == pytest.approx(float(together) / sqrt(of_y * of_p), rel=1e-12)


def test_a_thousand_million_rows_that_are_ranked():
    """Scores of two digits are told apart by the bins of a state, so that AUC is the share of pairs in order."""
    draw = np.random.default_rng(10)
    truth = draw.integers(0, 2, 2000)
    scores = np.clip(np.round(draw.normal(0.3 + 0.4 * truth, 0.3), 2), 0.01, 0.99)
    state = doubled(referee.summarise(truth, {"m": scores}))
    many = referee.evaluate(state, metrics=["roc_auc"])["m", "roc_auc"]
    high, low = (np.round(scores[truth == label] * 100).astype(int) for label in (1, 0))
    in_order = 2 * (high[:, None] > low).sum() + (high[:, None] == low).sum()
    assert many.value == pytest.approx(float(Fraction(int(in_order), 2 * len(high) * len(low))), rel=1e-14)
    once = referee.evaluate(truth, {"m": scores}, metrics="roc_auc")["m", "roc_auc"]
    assert many.standard_error == pytest.approx(once.standard_error / sqrt(2**19), rel=1e-3)


def test_a_thousand_million_rows_by_adding_states():
    """2,000 rows doubled 19 times: sums, counts and squares grow exactly, the mean and its spread are known."""
    draw = np.random.default_rng(8)
    truth = draw.integers(0, 2, 2000)
    scores = np.clip(draw.normal(0.3 + 0.4 * truth, 0.3), 0.01, 0.99)
    state = referee.summarise(truth, {"m": scores})
    once = referee.evaluate(state, metrics=["accuracy", "brier", "log_loss"])
    state = doubled(state)
    assert state.rows == 2000 * 2**19 > 10**9
    many = referee.evaluate(state, metrics=["accuracy", "brier", "log_loss"])
    losses = {
        "accuracy": ((scores >= 0.5) == truth).astype(float),
        "brier": (scores - truth) ** 2,
        "log_loss": -np.log(np.where(truth == 1, scores, 1 - scores)),
    }
    for name, loss in losses.items():
        mean = fsum(loss) / 2000
        variance = fsum((loss - mean) ** 2) / 2000
        assert many["m", name].value == pytest.approx(mean, rel=1e-13)
        assert many["m", name].value == pytest.approx(once["m", name].value, rel=1e-13)
        assert many["m", name].standard_error == pytest.approx(sqrt(variance / (state.rows - 1)), rel=1e-9)
