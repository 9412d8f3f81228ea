"""The bootstrap against a slow loop over tables of drawn rows; and the same numbers whatever the machine does."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from referee import metrics
from referee.comparing import tests
from referee.errors import UsageError
from referee.predictions import Predictions, Units
from referee.scoring import bootstrap_values, permuted_differences
from referee.scoring import resampled_values as permutations
from referee.scoring import resampled_values as resampling
from referee.scoring.random_draws import Streams, multiplicities
from referee.significance_tests.bootstrap import _influences
from tests.resampled_models import CASES, ROWS, pair, same, two_models, value_of

NEVER = 1 << 60


def obvious_bootstrap(predictions, metric, replicates, seed, pieces=None):
    """Every replicate as a table of its own, in which a row that was drawn twice stands twice."""
    piece = np.arange(predictions.rows) if pieces is None else pieces
    times = multiplicities(Streams.numbered(seed, replicates), int(piece.max()) + 1)
    for replicate in range(replicates):
        rows = np.repeat(np.arange(predictions.rows), times[piece, replicate])
        drawn = predictions.part(rows)
        yield [value_of(metric, drawn, model) for model in drawn.models]


@pytest.mark.parametrize(("name", "task"), CASES)
def test_bootstrap_of_every_metric(name, task):
    predictions, metric = two_models(task), metrics[name]
    found = bootstrap_values(predictions, predictions.models, [metric], seed=5, replicates=6)
    for replicate, expected in enumerate(obvious_bootstrap(predictions, metric, 6, seed=5)):
        if not np.isnan(expected).any():
            assert same(found.values[0, :, replicate], expected)
    assert np.isfinite(found.values).all()


@pytest.mark.parametrize("name", ["roc_auc", "roc_auc(average=macro)", "roc_auc(average=weighted)",
                                  "roc_auc(average=micro)", "f1(average=macro)", "paper_average"])  # fmt: skip
def test_bootstrap_of_averages(name):
    predictions, metric = two_models("binary"), metrics[name]
    found = bootstrap_values(predictions, predictions.models, [metric], seed=1, replicates=5)
    for replicate, expected in enumerate(obvious_bootstrap(predictions, metric, 5, seed=1)):
        assert same(found.values[0, :, replicate], expected)


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "f1", "average_precision", "rae", "r2"])
def test_probability_weights_multiply(name):
    metric = metrics[name]
    weight = np.random.default_rng(0).integers(0, 5, 25) / 2
    predictions = two_models(metric.tasks[0], weight=weight)
    found = bootstrap_values(predictions, predictions.models, [metric], seed=2, replicates=4)
    times = multiplicities(Streams.numbered(2, 4), 25)
    for replicate in range(4):
        weighted = replace(predictions, weight=weight * times[:, replicate])
        expected = [value_of(metric, weighted, model) for model in predictions.models]
        assert same(found.values[0, :, replicate], expected)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap(method=bca)", "permutation"])
@pytest.mark.parametrize("name", ["roc_auc", "brier", "f1"])
def test_frequency_weights_are_rows_repeated(test, name):
    times = np.array([2, 0, 1, 3, 1] * 5)
    predictions = two_models("binary")
    repeated = predictions.part(np.repeat(np.arange(25), times))
    counted = replace(predictions, weight=times.astype(float), weight_kind="frequency")
    found = bootstrap_values(counted, counted.models, [metrics[name]], seed=0, replicates=50)
    expected = bootstrap_values(repeated, repeated.models, [metrics[name]], seed=0, replicates=50)
    assert np.array_equal(found.values, expected.values)
    found, expected = (tests[test].apply(*pair(one, name), ROWS) for one in (counted, repeated))
    assert found.difference == pytest.approx(expected.difference, abs=1e-15)
    # The two are put into different orders before rows are drawn.
    assert found.p == pytest.approx(expected.p, abs=0.1)
    of_rows = [np.sort(_influences(*pair(one, name))) for one in (counted, repeated)]
    assert of_rows[0] == pytest.approx(of_rows[1], abs=1e-15)


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "accuracy", "average_precision"])
def test_groups_are_drawn_as_a_whole(name):
    codes = np.arange(25) % 9
    predictions = two_models("binary", group=Units(codes, tuple("abcdefghi")))
    found = bootstrap_values(predictions, predictions.models, [metrics[name]], seed=4, replicates=6)
    for replicate, expected in enumerate(obvious_bootstrap(predictions, metrics[name], 6, seed=4, pieces=codes)):
        if not np.isnan(expected).any():
            assert same(found.values[0, :, replicate], expected)


def test_several_metrics_share_the_replicates():
    predictions = two_models("binary", 60)
    chosen = [metrics[name] for name in ("roc_auc", "log_loss", "accuracy", "f1")]
    together = bootstrap_values(predictions, predictions.models, chosen, seed=3, replicates=40)
    for place, metric in enumerate(chosen):
        alone = bootstrap_values(predictions, predictions.models, [metric], seed=3, replicates=40)
        assert np.array_equal(alone.values[0], together.values[place])


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "f1", "average_precision"])
@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_or_not_in_small_batches_or_large(monkeypatch, name, weighted):
    weight = np.random.default_rng(1).random(80) if weighted else None
    predictions, metric = two_models("binary", 80, weight=weight), metrics[name]

    def both():
        drawn = bootstrap_values(predictions, predictions.models, [metric], seed=9, replicates=30).values
        return drawn, permuted_differences(predictions, predictions.models, metric, seed=9, permutations=30)

    expected = both()
    for compile_from, at_once in ((0, 7), (0, 128), (NEVER, 4)):
        for module in (resampling, permutations):
            monkeypatch.setattr(module, "COMPILE_FROM", compile_from)
        monkeypatch.setattr(resampling, "SIDE_BY_SIDE", at_once)
        monkeypatch.setattr(resampling, "MOST_DRAWN", 80 * at_once)
        monkeypatch.setattr(resampling, "MOST_STEPS", 80 * at_once)
        for found, before in zip(both(), expected, strict=True):
            assert np.array_equal(found, before)


def test_the_first_replicates_are_the_same_however_many_follow():
    predictions = two_models("binary", 50)
    many, few = (
        bootstrap_values(predictions, predictions.models, [metrics["brier"]], seed=0, replicates=count).values
        for count in (300, 100)
    )
    assert np.array_equal(many[:, :, :100], few)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap(method=bca)", "permutation"])
def test_seeds_and_the_order_of_rows(test):
    predictions = two_models("binary", 60)
    again, other = (tests[test].apply(*pair(predictions, "brier"), replace(ROWS, seed=seed)) for seed in (0, 1))
    found = tests[test].apply(*pair(predictions, "brier"), ROWS)
    shuffled = predictions.part(np.random.default_rng(0).permutation(60))
    moved = tests[test].apply(*pair(shuffled, "brier"), ROWS)
    assert found == again
    assert (found.p, found.low) != (other.p, other.low)
    assert moved.p == found.p
    if test != "permutation":
        assert (moved.low, moved.high) == pytest.approx((found.low, found.high), rel=1e-12)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap(method=bca)", "permutation"])
@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "mcc", "average_precision"])
def test_swapping_mirrors_and_identical_models_tie(test, name):
    a, b = pair(two_models("binary", 40), name)
    found, mirrored, alone = (tests[test].apply(*models, ROWS) for models in ((a, b), (b, a), (a, a)))
    assert (mirrored.difference, mirrored.p) == (-found.difference, found.p)
    if test != "permutation":
        assert (mirrored.low, mirrored.high) == (-found.high, -found.low)
    assert {found.outcome, mirrored.outcome} in ({"tie"}, {"a", "b"})
    assert (alone.p, alone.outcome, alone.difference) == (1.0, "tie", 0.0)


def test_replicates_without_a_class_are_redrawn(shared):
    """Case 140: with 2 positives among 40 rows, (38 / 40)^40 = 12.9% of the replicates have none."""
    predictions = Predictions.read(shared / "cases/140_boot_missing_class.csv", truth="y", id="id", positive="1")
    for method in ("percentile", "bca"):
        found = tests[f"bootstrap(method={method})"].apply(*pair(predictions, "roc_auc"), ROWS)
        assert not isnan(found.low) and not isnan(found.high) and found.low < found.difference < found.high
        (notice,) = found.warnings
        assert notice.code == "W_BOOT"
        assert all(words in notice.message for words in ("bootstrap", "without class '1'", "redrawn"))
        redrawn = found.details["redrawn"]
        assert redrawn / (2000 + redrawn) == pytest.approx(0.95**40, abs=0.03)


def test_undefined_for_another_reason_is_redrawn_too():
    predictions = Predictions.from_arrays(
        [1, 0, 1, 0, 1, 0, 1, 0], {"a": [0.9, 0.7] + [0.1] * 6, "b": [0.9, 0.8, 0.6] + [0.1] * 5}
    )
    found = tests["bootstrap"].apply(*pair(predictions, "precision"), ROWS)
    (notice,) = found.warnings
    assert "bootstrap replicates have no defined precision" in notice.message
    assert "of them without class" in notice.message and notice.message.endswith("redrawn")


def test_equal_numbers_have_no_variance_in_a_replicate_either():
    """All but one of the true numbers are the same: R squared is undefined in the 1 / e replicates without it."""
    draw = np.random.default_rng(0)
    truth = np.full(300, 0.1)
    truth[7] = 5.0
    models = {name: truth + draw.normal(0, 0.1, 300) for name in "ab"}
    found = tests["bootstrap"].apply(*pair(Predictions.from_arrays(truth, models), "r2"), ROWS)
    redrawn = found.details["redrawn"]
    assert redrawn / (2000 + redrawn) == pytest.approx(np.exp(-1), abs=0.04)
    assert found.low > -1e6


def test_what_is_never_defined_is_given_up(monkeypatch):
    monkeypatch.setattr(resampling, "ATTEMPTS", 3)
    predictions = Predictions.from_arrays([1, 0, 0, 0], {"a": [0.9, 0.2, 0.1, 0.3], "b": [0.5, 0.2, 0.6, 0.3]})
    found = tests["bootstrap"].apply(*pair(predictions, "roc_auc"), ROWS)
    assert found.outcome is None
    assert "nearly every bootstrap replicate" in found.undefined


def test_a_constant_difference_is_no_certainty():
    """Whatever is drawn, a is right and b wrong: the sign test of three rows decides."""
    predictions = Predictions.from_arrays([1, 0, 1], {"a": [1.0, 0.0, 1.0], "b": [0.0, 1.0, 0.0]})
    found = tests["bootstrap"].apply(*pair(predictions, "accuracy"), ROWS)
    assert (found.difference, found.p, found.outcome) == (1.0, 0.25, "tie")
    assert [notice.code for notice in found.warnings] == ["W_ZEROVAR"]


@pytest.mark.parametrize("test", ["bootstrap", "permutation"])
def test_an_undefined_value_is_said_to_be_so(test):
    predictions = Predictions.from_arrays([1, 1], {"a": [0.9, 0.2], "b": [0.4, 0.3]}, classes=[0, 1])
    found = tests[test].apply(*pair(predictions, "roc_auc"), ROWS)
    assert found.outcome is None and "only one class" in found.undefined


def test_fractions_are_no_frequencies():
    predictions = two_models("binary", weight=np.full(25, 1.5), weight_kind="frequency")
    with pytest.raises(UsageError, match="whole numbers"):
        tests["bootstrap"].apply(*pair(predictions, "brier"), ROWS)


def test_so_many_rows_are_not_drawn():
    predictions = two_models("binary", weight=np.full(25, 1e8), weight_kind="frequency")
    with pytest.raises(UsageError, match="2,500,000,000 rows"):
        tests["bootstrap"].apply(*pair(predictions, "brier"), ROWS)
