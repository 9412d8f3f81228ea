"""Equal subsets of the rows, and every metric in all of them at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import metrics
from referee.engines import summarise
from referee.errors import UndefinedError
from referee.predictions import Predictions, Units
from referee.scoring import deal, partitions, values, values_by_partition
from referee.scoring import partitions as subsets
from referee.testing.samples import sample
from tests.strategies import FEW_EXAMPLES, predictions_for

AVERAGES = ["roc_auc(average=macro)", "roc_auc(average=weighted)", "roc_auc(average=micro)", "roc_auc(undefined=0.5)",
            "f1(average=macro)", "f1(average=micro)", "precision(undefined=0)"]  # fmt: skip


def one_partition_after_the_other(metric, predictions, codes, units):
    """Each unit's rows by themselves."""
    found = np.full((len(codes), units), np.nan)
    for partition, unit in np.ndindex(found.shape):
        rows = np.flatnonzero(codes[partition] == unit)
        some = predictions.part(rows)
        if len(rows) and (some.weight is None or some.weight.any()):
            found[partition, unit] = values(
                metric, summarise(some, some.models[0]), len(predictions.classes), predictions.positive
            )[0]
        else:
            undefined = metric.settings.get("undefined")
            found[partition, unit] = np.nan if undefined is None else undefined
    return found


@pytest.fixture(params=[0, 1 << 60], ids=["at once", "one by one"])
def both_ways(request, monkeypatch):
    monkeypatch.setattr(partitions, "COMPILE_FROM", request.param)


def drawn_codes(rows, units, count, seed=0):
    return np.random.default_rng(seed).integers(0, units, (count, rows))


def assert_same(found, expected):
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.nan_to_num(found) == pytest.approx(np.nan_to_num(expected), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [*metrics, *AVERAGES])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.usefixtures("both_ways")
def test_every_metric(name, weighted):
    metric = metrics[name]
    for task in metric.tasks:
        predictions = sample(task, 3, rows=50)
        if weighted:
            predictions = replace(predictions, weight=np.random.default_rng(0).integers(0, 4, 50) / 2)
        # The last unit has no rows.
        codes = drawn_codes(50, 4, 3)
        found = values_by_partition(predictions, predictions.models[0], [metric], codes, 5)
        assert list(found) == [metric.full_name]
        assert_same(found[metric.full_name], one_partition_after_the_other(metric, predictions, codes, 5))


@pytest.mark.parametrize("name", ["roc_auc", "f1", "log_loss", "r2", "average_precision", "hand_till"])
@FEW_EXAMPLES
@given(st.data())
def test_few_rows_with_ties_missing_classes_and_weights(name, data):
    predictions = data.draw(predictions_for(metrics[name]))
    units = data.draw(st.integers(1, 3))
    codes = drawn_codes(predictions.rows, units, 2, seed=data.draw(st.integers(0, 99)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitions, "COMPILE_FROM", 0)
        found = values_by_partition(predictions, predictions.models[0], [metrics[name]], codes, units)
    expected = one_partition_after_the_other(metrics[name], predictions, codes, units)
    assert_same(found[metrics[name].full_name], expected)


@pytest.mark.usefixtures("both_ways")
def test_awkward_scores():
    tiny = np.nextafter(0, 1)
    scores = [0.0, -0.0, tiny, -tiny, 1.0, np.nextafter(1, 2), 0.5, 0.5, -3.0, 1e38]
    predictions = Predictions.from_arrays([1, 0, 1, 0, 1, 0, 1, 0, 1, 0], {"m": scores}, metrics=[metrics["roc_auc"]])
    codes = np.stack([np.zeros(10, int), np.arange(10) // 5])
    found = values_by_partition(predictions, predictions.models[0], [metrics["roc_auc"]], codes, 2)["roc_auc"]
    assert_same(found, one_partition_after_the_other(metrics["roc_auc"], predictions, codes, 2))


def test_several_metrics_and_large_units(monkeypatch):
    """More rows in a unit than are added up in one part, of equal numbers, where plain sums lose digits."""
    monkeypatch.setattr(partitions, "COMPILE_FROM", 0)
    monkeypatch.setattr(partitions, "MOST_STEPS", 30_000)
    draw = np.random.default_rng(0)
    predictions = Predictions.from_arrays(
        draw.integers(0, 2, 20_000), {"m": np.where(draw.random(20_000) < 0.5, 0.1, 0.3)}
    )
    chosen = [metrics[name] for name in ("roc_auc", "average_precision", "log_loss", "accuracy", "probability_rae")]
    codes = drawn_codes(20_000, 2, 3)
    found = values_by_partition(predictions, predictions.models[0], chosen, codes, 2)
    assert list(found) == [metric.full_name for metric in chosen]
    for metric in chosen:
        assert_same(found[metric.full_name], one_partition_after_the_other(metric, predictions, codes, 2))


@pytest.mark.usefixtures("both_ways")
def test_equal_numbers_have_no_variance():
    truth = np.where(np.arange(6000) < 5000, 0.1, np.arange(6000) / 7)
    predictions = Predictions.from_arrays(truth, {"m": truth + np.arange(6000) % 3})
    codes = np.stack([np.arange(6000) // 5000, np.arange(6000) % 2])
    found = values_by_partition(predictions, predictions.models[0], [metrics["r2"]], codes, 2)["r2"]
    assert np.isnan(found).tolist() == [[True, False], [False, False]]


def rows_of_subsets(codes, strata, count):
    table = np.zeros((count, strata.max() + 1), int)
    np.add.at(table, (codes, strata), 1)
    return table


@pytest.mark.parametrize(("rows", "count"), [(20, 2), (103, 7), (1000, 100), (57, 57)])
@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_subsets_are_equal_and_stratified(task, rows, count):
    predictions = sample(task, 0, rows)
    codes = deal(predictions, count, seed=5, partitions=20)
    assert codes.shape == (20, rows)
    for of_partition in codes:
        table = rows_of_subsets(of_partition, predictions.truth, count)
        assert np.ptp(table.sum(axis=1)) <= 1
        assert np.ptp(table, axis=0).max() <= 1


def test_numbers_are_dealt_out_by_their_size():
    predictions = sample("regression", 0, 103)
    for codes in deal(predictions, 5, seed=0, partitions=20):
        assert np.ptp(np.bincount(codes)) <= 1
        by_size = codes[np.argsort(predictions.truth, kind="stable")]
        for first in range(0, 100, 5):
            assert sorted(by_size[first : first + 5]) == [0, 1, 2, 3, 4]


def test_a_partition_hangs_on_seed_and_number_only(monkeypatch):
    predictions = sample("binary", 0, 60)
    many = deal(predictions, 4, seed=1, partitions=12)
    assert np.array_equal(deal(predictions, 4, seed=1, partitions=5), many[:5])
    assert len({codes.tobytes() for codes in many}) == 12
    assert not np.array_equal(deal(predictions, 4, seed=2, partitions=12), many)
    monkeypatch.setattr(subsets, "AT_ONCE", 60)
    assert np.array_equal(deal(predictions, 4, seed=1, partitions=12), many)


def test_every_row_is_as_likely_to_get_anywhere():
    predictions = sample("binary", 0, 36)
    codes = deal(predictions, 3, seed=0, partitions=6000)
    shares = np.stack([(codes == subset).mean(axis=0) for subset in range(3)])
    assert np.abs(shares - 1 / 3).max() < 4.5 * (2 / 9 / 6000) ** 0.5
    # Rows of one class keep each other out of a subset; others do not.
    first, *others = np.flatnonzero(predictions.truth == 1)
    together = (codes[:, others] == codes[:, [first]]).mean()
    assert together == pytest.approx((len(others) + 1 - 3) / (3 * len(others)), abs=0.01)


def test_groups_stay_together():
    draw = np.random.default_rng(0)
    group = draw.integers(0, 60, 600)
    predictions = replace(sample("binary", 0, 600), group=Units(group, tuple(map(str, range(60)))))
    for codes in deal(predictions, 5, seed=0, partitions=6):
        assert all(len(np.unique(codes[group == one])) == 1 for one in range(60))
        table = rows_of_subsets(codes, predictions.truth, 5)
        assert np.ptp(table.sum(axis=1)) <= 6
        assert np.ptp(table, axis=0).max() <= 8


def test_groups_of_numbers_stay_together():
    group = np.arange(400) // 8
    predictions = replace(sample("regression", 0, 400), group=Units(group, tuple(map(str, range(50)))))
    (codes,) = deal(predictions, 5, seed=0)
    assert all(len(np.unique(codes[group == one])) == 1 for one in range(50))
    assert np.bincount(codes).tolist() == [80] * 5


def test_more_subsets_than_rows_or_groups():
    predictions = sample("binary", 0, 12)
    with pytest.raises(UndefinedError, match="12 rows cannot be divided into 13 subsets"):
        deal(predictions, 13, seed=0)
    grouped = replace(predictions, group=Units(np.arange(12) % 3, ("a", "b", "c")))
    with pytest.raises(UndefinedError, match="3 groups"):
        deal(grouped, 4, seed=0)
