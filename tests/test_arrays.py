"""What NumPy also has, without what NumPy imports for it."""

from __future__ import annotations

import numpy as np
import pytest

from referee.arrays import distinct, quantile_of


@pytest.mark.parametrize("size", [1, 2, 3, 10, 999, 20_000])
def test_quantiles_are_numpys_to_the_last_bit(size):
    values = np.random.default_rng(size).normal(size=size)
    for level in (0.0, 0.05, 0.5, 0.8, 0.95, 0.975, 0.999, 1.0):
        assert quantile_of(values, level) == np.quantile(values, level), level


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 1.0, 2.0, -0.5], [0.0] * 5])
def test_distinct_values_are_numpys(values):
    np.testing.assert_array_equal(distinct(np.array(values)), np.unique(np.array(values)))
