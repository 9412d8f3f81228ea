"""What benchmarks time is the same everywhere: twelve metrics by scikit-learn, by hand, and by the limit kernel."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.limit_kernel import compiler, twelve_at_the_limit
from benchmarks.peers import twelve_by_numpy, twelve_by_polars, twelve_by_sklearn


def examples():
    draw = np.random.default_rng(3)
    truth = (draw.random(5000) < 0.2).astype(np.int64)
    smooth = np.clip(draw.normal(0.3 + 0.3 * truth, 0.2), 1e-6, 1 - 1e-6)
    few_leading_bits = 0.25 + truth * 2.0**-40 * draw.integers(0, 3, 5000) + 2.0**-50 * draw.integers(0, 900, 5000)
    return {
        "smooth": smooth,
        "tied": smooth.round(1).clip(0.05, 0.95),
        "alike in their leading bits": np.where(draw.random(5000) < 0.1, 0.75, few_leading_bits),
    }, truth


@pytest.mark.parametrize("run", [twelve_by_numpy, twelve_by_polars, twelve_at_the_limit])
@pytest.mark.parametrize("kind", ["smooth", "tied", "alike in their leading bits"])
def test_twelve_metrics_are_those_of_scikit_learn(run, kind):
    if run is twelve_at_the_limit and not compiler():
        pytest.skip("there is no C compiler")
    scores, truth = examples()
    expected = twelve_by_sklearn(truth, scores[kind])
    values = run(truth, scores[kind])
    assert values.keys() == expected.keys()
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=1e-10), name


def test_cost_that_grows_with_the_rows_has_exponent_one():
    """Also that all parts of the benchmark can be imported."""
    from benchmarks import __main__ as everything

    rows = [{"series": "evaluate, in rows", "n": n, "referee": n / 1e6} for n in (10_000, 100_000, 1_000_000)]
    exponent = next(iter(everything.growth(rows)))
    assert 1.0 in [pytest.approx(value) for value in exponent.values() if isinstance(value, float)]
