"""Sums that round badly if they are added up carelessly, against sums of fractions."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from referee import Predictions, evaluate
from referee.arrays import ExactSum, total

ROWS = 40_000
"""More than a block."""


def exact(values):
    return sum(map(Fraction, values.tolist()), Fraction(0))


def awkward():
    draw = np.random.default_rng(0)
    small = draw.normal(size=ROWS)
    yield "offset 1e9", 1e9 + small
    yield "1e16 + 1", np.tile([1e16, 1.0, -1e16, 1.0], ROWS // 4)
    yield "sizes that cancel", np.concatenate([1e12 * small[: ROWS // 2], -1e12 * small[: ROWS // 2] + 1e-3])
    yield "all sizes", small * 10.0 ** draw.integers(-200, 200, ROWS)
    yield "few", np.array([1e16, 1.0, -1e16])


@pytest.mark.parametrize(("name", "values"), list(awkward()), ids=lambda given: given if isinstance(given, str) else "")
def test_a_sum_is_rounded_once_in_any_order_and_any_blocks(name, values):
    expected = float(exact(values))
    assert total(values) == expected, name
    shuffled = np.random.default_rng(1).permutation(values)
    assert total(shuffled) == expected
    running = ExactSum()
    for part in np.array_split(shuffled, 7):
        running.add(part)
    assert running.total == expected


@pytest.fixture(scope="module")
def far_away():
    """Numbers about 1e9, with errors about 1."""
    draw = np.random.default_rng(2)
    truth = 1e9 + draw.normal(size=500)
    return truth, truth + draw.normal(size=500)


@pytest.mark.parametrize(("metric", "power"), [("mse", 2), ("mae", 1)])
def test_means_of_errors_far_from_zero(far_away, metric, power):
    truth, guess = far_away
    (row,) = evaluate(Predictions.from_arrays(truth, {"m": guess}), metric).rows
    errors = [abs(Fraction(a) - Fraction(b)) ** power for a, b in zip(truth.tolist(), guess.tolist(), strict=True)]
    mean = sum(errors) / len(errors)
    variance = sum((error - mean) ** 2 for error in errors) / (len(errors) - 1) / len(errors)
    assert row.value == pytest.approx(float(mean), rel=1e-15)
    assert row.standard_error == pytest.approx(sqrt(variance), rel=1e-12)


def test_r2_far_from_zero(far_away):
    truth, guess = far_away
    (row,) = evaluate(Predictions.from_arrays(truth, {"m": guess}), "r2").rows
    numbers = [Fraction(number) for number in truth.tolist()]
    mean = sum(numbers) / len(numbers)
    errors = sum((a - Fraction(b)) ** 2 for a, b in zip(numbers, guess.tolist(), strict=True))
    spread = sum((a - mean) ** 2 for a in numbers)
    # The mean of the truth is rounded to a double near 1e9, which moves the spread by its square.
    assert row.value == pytest.approx(float(1 - errors / spread), rel=1e-12)


@pytest.mark.parametrize(("extreme", "expected"), [([np.inf], np.inf), ([np.nan], np.nan), ([1e305], 1e305)])
def test_extremes_behind_ordinary_numbers(extreme, expected):
    """Nothing of what was added up before is lost or counted twice."""
    running = ExactSum()
    running.add(np.full(ROWS, 0.5))
    running.add(np.array([-0.5] * ROWS + extreme))
    running.add(np.array([1.0, -1.0]))
    assert running.total == pytest.approx(expected, nan_ok=True)
