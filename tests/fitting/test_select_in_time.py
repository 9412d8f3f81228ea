"""select on splits in time order: the test rows of all splits are rows in time, against SciPy and scikit-learn."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit
from sklearn.neighbors import KNeighborsRegressor

from referee import compare, select
from referee.cli.process import run
from referee.fitting import DataSet
from tests.comparing.test_time import autoregression
from tests.scoring.test_values_in_time import long_run_error

MODELS = {"ridge": Ridge(), "neighbours": KNeighborsRegressor(7)}
ROWS = 600


def drawn(seed=0, rho=0.8):
    x = np.column_stack([autoregression(rho, ROWS, seed + place) for place in (1, 2)])
    return x, x[:, 0] + 0.5 * np.tanh(2 * x[:, 1]) + autoregression(rho, ROWS, seed + 3)


def data_set(shuffled=None, **roles):
    x, y = drawn()
    order = np.arange(ROWS) if shuffled is None else np.random.default_rng(shuffled).permutation(ROWS)
    return DataSet.from_arrays(x[order], y[order], time=order, **roles)


def losses_by_hand(k):
    x, y = drawn()
    differences = []
    for train, test in TimeSeriesSplit(k).split(x):
        errors = [np.abs(y[test] - model.fit(x[train], y[train]).predict(x[test])) for model in MODELS.values()]
        differences.append(errors[0] - errors[1])
    return np.concatenate(differences)


@pytest.mark.parametrize("shuffled", [None, 4])
def test_rows_are_compared_in_the_order_of_time(shuffled):
    verdict = select(MODELS, data_set(shuffled), goal="mae", scheme="time_ordered(k=5)", metrics="goal")
    each = losses_by_hand(5)
    pieces, error = long_run_error(each)
    df = 1 / (1 / pieces + max(stats.kurtosis(each), 0) / (2 * len(each)))
    (pair,) = verdict.comparisons
    assert verdict.design.kind == "time" and pair.details["pieces"] == pieces
    assert pair.standard_error == pytest.approx(error, rel=1e-8)
    sign = 1 if pair.a == "ridge" else -1
    assert pair.difference == pytest.approx(sign * each.mean(), rel=1e-9)
    assert pair.p == pytest.approx(2 * stats.t.sf(abs(each.mean()) / error, df), rel=1e-6)
    assert "about these fitted models in time order" in verdict.sentence
    assert verdict.selection.tradeoffs[0].value == pytest.approx(verdict.values[verdict.best], rel=1e-12)


def test_the_corrected_test_is_there_by_name():
    verdict = select(
        MODELS, data_set(), goal="mae", scheme="time_ordered(k=5)", test="corrected_resampled_t", metrics="goal"
    )
    assert verdict.design.kind == "splits" and verdict.test.name == "corrected_resampled_t"
    assert "W_SPLITS" not in {notice.code for notice in verdict.warnings}


def test_groups_in_time_are_compared_by_splits_and_that_is_said():
    groups = np.random.default_rng(0).permutation(np.arange(ROWS) // 2)
    verdict = select(MODELS, data_set(group=groups), goal="mae", scheme="time_ordered(k=5)", metrics="goal")
    assert verdict.design.kind == "splits"
    assert "W_SPLITS" in {notice.code for notice in verdict.warnings}


def test_ranks_of_splits_at_different_levels_are_not_pooled():
    random = np.random.default_rng(0)
    level = np.repeat(np.arange(6) * 5.0, 100)
    x = random.normal(size=600) + level
    y = (x - level + random.normal(size=600) > 0).astype(int)
    data = DataSet.from_arrays(np.column_stack([x, random.normal(size=600)]), y, time=np.arange(600))
    verdict = select(["logistic", "naive_bayes"], data, goal="roc_auc", scheme="time_ordered(k=5)", metrics="goal")
    assert verdict.design.kind == "splits" and "W_SPLITS" in {notice.code for notice in verdict.warnings}
    by_rows = select(["logistic", "naive_bayes"], data, goal="log_loss", scheme="time_ordered(k=5)", metrics="goal")
    assert by_rows.design.kind == "time"


def test_nested_selection_in_time():
    scheme = "nested(outer=time_ordered(k=4), inner=time_ordered(k=3))"
    verdict = select(MODELS, data_set(), goal="mae", scheme=scheme, metrics="goal")
    nested = verdict.selection.nested
    assert verdict.design.kind == "time" and nested.compares_rows and nested.mean == nested.pooled


def test_a_kept_run_says_the_same(tmp_path, capsys):
    folder = tmp_path / "run"
    verdict = select(MODELS, data_set(), goal="mae", scheme="time_ordered(k=5)", store=folder, metrics="goal")
    again = select(MODELS, data_set(), goal="mae", scheme="time_ordered(k=5)", store=folder, metrics="goal")
    assert again.comparisons == verdict.comparisons
    assert run(["compare", str(folder), "--goal", "mae", "--metrics", "goal", "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["design"] == "time"
    assert printed["comparisons"][0]["p"] == pytest.approx(verdict.comparisons[0].p, rel=1e-12)
    assert run(["compare", str(folder), "--goal", "mae", "--unit", "fold", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["design"] == "splits"
    assert run(["compare", str(folder), "--goal", "mae", "--time", "day"]) == 2
    assert "keeps the time" in capsys.readouterr().err


def test_a_file_of_folds_in_time_pools_no_ranks_of_different_levels():
    random = np.random.default_rng(0)
    fold = np.repeat(np.arange(4), 60)
    y = random.integers(0, 2, 240)
    models = {name: y + random.normal(size=240) + 5 * fold for name in "ab"}
    with pytest.raises(Exception, match="cannot be ranked together"):
        compare(y, models, goal="roc_auc", time=np.arange(240), fold=fold)
