"""Slices in great number: each has the value, standard error and interval of its rows alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import referee

SITES = 12


def rows(kind, n=900):
    """Truth, models and columns; the last sites are perfect, of one class, and of two rows."""
    draw = np.random.default_rng(5)
    site = draw.integers(0, SITES - 3, n)
    truth = (draw.random(n) < 0.4).astype(int)
    score = np.clip(0.3 * truth + draw.normal(0.35, 0.2, n), 0.001, 0.999)
    for place, (first, last) in enumerate(((0, 60), (60, 90), (90, 92)), SITES - 3):
        site[first:last] = place
    truth[60:90] = 1
    truth[:60] = np.arange(60) % 2
    truth[90:92] = [0, 1]
    score[:60] = 0.2 + 0.6 * truth[:60] + score[:60] / 10
    weight = draw.uniform(0.5, 2, n) if kind == "weights" else None
    group = draw.integers(0, 150, n) if kind == "groups" else None
    if kind == "numbers":
        truth = truth + draw.normal(0, 1, n)
    if kind == "classes":
        truth = np.where(draw.random(n) < 0.3, 2, truth)
        score = draw.dirichlet([2, 2, 2], n) * 0.6 + 0.4 * np.eye(3)[truth]
    columns = {name: column for name, column in (("weight", weight), ("group", group)) if column is not None}
    return truth, score, site, columns


@pytest.mark.parametrize("kind", ["rows", "weights", "groups", "numbers", "classes"])
@pytest.mark.filterwarnings("ignore")
def test_slices_are_as_their_rows_alone(kind):
    truth, score, site, columns = rows(kind)
    every = referee.evaluate(truth, {"m": score}, by={"site": site}, **columns)
    names = {row.metric for row in every if row.slice is not None}
    classes = [] if kind == "numbers" else np.unique(truth)
    for place in range(SITES):
        here = site == place
        if len(classes) and len(np.unique(truth[here])) < len(classes):
            continue
        part = {name: column[here] for name, column in columns.items()}
        alone = referee.evaluate(truth[here], {"m": score[here]}, metrics=sorted(names), **part)
        sliced = {row.metric: row for row in every if row.slice == f"{place}"}
        assert len(sliced) == len(names)
        for row in alone:
            if row.overall:
                same(sliced[row.metric], row)


def same(sliced, alone):
    assert (sliced.value is None) == (alone.value is None), alone
    for name in ("value", "low", "high", "standard_error"):
        ours, theirs = getattr(sliced, name), getattr(alone, name)
        assert ours == (None if theirs is None else pytest.approx(theirs, rel=1e-8, abs=1e-11)), (name, alone)
    assert sliced.interval == alone.interval


def test_shares_have_the_exact_interval():
    truth, score, site, _ = rows("rows")
    for row in referee.evaluate(truth, {"m": score}, metrics=["accuracy"], by={"site": site}):
        if row.slice is not None:
            here = site == int(row.slice)
            right = int(((score[here] >= 0.5) == truth[here]).sum())
            exact = stats.binomtest(right, int(here.sum())).proportion_ci()
            assert (row.low, row.high) == pytest.approx((exact.low, exact.high), rel=1e-12)
