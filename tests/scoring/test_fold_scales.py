"""Whether folds score on different scales: the statistic beside SciPy's on every engine, and how often it errs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import kruskal

import referee
from referee import Predictions, ReadOptions, RefereeError
from referee.engines import engine_of
from referee.engines.database import answers
from referee.engines.stream import rank_sums as stretches
from referee.scoring import fold_scales
from referee.scoring.fold_scales import folds_of, why_not_pooled

ENGINES = ("memory", "stream", "database")
ROWS, FOLDS = 400, 5
LABELS = ("no", "yes")


def drawn(seed, shift=0.0, rows=ROWS, digits=2):
    """Normal scores in folds; the models of the later ones score higher."""
    draw = np.random.default_rng(seed)
    truth, fold = draw.random(rows) < 0.3, draw.permutation(np.arange(rows) % FOLDS)
    scores = (1.2 * truth + shift * fold + draw.normal(size=rows)).round(digits)
    return truth, scores, fold, draw.integers(0, 4, rows)


def written(folder, truth, scores, fold, weight=None):
    columns = {"y": np.where(truth, "yes", "no").tolist(), "m": scores, "fold": fold}
    path = Path(folder) / "rows.parquet"
    pq.write_table(pa.table(columns | ({} if weight is None else {"w": weight})), path, row_group_size=90)
    return path


def read(path, engine, **roles):
    options = ReadOptions(engine=engine)
    return Predictions.read(path, truth="y", positive="yes", models="m", fold="fold", options=options, **roles)


def statistics(predictions):
    """Of each class, in the order of the classes."""
    engine, model = engine_of(predictions), predictions.models[0]
    (of_classes,) = engine.rank_sums(engine.summarise(predictions, model, folds_of(predictions)))
    return [fold_scales._kruskal_wallis(sums, fold_scales._rows(predictions, sums)) for sums in of_classes]


def by_scipy(truth, scores, fold):
    return [
        kruskal(*(scores[(fold == code) & (truth == true)] for code in np.unique(fold[truth == true]))).statistic
        for true in (False, True)
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("digits", [0, 6])
def test_statistic_is_that_of_scipy(engine, digits, tmp_path):
    truth, scores, fold, _ = drawn(1, 0.3, digits=digits)
    predictions = read(written(tmp_path, truth, scores, fold), engine)
    assert predictions.classes == LABELS
    assert statistics(predictions) == pytest.approx(by_scipy(truth, scores, fold), rel=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_frequency_weights_are_repeated_rows(engine, tmp_path):
    """And rows without weight are none."""
    truth, scores, fold, weight = drawn(2, 0.3)
    predictions = read(written(tmp_path, truth, scores, fold, weight), engine, weight="w", weight_kind="frequency")
    repeated = (np.repeat(column, weight) for column in (truth, scores, fold))
    assert statistics(predictions) == pytest.approx(by_scipy(*repeated), rel=1e-10)


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_ratio_of_weights_matters(engine, tmp_path):
    """Equal weights are none, whatever they are; rows without weight are none."""
    truth, scores, fold, weight = drawn(3, 0.3)
    path = written(tmp_path, truth, scores, fold, np.where(weight > 0, 0.37, 0.0))
    kept = weight > 0
    expected = by_scipy(truth[kept], scores[kept], fold[kept])
    assert statistics(read(path, engine, weight="w")) == pytest.approx(expected, rel=1e-9)


def test_a_file_is_ranked_in_stretches(monkeypatch, tmp_path):
    monkeypatch.setattr(stretches, "STRETCH", 40)
    truth, scores, fold, _ = drawn(4, 0.3, digits=1)
    predictions = read(written(tmp_path, truth, scores, fold), "stream")
    assert statistics(predictions) == pytest.approx(by_scipy(truth, scores, fold), rel=1e-10)


def test_a_database_is_ranked_in_parts(monkeypatch, tmp_path):
    monkeypatch.setattr(answers, "PART_ROWS", 60)
    truth, scores, fold, _ = drawn(5, 0.3, digits=1)
    predictions = read(written(tmp_path, truth, scores, fold), "database")
    assert statistics(predictions) == pytest.approx(by_scipy(truth, scores, fold), rel=1e-10)


@pytest.mark.parametrize("kind", [None, "frequency", "probability"])
def test_folds_of_one_scale_are_pooled(kind):
    """No false alarm in 1,000 tables, and none missed where folds lie half a deviation apart."""
    alarms = {0.0: 0, 0.5: 0}
    for shift, tables in ((0.0, 334), (0.5, 20)):
        for seed in range(tables):
            truth, scores, fold, weight = drawn(1000 + seed, shift)
            if kind == "frequency":  # rows that are alike as one
                alike, weight = np.unique(np.stack([truth, scores.round(1), fold]), axis=1, return_counts=True)
                truth, scores, fold = alike[0] > 0, alike[1], alike[2].astype(int)
            roles = {} if kind is None else {"weight": weight, "weight_kind": kind}
            predictions = Predictions.from_arrays(truth, {"m": scores}, positive=True, fold=fold, **roles)
            alarms[shift] += why_not_pooled(predictions, predictions.models[0]) is not None
    assert alarms == {0.0: 0, 0.5: 20}


@pytest.fixture(scope="module")
def priors(tmp_path_factory):
    """What a model says that gives every row the share of positives in the other fold: the order is that of folds."""
    fold, truth = np.repeat([0, 1], 60), np.tile(np.arange(60) < 18, 2)
    truth[60:] = ~truth[60:]
    path = tmp_path_factory.mktemp("priors") / "rows.parquet"
    other = np.random.default_rng(6).random(120)
    columns = {"y": np.where(truth, "yes", "no").tolist(), "m": np.where(fold == 0, 0.7, 0.3), "other": other}
    pq.write_table(pa.table(columns | {"fold": fold}), path)
    return path


ROLES = {"truth": "y", "positive": "yes", "fold": "fold"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constant_model_has_no_pooled_auc(engine, priors):
    """Nor has a slice or a class; within its folds it is worth one half."""
    options = ReadOptions(engine=engine)
    scores = referee.evaluate(priors, models="m", metrics=["roc_auc", "accuracy"], options=options, **ROLES)
    assert scores["m", "roc_auc"].undefined == fold_scales.REASON
    assert scores["m", "accuracy"].value == 0.3
    ranked = [row for row in scores if row.metric == "roc_auc"]
    assert [row.value for row in ranked if row.unit is None] == [None] * (len(ranked) - 3)
    assert [row.value for row in ranked if row.unit is not None] == [0.5, 0.5, 0.5]


@pytest.mark.parametrize("engine", ["memory", "database"])
@pytest.mark.parametrize("call", [referee.compare, referee.gate])
def test_no_verdict_from_pooled_ranks(call, engine, priors):
    more = (
        {"production": "m", "candidate": "other", "margin": 0.02}
        if call is referee.gate
        else {"models": ["m", "other"]}
    )
    with pytest.raises(RefereeError) as caught:
        call(priors, goal="roc_auc", options=ReadOptions(engine=engine), **more, **ROLES)
    assert (caught.value.code, caught.value.exit) == ("E_POOLED", 4)


def test_no_slice_ranks_rows_of_several_scales(priors):
    table = pq.read_table(priors)
    table = table.append_column("region", pa.array(np.where(np.arange(120) % 2, "north", "south").tolist()))
    scores = referee.evaluate(table, models="m", metrics=["roc_auc", "accuracy"], by="region", **ROLES)
    slices = {(row.slice, row.metric): row.value for row in scores if row.slice is not None}
    assert {key: value is None for key, value in slices.items()} == {
        (region, metric): metric == "roc_auc" for region in ("north", "south") for metric in ("roc_auc", "accuracy")
    }


def test_no_other_goal_is_a_pooled_rank(priors):
    verdict = referee.compare(priors, models=["m", "other"], goal="accuracy", **ROLES)
    assert verdict.other_goals
    assert not [other for other in verdict.other_goals if referee.metrics[other.metric.partition("(")[0]].pools_ranks]


@pytest.fixture(scope="module")
def both():
    """A model on one scale beside one whose folds are 3 apart."""
    truth, scores, fold, _ = drawn(7)
    shares = (1 / (1 + np.exp(-column)) for column in (scores, scores + 3.0 * (fold % 2)))
    names = dict(zip(("one", "several"), shares, strict=True))
    return Predictions.from_arrays(np.where(truth, "yes", "no"), names, positive="yes", fold=fold)


class TestWhatTakesAllFoldsForOne:
    """A model on several scales beside one on a single scale."""

    def test_no_curve(self, both):
        drawn_ = referee.curves(both)
        assert [curve.model for curve in drawn_] == ["one"]
        assert [notice.code for notice in drawn_.warnings] == ["W_POOLED"]
        assert drawn_.to_dict()["warnings"][0]["code"] == "W_POOLED"

    def test_net_benefit_at_given_thresholds_ranks_nothing(self, both):
        assert [curve.model for curve in referee.curves(both, kind="decision")] == ["one", "several"]

    def test_no_threshold_and_no_comparison(self, both):
        chosen = referee.threshold(both, "f_beta")
        assert [each.model for each in chosen.chosen] == ["one"]
        assert not chosen.comparisons
        assert "W_POOLED" in {notice.code for notice in chosen.notices}

    def test_no_map(self, both):
        found = referee.calibrate(both, method="platt")
        assert list(found) == ["one"]
        assert fold_scales.APART in found.refused["several"]

    @pytest.mark.parametrize("asked", [referee.curves, lambda p: referee.threshold(p, "f_beta"), referee.calibrate])
    def test_nothing_is_left(self, asked, both):
        truth = np.array(both.classes)[both.truth]
        alone = Predictions.from_arrays(
            truth, {"several": both.model("several").scores}, positive="yes", fold=both.fold.codes
        )
        with pytest.raises(RefereeError) as caught:
            asked(alone)
        assert (caught.value.code, caught.value.exit) == ("E_POOLED", 4)
        assert "evaluate --fold" in caught.value.hint
