"""Each metric alone: pieces and blocks of any size, states and slices come to what all rows come to."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import referee
from referee.predictions import Predictions
from tests.engines.test_stream_engine import assert_same, in_pieces, written

ROWS = 64
DRAW = np.random.default_rng(31)
TRUTH = DRAW.integers(0, 2, ROWS)
NUMBERS = DRAW.normal(50, 9, ROWS)
TABLES = {
    "two": {
        "y": TRUTH,
        "m": np.round(0.3 * TRUTH + 0.7 * DRAW.random(ROWS), 2),
        "k": DRAW.random(ROWS),
        "place": DRAW.choice(["x", "y"], ROWS),
        "fold": np.arange(ROWS) % 3,
        "times": DRAW.integers(1, 4, ROWS),
    },
    "several": {
        "y": DRAW.choice(["cat", "dog", "eel"], ROWS),
        **dict(zip(("m:cat", "m:dog", "m:eel"), DRAW.dirichlet(np.ones(3), ROWS).T, strict=True)),
        "place": DRAW.choice(["x", "y"], ROWS),
    },
    "numbers": {
        "y": NUMBERS,
        "m": NUMBERS + DRAW.normal(0, 3, ROWS),
        "place": DRAW.choice(["x", "y"], ROWS),
        "fold": np.arange(ROWS) % 3,
        "times": DRAW.integers(1, 4, ROWS),
    },
}
BLOCKS = ("engines.memory.cells", "engines.memory.summary", "engines.stream.summary", "scoring.moments", "arrays")


@pytest.fixture
def file(tmp_path):
    return lambda kind: written(tmp_path / f"{kind}.parquet", TABLES[kind])


@pytest.mark.parametrize(
    ("kind", "metric", "roles"),
    [
        ("two", "probability_rae", {}),
        ("two", "probability_rrse", {"by": ("place",), "fold": "fold"}),
        ("two", "average_precision", {"weight": "times"}),
        ("two", "f1(average=macro)", {"fold": "fold"}),
        ("several", "hand_till", {"by": ("place",)}),
        ("numbers", "median_ae", {"by": ("place",)}),
        ("numbers", "median_ae", {"weight": "times"}),
        ("numbers", "rae", {"fold": "fold"}),
    ],
)
def test_each_metric_of_pieces_is_that_of_the_file(file, kind, metric, roles):
    """With weights also where a single piece holds all rows."""
    for rows in (9, 1000) if "weight" in roles else (9,):
        assert_same(file(kind), asked=[metric], truth="y", models=["m"], rows=rows, **roles)


def test_scores_of_any_size_rank_for_either_class(tmp_path):
    """Scores that are no probabilities differ beyond the digits that 1 - score has."""
    scores = DRAW.permutation(np.concatenate([[7.5, -3.0], np.arange(1, ROWS - 1) * 1e-19]))
    source = written(tmp_path / "rows.parquet", {"y": TRUTH, "m": scores})
    for positive in ("0", "1"):
        expected = roc_auc_score(str(positive) == TRUTH.astype(str), scores)
        for read in (Predictions.read, in_pieces):
            found = referee.evaluate(read(source, truth="y", models=["m"], positive=positive), ["roc_auc"])
            assert found["m", "roc_auc"].value == pytest.approx(expected, rel=1e-12)
            other = [row.value for row in found.rows if row.class_ == str(1 - int(positive))]
            assert other == pytest.approx([1 - roc_auc_score(str(positive) != TRUTH.astype(str), scores)]) or not other
        assert_same(source, asked=["average_precision(average=macro)"], truth="y", models=["m"], positive=positive)


def test_ties_of_few_bits_are_said_of_pieces_too(tmp_path):
    """All rows within 20 steps of float32: the warning counts the ties, and only where there are 32 bits."""
    near = (0.5 + np.arange(ROWS) % 20 * 2.0**-24).astype(np.float32)
    for column in (near, near.astype(np.float64)):
        source = written(tmp_path / "rows.parquet", {"y": TRUTH, "m": column})
        scored = assert_same(source, asked=["roc_auc"], truth="y", models=["m"])
        told = [notice for notice in scored.notices if "float32" in notice.message]
        assert bool(told) is (column.dtype == np.float32)


@pytest.mark.parametrize(("kind", "metric"), [("two", "roc_auc"), ("several", "hand_till"), ("numbers", "median_ae")])
def test_what_must_be_kept_of_all_rows_has_to_fit(file, kind, metric):
    """64 rows of 8 bytes are 512: sorted scores of two classes, three columns of them, or the errors."""
    source = file(kind)
    with pytest.raises(referee.RefereeError, match="64 rows need about") as caught:
        referee.evaluate(in_pieces(source, 9, limit=511, truth="y", models=["m"]), metric)
    assert caught.value.code == "E_TOOBIG"
    enough = in_pieces(source, 9, limit=10_000, truth="y", models=["m"])
    assert referee.evaluate(enough, metric)["m", metric].value is not None


@pytest.mark.parametrize(
    ("kind", "metrics"),
    [
        ("two", ["roc_auc", "average_precision", "f1", "mcc", "brier", "calibration_error(mass=true)"]),
        ("several", ["hand_till", "f1(average=macro)", "kappa", "log_loss"]),
        ("numbers", ["mae", "r2", "median_ae"]),
    ],
)
def test_the_size_of_blocks_changes_nothing(monkeypatch, kind, metrics):
    """Neither values nor their errors, of all rows and of slices."""
    found = []
    for size in (None, 5):
        for module in BLOCKS if size else ():
            monkeypatch.setattr(f"referee.{module}.BLOCK", size)
        for module in ("engine", "rows", "summary") if size else ():
            monkeypatch.setattr(f"referee.engines.memory.{module}.KEPT_ROWS", size)
        if size:
            monkeypatch.setattr("referee.engines.ranked_scores.CHUNK", 2)
            monkeypatch.setattr("referee.engines.ranked_scores.BLOCK", 8)
        known = Predictions.read(TABLES[kind], truth="y", models=["m"], by="place")
        found.append(referee.evaluate(known, metrics, by="place").rows)
    for whole, blocks in zip(*found, strict=True):
        assert replace(whole, value=0, low=0, high=0, standard_error=0) == replace(
            blocks, value=0, low=0, high=0, standard_error=0
        )
        for part in ("value", "low", "high", "standard_error"):
            assert getattr(blocks, part) == pytest.approx(getattr(whole, part), rel=1e-9), (whole, part)


def test_bins_of_equal_mass_are_numpys_parts_of_the_sorted_rows():
    truth, scores = DRAW.integers(0, 2, 60), DRAW.permutation(60) / 60
    order = np.argsort(scores)
    parts = [(scores[part].mean() - truth[part].mean(), len(part)) for part in np.array_split(order, 6)]
    expected = sum(abs(gap) * rows for gap, rows in parts) / 60
    found = referee.evaluate(truth, {"m": scores}, metrics="calibration_error(bins=6, mass=true)", positive=1)
    assert found.rows[0].value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("cuts", [(10, 11), (2, 61), (32, 40)])
def test_states_of_any_parts_add_up_to_exact_fractions(cuts):
    """Decisions and squared errors of halves: no digit is lost, whichever rows came together."""
    scores = np.round(DRAW.random(ROWS) * 4) / 4
    parts = np.split(np.arange(ROWS), cuts)
    states = [referee.summarise(TRUTH[part], {"m": scores[part]}, positive=1) for part in parts if len(part)]
    found = referee.evaluate(states, metrics=["accuracy", "brier", "recall"])
    pairs = [(int(t), Fraction(float(s))) for t, s in zip(TRUTH, scores, strict=True)]
    right = sum((s >= Fraction(1, 2)) == t for t, s in pairs)
    assert found["m", "accuracy"].value == float(Fraction(right, ROWS))
    assert found["m", "brier"].value == pytest.approx(float(sum((s - t) ** 2 for t, s in pairs) / ROWS), rel=1e-15)
    hits = sum(t for t, s in pairs if s >= Fraction(1, 2))
    assert found["m", "recall"].value == pytest.approx(float(Fraction(hits, int(TRUTH.sum()))), rel=1e-15)


def test_states_that_differ_say_in_what():
    """Scores that are all 0 or 1 are decisions."""
    states = [referee.summarise([0, 1, 1], {"m": scores}, positive=1) for scores in ([0, 1, 1], [0.5, 0.1, 0.7])]
    with pytest.raises(referee.RefereeError, match="its models are 'm' with scores, there are 'm' with scores and"):
        referee.evaluate(states)
