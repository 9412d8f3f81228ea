"""The permutation test against models whose predictions are swapped one by one, all swaps there are, and SciPy."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from referee import metrics
from referee.comparing import tests
from referee.predictions import Lists, Predictions, Units
from referee.scoring import permuted_differences
from referee.scoring import resampled_values as permutations
from referee.scoring.random_draws import Streams, kept
from tests.resampled_models import CASES, ROWS, pair, same, two_models, value_of


def obvious_differences(predictions, metric, swaps):
    """Every permutation as two models of their own, whose predictions come from the one or the other."""
    by_rank = metric.ranks_only
    a, b = (replace(model, scores=_ranks(model.scores)) if by_rank else model for model in predictions.models)
    for as_is in swaps.T == 1:
        mixed = [_mixed(a, b, as_is), _mixed(b, a, as_is)]
        yield value_of(metric, predictions, mixed[0]) - value_of(metric, predictions, mixed[1])


def _ranks(scores):
    return None if scores is None else np.array([(scores < one).sum() + (scores == one).sum() / 2 for one in scores])


def _mixed(a, b, as_is):
    def choose(one, other):
        if isinstance(one, Lists):
            return one.with_values(np.where(as_is[one.row], one.values, other.values))
        return None if one is None else np.where(as_is, one, other)

    columns = a.class_scores and tuple(map(choose, a.class_scores, b.class_scores))
    levels = a.quantiles and {q: choose(a.quantiles[q], b.quantiles[q]) for q in a.quantiles}
    single = {name: choose(getattr(a, name), getattr(b, name)) for name in ("scores", "labels", "values")}
    return replace(a, **single, class_scores=columns, quantiles=levels)


@pytest.mark.parametrize(("name", "task"), [(n, t) for n, t in CASES if not metrics[n].ranks_only or t == "binary"])
def test_permutation_of_every_metric(name, task):
    predictions, metric = two_models(task), metrics[name]
    found = permuted_differences(predictions, predictions.models, metric, seed=6, permutations=5)
    swaps = kept(Streams.numbered(6, 5), predictions.rows)
    assert same(found, list(obvious_differences(predictions, metric, swaps)))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_short_cut_of_areas_is_exact(weighted, grouped):
    predictions = two_models(
        "binary", 40,
        weight=np.random.default_rng(0).integers(0, 4, 40) / 2 if weighted else None,
        group=Units(np.arange(40) % 7, tuple("abcdefg")) if grouped else None,
    )  # fmt: skip
    metric, pooled = metrics["roc_auc"], []

    def keep(rows, streams, code):
        pooled.append((rows, streams, code))
        return short_cut(rows, streams, code)

    short_cut = permutations._differences_of_areas
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutations, "_differences_of_areas", keep)
        found = permuted_differences(predictions, predictions.models, metric, seed=0, permutations=60)
    ((rows, streams, _),) = pooled
    assert found == pytest.approx(permutations._differences(rows, streams, metric), abs=1e-15)


def test_groups_are_swapped_as_a_whole():
    predictions = two_models("binary", 20, group=Units(np.arange(20) % 4, tuple("abcd")))
    swaps = kept(Streams.numbered(0, 30), 4)[np.arange(20) % 4]
    found = permuted_differences(predictions, predictions.models, metrics["brier"], seed=0, permutations=30)
    assert same(found, list(obvious_differences(predictions, metrics["brier"], swaps)))


@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "brier"])
def test_permutation_by_enumeration(name):
    predictions, metric = two_models("binary", 9), metrics[name]
    swaps = np.array(list(product([0, 1], repeat=9))).T
    every = np.array(list(obvious_differences(predictions, metric, swaps)))
    found = tests["permutation"].apply(*pair(predictions, name), ROWS)
    exact = (np.abs(every) >= abs(found.difference) - 1e-12).mean()
    assert found.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 10_000) ** 0.5 + 1e-4)


@pytest.mark.parametrize("name", ["accuracy", "roc_auc"])
def test_permutation_as_scipy_does_it(name):
    from scipy.stats import permutation_test, rankdata

    predictions, metric = two_models("binary", 10), metrics[name]
    a, b = (rankdata(m.scores) if metric.ranks_only else m.scores for m in predictions.models)

    def statistic(first, second, axis):
        return np.apply_along_axis(value, axis, first) - np.apply_along_axis(value, axis, second)

    def value(scores):
        return value_of(metric, predictions, replace(predictions.models[0], scores=scores))

    peer = permutation_test(
        (a, b), statistic, permutation_type="samples", vectorized=True, n_resamples=2000, axis=-1
    )  # fmt: skip
    found = tests["permutation"].apply(*pair(predictions, name), ROWS)
    assert found.difference == pytest.approx(float(peer.statistic), abs=1e-15)
    # Of all 1024 swaps SciPy gives twice the smaller tail; the differences are symmetric, so that it is the same.
    assert found.p == pytest.approx(float(peer.pvalue), abs=0.02)


def test_scales_do_not_matter_where_only_ranks_do():
    predictions = two_models("binary", 40)
    a, b = predictions.models
    stretched = replace(predictions, models=(a, replace(b, scores=1000 * b.scores**3 - 7)))
    found, moved = (tests["permutation"].apply(*pair(one, "roc_auc"), ROWS) for one in (predictions, stretched))
    assert moved.difference == pytest.approx(found.difference, abs=1e-15)
    assert moved.p == pytest.approx(found.p, abs=0.03)  # drawn in another order of the rows


def test_whichever_comes_first_the_same_is_permuted(monkeypatch):
    """Sums are rounded in the same order, so that nothing is left to the last bit."""
    seen = []

    def noted(_predictions, models, *_, permutations, **__):
        seen.append([model.name for model in models])
        return np.zeros(permutations)

    a, b = pair(two_models("binary"), "brier")
    monkeypatch.setitem(tests["permutation"].compare.__globals__, "permuted_differences", noted)
    for models in ((a, b), (b, a)):
        tests["permutation"].apply(*models, ROWS)
    assert seen[0] == seen[1]


def test_an_undefined_permutation_counts_as_large():
    predictions = Predictions.from_arrays([1, 0, 1, 0], {"a": [0.9, 0.1, 0.1, 0.1], "b": [0.1, 0.1, 0.8, 0.1]})
    found = tests["permutation"].apply(*pair(predictions, "precision"), ROWS)
    assert found.p == 1.0
    (notice,) = found.warnings
    assert notice.code == "W_PERMUTATION" and "counted as large" in notice.message


def test_p_is_never_zero():
    truth = np.arange(60) % 2
    predictions = Predictions.from_arrays(truth, {"a": 0.1 + 0.8 * truth, "b": np.where(np.arange(60) % 3, 0.3, 0.8)})
    assert tests["permutation(permutations=200)"].apply(*pair(predictions, "brier"), ROWS).p == 1 / 201
    assert tests["bootstrap(replicates=200)"].apply(*pair(predictions, "brier"), ROWS).p == 2 / 201
