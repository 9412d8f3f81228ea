"""Errors beside values of rows in time order, against SciPy's cosine transform and statsmodels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import fft, stats

from referee import Predictions, evaluate, plan
from referee.cli.process import run
from referee.errors import RefereeError
from referee.predictions import Instants
from referee.scoring import TimeOrder
from tests.comparing.test_time import autoregression, two_classifiers, two_forecasts
from tests.reference.statsmodels_long_run import ROWS, predictions

FOREIGN = json.loads((Path(__file__).parents[1] / "reference" / "statsmodels_long_run.json").read_text())
ADDITIVE = ["mae", "mse", "accuracy", "log_loss", "brier"]


def row_terms(metric, truth, predicted):
    if metric in ("mae", "mse"):
        return np.abs(truth - predicted) ** (1 if metric == "mae" else 2)
    if metric == "accuracy":
        return ((predicted >= 0.5) == (truth == 1)).astype(float)
    true_class = np.where(truth == 1, predicted, 1 - predicted)
    return -np.log(true_class) if metric == "log_loss" else (1 - true_class) ** 2


def long_run_error(terms):
    """Pieces, share and standard error of a mean, by the rule in docs/guide/time.md, one step after the other."""
    terms = terms - terms.mean()
    rows, most = len(terms), int(0.4 * len(terms) ** (2 / 3))
    places, shares = np.arange(1, most + 1), np.ones(most)
    means, block = terms, 1
    while block == 1 or len(means) >= 50:
        centred = means - means.mean()
        alike = sum(centred[1:] * centred[:-1]) / sum(centred**2)
        alike = min(max(alike + (1 + 3 * alike) / len(means), 0), 0.97)
        spectrum = (1 - alike) ** 2 / (1 - 2 * alike * np.cos(np.pi * places * block / rows) + alike**2)
        shares = np.minimum(shares, np.cumsum(spectrum) / places)
        means, block = means[: len(means) // 2 * 2].reshape(-1, 2).mean(axis=1), 2 * block
    pieces = max(4, int((shares >= 0.9).sum()))
    lowest = fft.dct(terms, type=2, norm="ortho")[1 : pieces + 1]
    return pieces, np.sqrt((lowest**2).mean() / shares[pieces - 1] / rows)


@pytest.mark.parametrize("metric", ADDITIVE)
def test_the_error_of_a_mean_is_that_of_the_lowest_cosines(metric):
    truth, models = two_forecasts(700) if metric in ("mae", "mse") else two_classifiers(700)
    score = evaluate(truth, models, metrics=metric, time=np.arange(700))["a", metric]
    pieces, error = long_run_error(row_terms(metric, truth, models["a"]))
    assert score.pieces == pieces
    assert score.standard_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("metric", ["mae", "accuracy", "log_loss"])
def test_many_rows_agree_with_statsmodels(metric):
    """Bartlett's weights to 120 lags estimate the same variance with an error of some percent; ours is never bolder."""
    truth, predicted = predictions()["numbers" if metric == "mae" else "labels"]
    in_time = evaluate(truth, {"a": predicted}, metrics=metric, time=np.arange(ROWS))["a", metric]
    assert 0.93 < in_time.standard_error / FOREIGN[metric] < 1.3
    independent = evaluate(truth, {"a": predicted}, metrics=metric)["a", metric].standard_error
    assert in_time.standard_error > 1.05 * independent


def test_the_interval_is_t_with_as_many_degrees_of_freedom_on_the_log_scale():
    truth, models = two_forecasts(700)
    score = evaluate(truth, models, metrics="mae", time=np.arange(700), alpha=0.1)["a", "mae"]
    terms = np.abs(truth - models["a"])
    heavy = max(stats.kurtosis(terms), 0)
    df = 1 / (1 / score.pieces + heavy / (2 * 700))
    reach = stats.t.ppf(0.95, df) * score.standard_error / score.value
    assert (score.low, score.high) == pytest.approx((score.value * np.exp(-reach), score.value * np.exp(reach)))


def test_rows_of_one_moment_are_summed():
    truth, models = two_forecasts(600)
    moments = np.arange(600) // 2
    score = evaluate(truth, models, metrics="mae", time=moments)["a", "mae"]
    sums = np.abs(truth - models["a"]).reshape(-1, 2).mean(axis=1)
    pieces, error = long_run_error(sums)
    assert score.pieces == pieces and score.standard_error == pytest.approx(error, rel=1e-9)


@pytest.mark.parametrize("metric", ["roc_auc", "f1", "mcc", "average_precision", "calibration_error"])
def test_every_metric_and_slice_has_pieces(metric):
    truth, models = two_classifiers(600)
    halves = np.repeat(["early", "late"], 300)
    scores = evaluate(truth, models, metrics=metric, time=np.arange(600), by={"half": halves})
    assert all(score.pieces is not None and score.pieces >= 4 for score in scores if score.slice or score.overall)
    assert {score.slice for score in scores} == {None, "early", "late"}


def test_few_pieces_are_approximate():
    truth, models = two_forecasts(49)
    notices = {one.code: one.message for one in evaluate(truth, models, metrics="mae", time=np.arange(49)).notices}
    assert "fewer than 10 are few: these intervals are approximate" in notices["W_FEWPIECES"]
    many = evaluate(*two_forecasts(2000, rho=0.2), metrics="mae", time=np.arange(2000))
    assert "W_FEWPIECES" not in {one.code for one in many.notices}


def test_panels_are_refused():
    truth, models = two_forecasts(100)
    with pytest.raises(RefereeError) as refused:
        evaluate(truth, models, metrics="mae", time=np.arange(100), group=np.arange(100) // 4)
    assert refused.value.code == "E_DESIGN" and "panel" in str(refused.value)


def written(tmp_path, rows=400):
    truth, models = two_forecasts(rows)
    days = (np.datetime64("2024-01-01") + np.arange(rows)).astype(str)
    path = tmp_path / "days.csv"
    lines = zip(days, truth.tolist(), models["a"].tolist(), models["b"].tolist(), strict=True)
    path.write_text("day,y,a,b\n" + "".join(f"{day},{y!r},{a!r},{b!r}\n" for day, y, a, b in lines))
    return path, truth, models


def test_the_command_line_says_the_same(tmp_path, capsys):
    path, truth, models = written(tmp_path)
    assert run(["evaluate", str(path), "--truth", "y", "--time", "day", "--metrics", "mae", "--format", "json"]) == 0
    (first, _) = json.loads(capsys.readouterr().out)["scores"]
    expected = evaluate(truth, models, metrics="mae", time=np.arange(400))["a", "mae"]
    assert first["pieces"] == expected.pieces and first["low"] == pytest.approx(expected.low, rel=1e-9)
    assert run(["evaluate", str(path), "--truth", "y", "--time", "day", "--metrics", "mae"]) == 0
    assert f"400 rows in time hold about {expected.pieces}" in capsys.readouterr().out
    assert run(["evaluate", str(path), "--truth", "y", "--metrics", "mae"]) == 0
    assert "W_DATES" in capsys.readouterr().out
    assert evaluate(Predictions.read(str(path), truth="y"), time="day", metrics="mae")["a", "mae"] == expected


class TestPlan:
    def test_rows_follow_from_the_long_run_variance(self):
        """At many pieces t is normal: n = pilot rows * (z + z)^2 * SE^2 / margin^2, as for any mean."""
        rows = 20_000
        truth, models = two_forecasts(rows)
        found = plan(truth, models, goal="mae", margin=0.01, time=np.arange(rows))
        _, error = long_run_error(np.abs(truth - models["a"]) - np.abs(truth - models["b"]))
        expected = rows * ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error / 0.01) ** 2
        assert found.rows == pytest.approx(expected, rel=0.01)
        assert found.basis.to_dict()["standard_error"] == pytest.approx(error, rel=1e-9)
        assert found.rows > 3 * plan(truth, models, goal="mae", margin=0.01).rows

    def test_the_planned_rows_have_the_power(self):
        """300 test sets of the size that nine pilots plan (their median), drawn from the process of the pilots."""
        rows, margin = 20_000, 0.25
        noises = [autoregression(0.6, rows, seed) for seed in range(9)]
        pilots = [{"a": 10 + noise, "b": np.full(rows, 10.0)} for noise in noises]
        plans = [plan(np.zeros(rows), pilot, goal="mae", margin=margin, time=range(rows)).rows for pilot in pilots]
        planned, hits = int(np.median(plans)), 0
        order = TimeOrder(Instants(np.arange(planned)))
        for seed in range(300):
            drawn = autoregression(0.6, planned, 1000 + seed)
            spread = order.spread((drawn - drawn.mean()) / planned)
            hits += (drawn.mean() + margin) / spread.standard_error > stats.t.ppf(0.975, spread.df)
        assert 0.73 < hits / 300 < 0.95

    def test_few_pieces_and_long_horizons_are_said(self):
        truth, models = two_forecasts(600)
        found = plan(truth, models, goal="mae", rows=60, time=np.arange(600), horizon=7)
        said = " ".join(one.message for one in found.warnings)
        assert "verdicts on fewer than 10 are marked as approximate" in said and "take at least 70 rows" in said

    def test_time_is_about_a_pilot(self):
        with pytest.raises(RefereeError, match="rows of a pilot"):
            plan(goal="accuracy", margin=0.02, value=0.8, correlation=0.5, horizon=2)

    def test_a_pilot_whose_order_is_not_named(self, tmp_path, capsys):
        path, *_ = written(tmp_path)
        options = ["--pilot", str(path), "--truth", "y", "--goal", "mae", "--margin", "0.05"]
        assert run(["plan", *options]) == 0
        assert "too few rows are planned" in " ".join(capsys.readouterr().out.split())
        assert run(["plan", *options, "--time", "day", "--horizon", "2"]) == 0
        assert "independent pieces" in " ".join(capsys.readouterr().out.split())
