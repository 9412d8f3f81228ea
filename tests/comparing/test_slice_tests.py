"""Slices: what is said to differ there, against tests that others wrote and by simulation."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import fisher_exact, ttest_ind

from benchmarks.engines import AMOUNTS, QUANTILES, THREE, TWO, duckdb_file, table
from referee.comparing import compare, in_slices
from referee.predictions import Predictions


def sliced(seed: int, sizes: tuple[int, ...], **more):
    draw = np.random.default_rng(seed)
    rows = sum(sizes)
    truth = draw.integers(0, 2, rows)
    scores = {name: np.clip(truth * 0.4 + 0.3 + draw.normal(0, 0.25, rows), 0, 1) for name in "ab"}
    place = np.repeat([f"p{one}" for one in range(len(sizes))], sizes)
    return Predictions.from_arrays(truth, scores, by={"place": place}, **more), truth, scores, place


def test_a_mean_of_rows_is_tested_as_by_welch():
    """On large slices the metric's own scale hardly matters; Welch's t on the rows' squared errors is foreign."""
    predictions, truth, scores, place = sliced(3, (4000, 4000, 4000))
    found = compare(predictions, "brier", metrics=["brier"], by="place").slices
    for name, column in scores.items():
        errors = (column - truth) ** 2
        for one in np.unique(place):
            foreign = ttest_ind(errors[place == one], errors[place != one], equal_var=False).pvalue
            assert found.apart(one, name).p == pytest.approx(foreign, rel=0.1)


def test_a_slice_without_an_error_is_no_proof():
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 1030)
    place = np.where(np.arange(1030) < 30, "few", "rest")
    right = (draw.random(1030) < 0.95) | (place == "few")
    models = {"a": np.where(right, truth, 1 - truth), "b": np.where(draw.random(1030) < 0.9, truth, 1 - truth)}
    predictions = Predictions.from_arrays(truth, models, by={"place": place})
    found = compare(predictions, "accuracy", by="place").slices
    counts = [[int((right & (place == one)).sum()), int((~right & (place == one)).sum())] for one in ("few", "rest")]
    assert fisher_exact(counts).pvalue > 0.3
    assert found.apart("few", "a").p > 0.1


def test_all_slices_and_models_are_one_family():
    predictions, *_ = sliced(1, (100, 100, 100))
    found = compare(predictions, "accuracy", by="place").slices
    apart = [one for one in found.tests if one.against is None]
    smallest = min(apart, key=lambda one: one.p)
    assert len(apart) == 6
    assert smallest.p_adjusted == pytest.approx(min(1, 6 * smallest.p))
    assert len([one for one in found.tests if one.against]) == 3


@pytest.mark.parametrize("goal", ["accuracy", "roc_auc", "log_loss"])
def test_slices_that_are_alike_are_seldom_told_apart(goal):
    """A small version of docs/simulations/slice_tests.py: 40 data sets, of which 5% are 2."""
    false = 0
    for seed in range(40):
        found = compare(sliced(seed, (40, 40, 400))[0], goal, metrics=[goal], by="place").slices
        false += any(map(found.is_significant, found.tests))
    assert false <= 7


def test_what_differs_is_in_words_and_in_json():
    draw = np.random.default_rng(5)
    truth = draw.integers(0, 2, 900)
    place = np.where(np.arange(900) % 3 == 0, "broken", "whole")
    good = np.where((draw.random(900) < 0.95) ^ ((place == "broken") & (draw.random(900) < 0.5)), truth, 1 - truth)
    fair = np.where(draw.random(900) < 0.75, truth, 1 - truth)
    predictions = Predictions.from_arrays(truth, {"good": good, "fair": fair}, by={"place": place})
    verdict = compare(predictions, "accuracy", by="place")
    assert verdict.best == "good"
    assert verdict.slices.where_best_is_beaten() == ["broken"]
    assert verdict.slices.where_best_is_worse() == ["broken"]
    tests = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))["slices"]
    worse = next(one for one in tests if (one["slice"], one["model"], one["against"]) == ("broken", "good", None))
    assert worse["difference"] < 0
    assert worse["p_adjusted"] < 0.05


def test_groups_on_both_sides_count_once():
    """Each row twice, in one group and two slices: the two halves differ by nothing, whatever the models do."""
    _, truth, scores, _ = sliced(2, (200,))
    twice = Predictions.from_arrays(
        np.tile(truth, 2),
        {name: np.tile(one, 2) for name, one in scores.items()},
        by={"half": np.repeat(["x", "y"], 200)},
        group=np.tile(np.arange(200), 2),
    )
    found = compare(twice, "brier", by="half").slices
    assert not any(map(found.is_significant, found.tests))


def test_few_rows_and_slices_that_decide_are_not_tested():
    predictions, *_ = sliced(4, (12, 300))
    found = compare(predictions, "accuracy", by="place").slices
    assert not found.tests
    assert compare(predictions, "accuracy").slices is None
    many, *_ = sliced(4, (60,) * 8)
    decided = compare(many, "accuracy", by="place", unit="slice")
    assert decided.slices is None and in_slices(decided) == []


IN_PLACE = [
    {}, {"weight": "w"}, {"weight": "w", "weight_kind": "frequency"}, {"fold": "fold"}, {"group": "person"},
    {"group": "house"}, {"group": "house", "weight": "w"},
]  # fmt: skip


@pytest.fixture(scope="module")
def stored():
    rows = table(900)
    with duckdb_file(rows) as source:
        yield rows, source


def same_tests(stored, **asked):
    """In a database as in memory, and as many."""
    rows, source = stored
    expected, verdict = (compare(each, metrics="goal", **asked) for each in (rows, source))
    assert verdict.predictions.engine == "database"
    assert in_slices(verdict) == in_slices(expected)
    for one, other in zip(verdict.slices.tests, expected.slices.tests, strict=True):
        assert (one.slice, one.model, one.against) == (other.slice, other.model, other.against)
        for name in ("difference", "p", "p_adjusted"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12), (one, name)
    return expected.slices.tests


@pytest.mark.parametrize("goal", ["accuracy", "f1", "log_loss", "roc_auc"])
@pytest.mark.parametrize("roles", IN_PLACE, ids=lambda roles: ", ".join(map(str, roles.values())))
def test_slices_of_a_database_are_tested_there(stored, goal, roles):
    assert len(same_tests(stored, goal=goal, by="region", **TWO, **roles)) == 3 * 3 + 3 * 2


@pytest.mark.parametrize(
    ("goal", "roles"),
    [("f1_macro", THREE), ("roc_auc", THREE), ("rmse", AMOUNTS), ("r2", AMOUNTS), ("crps", QUANTILES)],
)
def test_other_kinds_of_predictions_in_slices_of_a_database(stored, goal, roles):
    assert len(same_tests(stored, goal=goal, by="region", **roles)) == 3 * 2 + 3


def test_slices_by_two_columns_of_a_database(stored):
    same_tests(stored, goal="accuracy", by=["region", "fold"], **TWO)


def test_groups_of_many_names_stay_the_same_in_slices_of_a_database():
    """Beyond 1,000 names they are told apart by their rank among all rows, which some of them would change."""
    draw = np.random.default_rng(8)
    names = np.array([f"g{one}" for one in range(1100)])[np.arange(3300) % 1100]
    rows = table(3300).append_column("named", pa.array(names))
    rows = rows.append_column("half", pa.array(draw.integers(0, 2, 3300)))
    with duckdb_file(rows) as source:
        same_tests((rows, source), goal="log_loss", by="half", group="named", **TWO)


def test_small_slices_of_a_database_are_not_tested(stored):
    rows, _ = stored
    place = np.where(np.arange(900) < 12, "few", "rest")
    place[500:] = "more"
    cut = rows.append_column("place", pa.array(place))
    with duckdb_file(cut) as source:
        found = same_tests((cut, source), goal="accuracy", by="place", **TWO)
    assert {one.slice for one in found} == {"more", "rest"}


def test_counts_of_other_rows_are_subtracted(stored, monkeypatch):
    """One look at each slice, and none at all rows but it."""
    from referee.predictions import database_queries

    asked, fetch_table = [], database_queries.fetch_table
    verdict = compare(stored[1], goal="f1", metrics="goal", by="region", **TWO)
    monkeypatch.setattr(database_queries, "fetch_table", lambda query: asked.append(query) or fetch_table(query))
    assert len(verdict.slices.tests) == 15
    assert len(asked) <= 2 + 2 * 3


def test_slices_that_are_not_tested_are_said(stored, monkeypatch):
    why = "it was not tested whether a model differs in one of them, as they are too many"
    rows, source = stored
    asked = {"goal": "brier", "metrics": "goal", **TWO}
    many = rows.append_column("part", pa.array(np.arange(900) % 51))
    with duckdb_file(many) as in_parts:
        assert why in in_slices(compare(in_parts, by="part", **asked))[0]
    monkeypatch.setattr("referee.comparing.slice_tests.MOST_WORK", 100)
    assert why in in_slices(compare(rows, by="region", **asked))[0]
    assert why not in "".join(in_slices(compare(source, by="region", **asked)))
    monkeypatch.setattr("referee.comparing.slice_tests.MOST_WORK_IN_PLACE", {"sums": 100})
    assert why in in_slices(compare(source, by="region", **asked))[0]
