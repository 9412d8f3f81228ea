"""Derivatives of whatever formulas do to arrays by moving each number; classes, chunks and pieces by themselves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn import metrics as theirs

import referee
from referee.engines import engine_of
from referee.predictions import Predictions, ReadOptions
from referee.scoring import covariance_of_seeds
from referee.scoring.explained_scores import KnownNumbers, worked_metric
from referee.scoring.propriety_game import Curve, _most_telling
from referee.scoring.shown_scores import average_label
from referee.scoring.tape import Tape, backward, slope_of
from tests.scoring.test_explained_scores import computed

DRAW = np.random.default_rng(91)
ROWS = 80
TRUTH = DRAW.integers(0, 2, ROWS)
SCORES = np.round(np.clip(0.3 * TRUTH + 0.7 * DRAW.random(ROWS), 0.01, 0.99), 2)
KINDS = np.array(["cat", "dog", "eel"])[DRAW.integers(0, 3, ROWS)]
SAID = np.where(DRAW.random(ROWS) < 0.6, KINDS, "dog")

AT = np.array([0.7, -1.3, 2.1, 0.4])
OTHER = np.array([1.5, 0.6, -0.8, 2.2])
POSITIVE = AT > 0
MATRIX = DRAW.random((4, 3))


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: (x * OTHER - OTHER / x).sum(),
        lambda x: np.divide(OTHER, x, out=np.zeros(4), where=POSITIVE).sum(),
        lambda x: np.log(x, out=np.full(4, 5.0), where=POSITIVE).sum(),
        lambda x: np.add(x, OTHER, out=np.ones(4), where=POSITIVE).sum(),
        lambda x: (x * OTHER).sum(where=POSITIVE),
        lambda x: np.maximum(x, OTHER).sum() + np.minimum(x, 0.5).sum(),
        lambda x: np.where(POSITIVE, x**2, -x).mean(),
        lambda x: (x @ MATRIX).sum() + (MATRIX.T @ x)[1],
        lambda x: np.cumsum(x)[np.array([1, 1, -1])].sum() + (x[POSITIVE] ** 2).sum() + x[1:3].sum() * x[0],
        lambda x: x.reshape(2, 2)[np.array([1, 1])].sum() + x.reshape(2, 2)[:, 1].sum(),
        lambda x: x[np.array([[0, 1], [1, 2]])].sum(axis=0)[1] * x[2],
        lambda x: np.stack([x, -x * OTHER])[1].sum(),
        lambda x: (x.reshape(2, 2) / x.reshape(2, 2).sum(axis=1, keepdims=True)).sum(axis=0)[0],
        lambda x: np.abs(x).sum() ** 0.5 + np.exp(-x).sum(),
        lambda x: np.clip(x, -1, 1).sum() + (2.0**x).sum() + (x - x.mean())[3],
        lambda x: np.arctan2(x, OTHER).sum(),
        lambda x: np.diagonal(x.reshape(1, 2, 2), axis1=1, axis2=2).sum() * x[1],
        lambda x: (np.sign(x) * OTHER).sum() + np.square(x).sum(),
    ],
)  # fmt: skip
def test_slopes_by_moving_each_number(formula):
    leaf = Tape().leaf(AT)
    made = formula(leaf)
    assert float(made.value) == pytest.approx(float(formula(AT)))
    backward(made)
    assert slope_of(leaf) == pytest.approx(approx_fprime(AT, lambda x: float(formula(x))), abs=1e-5)


def test_what_a_formula_leaves_out_has_no_slope():
    leaf = Tape().leaf(np.array([0.0, 4.0]))
    with np.errstate(all="ignore"):
        backward(np.where(leaf.value > 0, np.sqrt(leaf), 7.0).sum())
    assert slope_of(leaf).tolist() == [0, 0.25]


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "roc_auc", "average_precision"])
def test_the_formula_of_one_class_has_its_numbers(metric):
    """Whichever is the positive one: as scikit-learn has the class against the rest."""
    shares = DRAW.dirichlet(np.ones(3), ROWS).round(4)
    known = Predictions.from_arrays(KINDS, {"m": shares / shares.sum(axis=1, keepdims=True)})
    summary = engine_of(known).summarise(known, known.models[0])
    called = np.argmax(shares, axis=1)
    for code, name in enumerate(known.classes):
        mine = name == KINDS
        expected = {
            "recall": lambda mine=mine, code=code: theirs.recall_score(mine, called == code),
            "precision": lambda mine=mine, code=code: theirs.precision_score(mine, called == code),
            "f1": lambda mine=mine, code=code: theirs.f1_score(mine, called == code),
            "roc_auc": lambda mine=mine, code=code: theirs.roc_auc_score(mine, shares[:, code]),
            "average_precision": lambda mine=mine, code=code: theirs.average_precision_score(mine, shares[:, code]),
        }[metric]()
        _, numbers = worked_metric(referee.metrics[metric], KnownNumbers(known, summary, code))
        assert computed(numbers) == pytest.approx(expected, rel=2e-3)


def test_averages_stand_out_from_classes_of_their_name():
    assert average_label("macro", ("cat", "dog")) == "macro"
    assert average_label("macro", ("macro", "dog")) == "macro average"


def test_a_file_in_pieces_is_scored_where_it_is(tmp_path):
    """Sums over rows are enough, and the rows are not read at once."""
    path = tmp_path / "rows.csv"
    path.write_text("y,m\n" + "".join(f"{y},{s}\n" for y, s in zip(TRUTH, SCORES, strict=True)))
    found = referee.evaluate(path, truth="y", metrics=["brier", "roc_auc"], options=ReadOptions(engine="stream"))
    assert found.predictions.engine == "stream"
    assert found["m", "brier"].value == pytest.approx(theirs.brier_score_loss(TRUTH, SCORES))
    assert found["m", "roc_auc"].value == pytest.approx(theirs.roc_auc_score(TRUTH, SCORES))


@pytest.mark.parametrize("metric", ["ks", "lift", "roc_auc", "average_precision", "kappa", "balanced_accuracy", "f1"])
@pytest.mark.parametrize("size", [3.0, 0.125])
def test_equal_weights_are_none(metric, size):
    """Neither value nor interval hangs on how large all weights are."""
    weighted = referee.evaluate(TRUTH, {"m": SCORES}, weight=np.full(ROWS, size), metrics=metric)["m", metric]
    without = referee.evaluate(TRUTH, {"m": SCORES}, metrics=metric)["m", metric]
    for part in ("value", "low", "high", "standard_error"):
        assert getattr(weighted, part) == pytest.approx(getattr(without, part), rel=1e-9), part
    assert weighted.interval == without.interval


@pytest.mark.parametrize("steps", [5, 8])
def test_steps_of_units_in_chunks_have_the_same_slopes(monkeypatch, steps):
    """Folds whose steps end within a chunk, or with it."""
    fold = np.arange(ROWS) % 3
    options = {"metrics": ["average_precision", "roc_auc", "ks"], "fold": fold}
    at_once = referee.evaluate(TRUTH, {"m": SCORES}, **options)
    monkeypatch.setattr("referee.scoring.taped_steps.CHUNK", steps)
    in_chunks = referee.evaluate(TRUTH, {"m": SCORES}, **options)
    for mine, other in zip(in_chunks.rows, at_once.rows, strict=True):
        assert mine.value == pytest.approx(other.value, rel=1e-12)
        assert mine.standard_error is other.standard_error or mine.standard_error == pytest.approx(other.standard_error)


def test_reports_that_do_as_well_are_told_by_the_surest():
    """Of those among the best alone: nothing sure, in order; both sure; one sure."""
    reports = np.array([[0.2, 0.9], [0.4, 0.5], [0.0, 1.0], [0.0, 0.7]])
    for among, expected in (([0, 1], 0), ([1], 1), ([1, 3], 3), ([0, 1, 2, 3], 2)):
        assert _most_telling(reports, np.isin(np.arange(4), among)) == expected


@pytest.mark.parametrize(("better", "best"), [("higher", [0.5, 0.6]), ("lower", [0.0])])
def test_all_best_reports_are_drawn_but_for_rounding(better, best):
    curve = Curve(0.5, np.array([0.0, 0.5, 0.6, 1.0]), np.array([0.1, 2.0, 2.0 - 1e-13, np.nan]), better)
    assert curve.best.tolist() == best
    assert curve.honest_value == 2.0
    assert Curve(1.0, curve.reports, curve.values, better).honest_value is None


def test_what_seeds_add_to_the_covariance_of_means():
    """Means of seeds by NumPy, less what items and seeds do together; where that is negative, nothing."""
    items, seeds = 40, 6
    scores = {name: DRAW.normal(size=(items, seeds)) + DRAW.normal(0, 2, seeds) for name in "ab"}
    scored = SimpleNamespace(seeds=SimpleNamespace(scores=scores))
    found = covariance_of_seeds(SimpleNamespace(scored=scored), ["a", "b"])
    left = [each - each.mean(axis=0) - each.mean(axis=1, keepdims=True) + each.mean() for each in scores.values()]
    rest = np.array([[(x * y).sum() for x in left] for y in left]) / (items - 1) / (seeds - 1)
    means = np.cov([each.mean(axis=0) for each in scores.values()])
    assert found == pytest.approx((means - rest / items) / seeds)
    flat = {name: each - each.mean(axis=0) for name, each in scores.items()}
    none = covariance_of_seeds(SimpleNamespace(scored=SimpleNamespace(seeds=SimpleNamespace(scores=flat))), ["a", "b"])
    assert none == pytest.approx(np.zeros((2, 2)), abs=1e-12)


@pytest.mark.parametrize(
    "roles", [{"time": np.arange(ROWS)}, {"by": {"site": np.arange(ROWS) % 12}}, {"fold": np.arange(ROWS) % 9}]
)
def test_every_row_of_a_table_has_a_cell_in_every_column(roles):
    """In tables of values in time, and of more units than go across; each value stands in its row."""
    scores = referee.evaluate(TRUTH, {"m": SCORES, "other": 1 - SCORES}, metrics=["brier", "roc_auc"], **roles)
    blocks = [block for part in scores.document(whole=True).parts for block in part.blocks]
    tables = [block for block in blocks if hasattr(block, "columns")]
    assert tables
    for table in tables:  # a row of one cell is a heading
        assert {len(row) for row in table.rows} - {1} == {len(table.columns)}
