"""The nearest rows, compiled and in NumPy, against each other on rows full of ties, gaps and outliers."""

from __future__ import annotations

import numpy as np
import pytest

from referee.fitting.estimators import neighbour_search
from referee.fitting.estimators.neighbour_search import Places, Ranges, nearest
from referee.fitting.estimators.neighbours import NeighboursRegressor

SIZES = np.array([0, 3, 0, 0, 2, 0, 0, 0])


def table(seed, *, gaps, outliers):
    random = np.random.default_rng(seed)
    rows = random.integers(0, 4, (900, len(SIZES))).astype(float)
    rows[:, 2] = random.normal(size=900)
    rows[:, 1], rows[:, 4] = random.integers(0, 3, 900), random.integers(0, 2, 900)
    if gaps:
        rows[random.random(rows.shape) < 0.1] = np.nan
    if outliers:
        rows[-20:, 0], rows[-10:, 2] = 1e6, -1e30
    return rows


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("outliers", [False, True])
@pytest.mark.parametrize("columns", [slice(None), [0], [1], [1, 4], [0, 2, 3, 5, 6]], ids=str)
@pytest.mark.parametrize("k", [1, 7, 600])
@pytest.mark.parametrize("keep_ties", [False, True])
def test_compiled_and_numpy_find_the_same(monkeypatch, gaps, outliers, columns, k, keep_ties):
    rows, sizes = table(k, gaps=gaps, outliers=outliers)[:, columns], SIZES[columns]
    ranges = Ranges.of(rows[:600], np.flatnonzero(sizes))
    train = Places.of(rows[:600], ranges, sizes, for_training=True)
    test = Places.of(rows[600:], ranges, sizes, for_training=False)
    monkeypatch.setattr(neighbour_search, "COMPILE_FROM", np.inf)
    in_numpy = nearest(train, test, k, keep_ties=keep_ties)
    monkeypatch.setattr(neighbour_search, "COMPILE_FROM", 0)
    compiled = nearest(train, test, k, keep_ties=keep_ties)
    assert np.array_equal(compiled.row, in_numpy.row) and np.array_equal(compiled.place, in_numpy.place)
    assert np.array_equal(compiled.step, in_numpy.step)
    assert np.bincount(compiled.row).min() >= k and (keep_ties or len(compiled.row) == 300 * k)


def test_scikit_learn_finds_the_same(monkeypatch):
    """Where nothing is tied, on numbers between 0 and 1."""
    from sklearn.neighbors import NearestNeighbors

    rows = np.random.default_rng(1).random((1000, 9))
    expected = NearestNeighbors(n_neighbors=50, algorithm="kd_tree").fit(rows[:700]).kneighbors(rows[700:])[1]
    places = Places(rows, np.empty((1000, 0), np.int32))
    for compile_from in (0, np.inf):
        monkeypatch.setattr(neighbour_search, "COMPILE_FROM", compile_from)
        near = nearest(places.part(slice(700)), places.part(slice(700, None)), 50)
        assert np.array_equal(near.place.reshape(-1, 50), expected)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_rows_that_lie_close_are_told_apart(monkeypatch, weights):
    """A skewed column: most rows lie within a millionth of its range."""
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.preprocessing import minmax_scale

    draw = np.random.default_rng(0)
    x = np.exp(4 * draw.normal(size=(600, 1)))
    y = draw.normal(size=600)
    scaled = minmax_scale(x)
    for compile_from in (0, np.inf):
        monkeypatch.setattr(neighbour_search, "COMPILE_FROM", compile_from)
        models = [NeighboursRegressor(k=k, weights=weights) for k in (1, 5, 50)]
        found = models[-1].fit(x, y).answers_of(models, "predict", x)
        for model, values in zip(models, found, strict=True):
            expected = KNeighborsRegressor(model.k, weights=weights).fit(scaled, y).predict(scaled)
            np.testing.assert_allclose(values, expected, rtol=1e-9)
