"""What random tables once found, in small."""

from __future__ import annotations

import gzip
import math
import sqlite3
from contextlib import closing
from fractions import Fraction

import numpy as np
import pytest

import referee as library
from referee.arrays import deviation
from referee.calibration.events import Forecasts, event_of, first_of_blocks
from referee.calibration.recalibration import recalibration
from referee.calibration.reliability_diagram import expected_error
from referee.comparing.boundaries import LookPlan
from referee.engines import PairSums
from referee.scoring.explained_scores import explained_scores
from referee.scoring.intervals import wilson
from referee.scoring.pair_moments import PairMoments


@pytest.mark.parametrize("command", [("compare", "--goal", "roc_auc"), ("curves",), ("evaluate",)])
def test_a_compressed_file_that_is_cut_off(referee, tmp_path, command):
    packed = gzip.compress(b"y,A,B\n" + b"1,0.5,0.25\n0,0.25,0.5\n" * 50)
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(packed[: len(packed) // 2])
    answer = referee(command[0], path, "--truth", "y", *command[1:])
    assert (answer.code, answer.json["error"]["code"]) == (3, "E_COMPRESSED")


def test_calibrate_with_one_row_of_a_named_class(referee, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,A\n" + "no,0.25\nno,0.5\n" * 5 + "yes,0.75\n")
    answer = referee("calibrate", path, "--truth", "y", "--positive", "yes", "--method", "platt")
    assert (answer.code, answer.json["error"]["code"]) == (4, "E_FEWROWS")
    assert "'yes'" in answer.json["error"]["message"]


def test_a_margin_beyond_all_numbers(referee, tmp_path):
    draw = np.random.default_rng(0)
    rows = "".join(f"{draw.integers(2)},{draw.random():.3f},{draw.random():.3f}\n" for _ in range(40))
    (tmp_path / "rows.csv").write_text("y,A,B\n" + rows)
    asked = ("--truth", "y", "--goal", "log_loss", "--metrics", "goal", "--margin", "1e300")
    assert referee("compare", tmp_path / "rows.csv", *asked).code == 0


@pytest.mark.parametrize("command", ["evaluate", "calibrate", "curves"])
def test_frequencies_beyond_counting(referee, tmp_path, command):
    path = tmp_path / "rows.csv"
    path.write_text("y,A,w\n" + "0,0.25,1\n1,0.75,9007199254740992\n" * 5 + "1,0.5,1e300\n")
    roles = ("--truth", "y", "--weight", "w", "--weight-kind")
    answer = referee(command, path, *roles, "frequency")
    assert (answer.code, answer.json["error"]["code"]) == (3, "E_WEIGHT")
    assert "column 'w', row 11" in answer.json["error"]["message"]
    assert referee(command, path, *roles, "probability").code == 0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e160, 1e300])
def test_blocks_of_isotonic_regression_do_not_depend_on_the_size_of_weights(size):
    draw = np.random.default_rng(2)
    forecast, rows = np.sort(draw.random(60)), draw.integers(1, 5, 60).astype(float)
    came_true = rows * (draw.random(60) < forecast)
    plain = first_of_blocks(Forecasts(forecast, rows, came_true))
    assert 1 < len(plain) < 60
    assert first_of_blocks(Forecasts(forecast, rows * size, came_true * size)).tolist() == plain.tolist()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [1e-300, 1e160, 1e300])
@pytest.mark.parametrize("kind", ["precision_recall_gain", "lift", "roc", "precision_recall", "cost", "det"])
def test_curves_do_not_depend_on_the_size_of_weights(kind, size):
    draw = np.random.default_rng(4)
    truth, scores, weight = np.arange(30) % 2, {"A": draw.random(30).round(1)}, draw.integers(1, 5, 30)
    (plain,), (sized,) = (
        list(library.curves(truth, scores, kind=kind, weight=each)) for each in (weight, weight * size)
    )
    assert np.isfinite(plain.y).all()
    np.testing.assert_allclose(sized.x, plain.x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sized.y, plain.y, rtol=1e-12, atol=1e-12)


@pytest.mark.filterwarnings("error")
def test_no_gap_is_explained_without_a_second_class():
    scores = library.evaluate([1, 1, 1], {"A": [0.25, 0.5, 0.75]}, positive=1, classes=[0, 1], metrics="ks,brier")
    lines = explained_scores(scores)
    assert scores["A", "ks"].value is None
    assert scores["A", "brier"].value == pytest.approx((0.75**2 + 0.5**2 + 0.25**2) / 3, abs=1e-15)
    assert lines


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weight", [0, 1e-300, 5e-324])
def test_a_bin_of_next_to_no_weight_adds_nothing_to_the_expected_error(weight):
    draw = np.random.default_rng(5)
    truth, scores = np.arange(40) % 2, draw.uniform(0, 0.85, 40)
    alone = library.Predictions.from_arrays(truth, {"A": scores}, positive=1)
    joined = library.Predictions.from_arrays(
        np.append(truth, 1),
        {"A": np.append(scores, 0.95)},
        weight=np.append(np.ones(40), weight),
        weight_kind="frequency",
        positive=1,
    )
    plain, more = (expected_error(event_of(each, "A"), 10, mass=False) for each in (alone, joined))
    assert more == pytest.approx(plain, rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("forecast", [1e-10, 1e-40, 1e-160, 1e-300, 5e-324])
def test_the_intercept_of_one_tiny_forecast(forecast):
    """Its log odds plus the intercept are those of the share that came true: 2 of 6; they vary as 1 / 2 + 1 / 4."""
    groups = ["a", "b", "c", "d", "e", "f"]
    for more in ({}, {"groups": groups}):
        scores = {"A": [forecast] * 6}
        predictions = library.Predictions.from_arrays([0, 1, 0, 0, 1, 0], scores, positive=1, **more)
        found = recalibration(event_of(predictions, "A"))
        assert found.intercept == pytest.approx(np.log(0.5) - np.log(forecast), abs=1e-9)
        assert found.intercept_error == pytest.approx(
            (1 / 2 + 1 / 4) ** 0.5 * (6 / 5) ** (0.5 if more else 0), rel=1e-9
        )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("size", [2.0**-120, 2.0**-60, 2.0**-30, 2.0**40])
def test_intervals_do_not_depend_on_the_unit(size):
    """By powers of two every number is scaled without rounding; the square of a unit is that of its square."""
    draw = np.random.default_rng(6)
    truth, values = draw.normal(size=40), {"A": draw.normal(size=40), "B": draw.normal(size=40)}
    units = {"mae": size, "rmse": size, "mse": size**2, "median_ae": size, "r2": 1.0}
    plain = library.evaluate(truth, values, metrics=[*units])
    sized = library.evaluate(truth * size, {name: column * size for name, column in values.items()}, metrics=[*units])
    for name in values:
        for metric, unit in units.items():
            one, other = plain[name, metric], sized[name, metric]
            assert other.low < other.value < other.high
            for field in ("value", "low", "high", "standard_error"):
                assert getattr(other, field) == pytest.approx(getattr(one, field) * unit, rel=1e-9, abs=0), (
                    metric,
                    field,
                )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("wins", "units"), [(0, 0), (0, 1e-300), (1e-300, 1e-300), (5e-324, 1e-200)])
def test_next_to_no_rows_say_nothing_of_a_share(wins, units):
    assert wilson(wins, units, 0.05) == pytest.approx((0, 1), abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["frequency", "probability"])
def test_a_page_of_bins_of_next_to_no_weight(referee, tmp_path, kind):
    rows = "".join(f"{row % 2},{row % 10 / 10},{'1e-300' if row % 10 > 5 else 1}\n" for row in range(60))
    (tmp_path / "rows.csv").write_text("y,A,w\n" + rows)
    asked = ("--truth", "y", "--weight", "w", "--weight-kind", kind, "--html", tmp_path / "page.html")
    assert referee("evaluate", tmp_path / "rows.csv", *asked).code == 0


@pytest.mark.parametrize("rows", [1, 2])
def test_a_first_look_at_next_to_no_rows(referee, tmp_path, rows):
    path = tmp_path / "rows.csv"
    sides = ("--production", "A", "--candidate", "B", "--margin", "0.1", "--goal", "mae")
    looks = ("--ledger", tmp_path / "looks.jsonl", "--looks", "3", "--until", "30")
    for many in (rows, 12):
        path.write_text("y,A,B\n" + "".join(f"{row}.5,{row}.25,{row - row % 3}\n" for row in range(many)))
        answer = referee("gate", path, "--truth", "y", *sides, *looks)
        assert answer.code == 1
    first, later = referee("history", tmp_path / "looks.jsonl").json["looks"]
    assert first["low"] is None and later["low"] < -later["difference"] < later["high"]


def test_looks_at_numbers_whose_squares_are_none(referee, tmp_path):
    path, draw = tmp_path / "rows.csv", np.random.default_rng(8)
    path.write_text(
        "y,A,B\n" + "".join(",".join(f"{each}e160" for each in draw.normal(size=3)) + "\n" for _ in range(20))
    )
    sides = ("--production", "A", "--candidate", "B", "--margin", "0.1", "--goal", "mae")
    looks = ("--ledger", tmp_path / "looks.jsonl", "--looks", "3", "--until", "30")
    answer = referee("gate", path, "--truth", "y", *sides, *looks, "--new-rows")
    assert (answer.code, answer.json["error"]["code"]) == (4, "E_UNDEFINED")
    assert not (tmp_path / "looks.jsonl").exists()


@pytest.mark.filterwarnings("error")
def test_the_lecture_with_large_numbers(referee, tmp_path):
    path, draw = tmp_path / "rows.csv", np.random.default_rng(9)
    path.write_text(
        "y,A,B\n" + "".join(",".join(f"{each}e200" for each in draw.normal(size=3)) + "\n" for _ in range(20))
    )
    assert referee("lecture", "cross-validation", path, "--truth", "y").code == 0


@pytest.fixture
def kept(referee, tmp_path):
    """A table with two verdicts, and its address."""
    path, draw = tmp_path / "rows.csv", np.random.default_rng(10)
    path.write_text("y,A,B\n" + "".join(f"{row % 2},{draw.random():.3f},{draw.random():.3f}\n" for row in range(40)))
    place = f"sqlite:///{tmp_path / 'kept.db'}#kept"
    for goal in ("brier", "roc_auc"):
        assert referee("compare", path, "--truth", "y", "--goal", goal, "--save-to", place).code == 0
    return place


@pytest.mark.parametrize(
    "change",
    [
        "result = NULL", "result = substr(result, 1, 900)", "result = x'00ff'", "result = '[]'",
        "result = '{\"comparisons\": [{}]}'", "result = '{\"comparisons\": 1}'", "row_count = 'many'", "alpha = 1e999",
        "goal = NULL", "saved_at = x'ff'", "result = replace(result, '\"p\": ', '\"p\": 1e999, \"q\": ')",
        "result = replace(result, '\"low\": ', '\"low\": NaN, \"q\": ')",
    ],
)  # fmt: skip
def test_a_verdict_that_is_not_as_it_was_saved(referee, tmp_path, kept, change):
    assert len(referee("history", kept).json["verdicts"]) == 2
    with closing(sqlite3.connect(tmp_path / "kept.db")) as database:
        database.execute(f"UPDATE kept SET {change} WHERE goal = 'roc_auc'")
        database.commit()
    answer = referee("history", kept)
    assert (answer.code, answer.json["error"]["code"]) == (3, "E_TABLE")
    assert "is not as it was saved" in answer.json["error"]["message"]


def test_the_lecture_where_rows_of_a_fold_weigh_nothing(referee, tmp_path):
    path, draw = tmp_path / "rows.csv", np.random.default_rng(12)
    cells = (f"{draw.integers(2)},{draw.random():.2f},{draw.random():.2f},{int(row > 14)}\n" for row in range(30))
    path.write_text("y,A,B,w\n" + "".join(cells))
    answer = referee("lecture", "cross-validation", path, "--truth", "y", "--weight", "w")
    assert answer.code in (0, 4) and answer.json.get("error", {}).get("code") != "E_BUG"


def test_the_deviation_of_numbers_whose_squares_are_none():
    values = np.random.default_rng(13).normal(size=(20, 3))
    for size in (2.0**-900, 1.0, 2.0**900):
        np.testing.assert_allclose(deviation(values * size) / size, values.std(axis=0, ddof=1), rtol=1e-14)


@pytest.mark.parametrize("beta", [1e-300, 1e-9, 0.5, 1.0, 2.0, 7.5, 1e9, 1e200, 1e308, 10**30])
def test_f_of_any_beta(beta):
    """Exactly, as the shares that precision and recall have in the harmonic mean; 6 hits, 3 misses, 2 false alarms."""
    truth, said = [1] * 9 + [0] * 8, [1] * 6 + [0] * 3 + [1] * 2 + [0] * 6
    square = Fraction(beta) ** 2
    exact = (1 + square) * 6 / ((1 + square) * 6 + square * 3 + 2)
    scores = library.evaluate(truth, {"A": said}, positive=1, metrics=f"f_beta(beta={beta!r})")
    assert scores.rows[0].value == pytest.approx(float(exact), rel=1e-15)


def test_a_variance_of_sums_is_not_below_nothing():
    sums = PairSums(np.full((1, 2, 2), 1.0), np.array([[[1.0, -1e-17], [-1e-17, 1.0]]]), np.ones((2, 2)), np.empty(0))
    spread = PairMoments(("A", "B"), sums, np.array([1.5]), 3, 1.0).spread("A", "B")
    assert (spread.variance, spread.standard_error) == (0.0, 0.0)


def test_a_look_that_adds_rows_without_weight():
    """They say nothing new, so that nothing of alpha is spent on them."""
    for between in ([5, 5], [5, 5, 5]):
        bounds = LookPlan(5, 21, 0.05).boundaries([*between, 14])
        assert all(bound == math.inf for bound in bounds[1:-1])
        assert bounds[-1] == pytest.approx(LookPlan(5, 21, 0.05).boundaries([5, 14])[-1], abs=1e-9)
