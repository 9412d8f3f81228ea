"""calibrate() and `referee calibrate`: judged where it was not fitted, kept as JSON and applied."""

from __future__ import annotations

import csv
import json

import numpy as np
import polars
import pytest

from referee import Predictions, tests
from referee.calibration import Calibrator, calibrate
from referee.calibration.cross_fitting import Parts, cross_fitting
from referee.calibration.fitting import fit_method
from referee.calibration.methods import METHODS
from referee.errors import RefereeError

IDENTITY = {
    "format": "referee calibrator", "version": 1, "method": "temperature", "classes": [0, 1], "columns": 1,
    "maps": [{"temperature": 1}],
}  # fmt: skip


def rows_of(rows=400, seed=0):
    """Overconfident forecasts, scores that are none, and a group of four rows each."""
    draw = np.random.default_rng(seed)
    signal = draw.normal(size=rows)
    truth = (draw.random(rows) < 1 / (1 + np.exp(-signal))).astype(int)
    return truth, 1 / (1 + np.exp(-3 * signal)), 5 * signal


def predictions_of(rows=400, seed=0, **more):
    truth, said, _ = rows_of(rows, seed)
    return Predictions.from_arrays(truth, {"m": said}, **more)


@pytest.fixture
def file(tmp_path):
    truth, said, scores = rows_of()
    path = tmp_path / "preds.csv"
    part = np.where(np.arange(400) % 2, "fit", "judge")
    frame = polars.DataFrame({"y": truth, "m": said, "svm": scores, "g": np.arange(400) // 4, "part": part})
    frame.write_csv(path)
    return path


@pytest.mark.parametrize("method", METHODS)
def test_no_row_is_judged_by_a_map_that_has_seen_it(method):
    truth, said, _ = rows_of(60)
    parts = Parts(np.arange(60) % 3, 3, "")
    before = Predictions.from_arrays(truth, {"m": said})
    turned = np.where(parts.codes == 1, 1 - truth, truth)
    after = Predictions.from_arrays(turned, {"m": said})
    a, b = (fit_method(METHODS[method], one, one, parts).model.scores for one in (before, after))
    np.testing.assert_array_equal(a[parts.codes == 1], b[parts.codes == 1])
    assert (a[parts.codes != 1] != b[parts.codes != 1]).any()


def test_groups_are_not_divided():
    predictions = predictions_of(group=np.arange(400) // 4)
    parts = cross_fitting(predictions, 10, 0)
    assert parts.count == 10
    assert all(len(set(parts.codes[4 * g : 4 * g + 4])) == 1 for g in range(100))
    assert "whole groups" in parts.how


def test_folds_of_the_predictions_are_used():
    fold = np.arange(400) % 7
    parts = cross_fitting(predictions_of(fold=fold), 10, 0)
    assert len(set(zip(fold, parts.codes, strict=True))) == 7


def test_a_seed_gives_the_same_bytes_in_any_order_of_the_rows():
    predictions = predictions_of(120)
    a, b = (json.dumps(calibrate(one, metrics=["brier"]).to_dict()) for one in (predictions, predictions))
    assert a == b
    shuffled = predictions.part(np.random.default_rng(0).permutation(120))
    assert calibrate(shuffled, metrics=["brier"]).to_dict()["changes"] == json.loads(a)["changes"]
    assert json.dumps(calibrate(predictions, metrics=["brier"], seed=1).to_dict()) != a


@pytest.mark.parametrize("metric", ["brier", "log_loss", "accuracy", "calibration_error", "f_beta"])
def test_changes_are_those_of_the_row_test(metric):
    found = calibrate(predictions_of(), method=["platt", "isotonic"], metrics=[metric])
    before, platt, _ = found.predictions.models
    foreign = tests["influence"](found.predictions.truth, platt.scores, before.scores, metric=metric)
    change = found.change(metric, "platt")
    for name in ("difference", "low", "high", "p", "statistic"):
        assert getattr(change.comparison, name) == pytest.approx(getattr(foreign, name), rel=1e-9), name
    assert change.after - change.before == pytest.approx(change.comparison.difference, rel=1e-12)


def test_maps_that_rise_keep_auc_and_stairs_do_not():
    found = calibrate(predictions_of(), metrics=["roc_auc", "average_precision", "log_loss"])
    for name in ("platt", "temperature", "beta"):
        change = found.change("roc_auc", name)
        assert change.by_ranking
        assert change.after == change.before
        assert change.comparison.p == 1
    assert not found.change("roc_auc", "isotonic").by_ranking
    assert found.change("roc_auc", "isotonic").after != found.change("roc_auc", "isotonic").before


def test_calibration_helps_the_overconfident_and_says_so():
    found = calibrate(predictions_of(2000), metrics=["log_loss", "brier"])
    assert found.best in ("beta", "temperature")
    assert found.sentence.startswith(f"Calibrate m by {found.best}, the best of 4 methods: log_loss is")
    assert not found.diagnoses["m"][0].error.as_expected
    assert found.diagnoses[f"m+{found.best}"][0].error.as_expected
    assert found.fitted["temperature"].maps[0].temperature == pytest.approx(3, rel=0.2)


def test_calibrated_forecasts_are_left_alone():
    draw = np.random.default_rng(8)
    said = draw.random(300)
    found = calibrate(Predictions.from_arrays((draw.random(300) < said).astype(int), {"m": said}))
    assert found.sentence.startswith("No method makes m's probabilities significantly better")


def test_reversed_scores_are_not_flipped():
    truth, said, _ = rows_of()
    found = calibrate(Predictions.from_arrays(truth, {"m": 1 - said}), method="platt,beta", metrics=["roc_auc"])
    assert [notice.code for notice in found.notices].count("W_FALLING") == 2


def test_neighbouring_scores_that_become_equal_are_reported():
    truth, said, _ = rows_of(200)
    # Their logarithms are the same in 64 bits.
    said[:100], said[100:150] = 1e-10, np.nextafter(1e-10, 1)
    found = calibrate(Predictions.from_arrays(truth, {"m": said}), method="temperature", metrics=["roc_auc"])
    assert found.fitted["temperature"].merged == 1
    assert "W_MERGED" in [notice.code for notice in found.notices]
    change = found.change("roc_auc", "temperature")
    assert not change.by_ranking
    assert change.after != change.before


def test_fitted_here_and_judged_there():
    predictions = predictions_of()
    chosen = np.arange(400) < 150
    found = calibrate(predictions, method="beta", fit_on=chosen, metrics=["brier"])
    truth, said, _ = rows_of()
    alone = Calibrator("beta").fit(said[chosen], truth[chosen])
    np.testing.assert_allclose(found.predictions.models[1].scores, alone.predict_proba(said[~chosen])[:, 1], rtol=1e-9)
    assert found.predictions.rows == 250


@pytest.mark.parametrize(
    ("truth", "said", "code"),
    [
        ([1] * 10, np.linspace(0, 1, 10), "E_ONECLASS"),
        ([0] * 9 + [1], np.linspace(0, 1, 10), "E_FEWROWS"),
        (["a", "b"] * 5, ["a", "b"] * 5, "E_NOSCORE"),
    ],
)
def test_what_cannot_be_calibrated(truth, said, code):
    with pytest.raises(RefereeError) as refused:
        calibrate(
            Predictions.from_arrays(
                truth,
                {"m": said},
                positive=truth[-1],
                classes=sorted({0, 1, *truth}, key=str)[:2] if isinstance(truth[0], int) else None,
            )
        )
    assert refused.value.code == code


@pytest.mark.parametrize(
    "said",
    [np.full(10, 0.4), np.tile([0.0, 1.0], 5), np.repeat([0.2, 0.7], 5), np.linspace(0.05, 0.95, 10), np.ones(10)],
    ids=["constant", "certain", "ties", "separated", "all one"],
)
@pytest.mark.parametrize("method", ["all", "platt"])
def test_ten_rows(said, method):
    predictions = Predictions.from_arrays([0] * 5 + [1] * 5, {"m": said})
    found = calibrate(predictions, method=method)
    json.dumps(found.to_dict(), allow_nan=False)
    assert "W_FEWROWS" in [notice.code for notice in found.notices]
    assert all(np.isfinite(model.scores).all() for model in found.predictions.models)


def test_why_there_is_no_before():
    truth, _, scores = rows_of(100)
    first = int(np.argmax((scores < 0) | (scores > 1)))
    found = calibrate(Predictions.from_arrays(truth, {"m": scores}), metrics=["brier"])
    change = found.change("brier", "platt")
    assert change.before is None
    assert 0 < change.after < 0.25
    assert f"row {first + 1} is {scores[first]:g}" in change.comparison.undefined


def test_several_classes_and_weights():
    draw = np.random.default_rng(0)
    logits = draw.normal(size=(300, 3))
    truth = np.array([draw.choice(3, p=np.exp(row) / np.exp(row).sum()) for row in logits])
    said = np.exp(3 * logits) / np.exp(3 * logits).sum(axis=1, keepdims=True)
    weight = draw.random(300) + 0.5
    found = calibrate(Predictions.from_arrays(truth, {"m": said}, weight=weight), metrics=["log_loss", "accuracy"])
    assert found.best == "temperature"
    assert found.change("accuracy", "temperature").after == found.change("accuracy", "temperature").before
    assert [one.name for one in found.diagnoses["m"]] == ["top label", "0", "1", "2"]


def test_everything_in_json(referee, file):
    found = referee("calibrate", file, "--truth", "y", "--models", "m").json
    assert found["command"] == "calibrate"
    assert {one["method"] for one in found["methods"]} == set(METHODS)
    assert {one["metric"] for one in found["changes"]} >= {"roc_auc", "log_loss", "accuracy", "calibration_error"}
    assert found["calibration"][0]["calibration_error"]["expected"] > 0
    assert found["best"] in METHODS


@pytest.mark.parametrize("form", ["text", "md", "csv"])
def test_the_other_formats(referee, file, form):
    run = referee("calibrate", file, "--truth", "y", "--models", "m", "--metrics", "brier,roc_auc", form=form)
    assert run.code == 0
    assert "brier" in run.out
    if form == "text":
        assert max(len(line) for line in run.out.splitlines() if not line.startswith("warning")) <= 80
        assert "if calibrated, about" in run.out
        assert "calibrated forecasts on 400" in run.out.replace("\n", " ")
    if form == "csv":
        rows = list(csv.DictReader(run.out.splitlines()))
        assert {row["method"] for row in rows} == set(METHODS)
        assert "Calibrate m by" in run.err


def test_scores_become_probabilities(referee, file):
    run = referee("calibrate", file, "--truth", "y", "--models", "svm", "--metrics", "log_loss,roc_auc", form="text")
    assert run.code == 0
    assert "svm gives scores that are no probabilities" in run.out.replace("\n", " ")
    assert "temperature: left out" in run.out


def test_kept_and_applied(referee, file, tmp_path):
    kept, output = tmp_path / "cal.json", tmp_path / "out.csv"
    run = referee(
        "calibrate", file, "--truth", "y", "--models", "m", "--method", "beta", "--metrics", "brier", "--save", kept
    )
    assert run.code == 0
    assert run.json["saved"] == str(kept)
    applied = referee("calibrate", file, "--apply", kept, "--output", output)
    assert applied.json["columns"] == ["m+beta"]
    table, before = polars.read_csv(output), polars.read_csv(file)
    assert table.drop("m+beta").equals(before)
    calibrator = Calibrator.from_json(kept.read_text())
    np.testing.assert_array_equal(table["m+beta"].to_numpy(), calibrator.predict_proba(before["m"].to_numpy())[:, 1])
    parquet = tmp_path / "out.parquet"
    assert referee("calibrate", file, "--apply", kept, "--output", parquet).code == 0
    np.testing.assert_array_equal(polars.read_parquet(parquet)["m+beta"].to_numpy(), table["m+beta"].to_numpy())


def test_nothing_is_replaced_unless_asked(referee, file, tmp_path):
    kept = tmp_path / "cal.json"
    kept.write_text("mine")
    asked = (
        "calibrate",
        file,
        "--truth",
        "y",
        "--models",
        "m",
        "--method",
        "platt",
        "--metrics",
        "brier",
        "--save",
        kept,
    )
    run = referee(*asked)
    assert run.code == 6
    assert run.json["error"]["code"] == "E_EXISTS"
    assert kept.read_text() == "mine"
    assert referee(*asked, "--overwrite").code == 0
    assert "referee calibrator" in kept.read_text()
    assert referee("calibrate", file, "--apply", kept, "--output", file).code == 6


@pytest.mark.parametrize(
    ("options", "code", "error"),
    [
        (["--truth", "y"], 2, "E_MODELS"),
        (["--truth", "y", "--models", "m", "--method", "bta"], 2, "E_METHOD"),
        (["--truth", "y", "--models", "m", "--goal", "roc_auc"], 2, "E_GOAL"),
        (["--truth", "y", "--models", "svm", "--method", "beta"], 3, "E_PROBRANGE"),
        (["--truth", "y", "--models", "m", "--fit-on", "part"], 2, "E_SYNTAX"),
        (["--truth", "y", "--models", "m", "--fit-on", "part=x"], 2, "E_FITON"),
        (["--truth", "y", "--models", "m", "--fit-on", "prt=x"], 2, "E_NOCOL"),
        (["--truth", "y", "--models", "m", "--fit-on", "part=fit", "--group", "g"], 2, "E_FITON"),
        (["--truth", "y", "--models", "m", "--save", "nowhere/at/all.json"], 6, "E_WRITE"),
        (["--truth", "y", "--models", "m", "--output", "x.csv"], 2, "E_USAGE"),
        (["--apply", "missing.json", "--output", "x.csv"], 2, "E_NOFILE"),
        (["--apply", "preds.csv", "--output", "x.csv"], 3, "E_CALIBRATOR"),
        (["--apply", "preds.csv"], 2, "E_USAGE"),
    ],
)
def test_errors(referee, file, monkeypatch, options, code, error):
    monkeypatch.chdir(file.parent)
    run = referee("calibrate", file, *options)
    assert (run.code, run.json["error"]["code"]) == (code, error)
    assert not (file.parent / "x.csv").exists()


def test_a_calibrator_and_the_wrong_table(referee, file, tmp_path):
    kept = tmp_path / "cal.json"
    kept.write_text(Calibrator("beta").fit([0.1, 0.9, 0.4, 0.6], [0, 1, 1, 0]).to_json())
    output = tmp_path / "x.csv"
    assert referee("calibrate", file, "--apply", kept, "--output", output).json["error"]["code"] == "E_MODELS"
    named = ("--model", "m=nope")
    assert referee("calibrate", file, "--apply", kept, "--output", output, *named).json["error"]["code"] == "E_NOCOL"
    named = ("--model", "s=svm")
    run = referee("calibrate", file, "--apply", kept, "--output", output, *named)
    assert run.json["error"]["code"] == "E_PROBRANGE"
    assert "row" in run.json["error"]["message"]
    kind = referee("calibrate", file, "--apply", kept, "--output", tmp_path / "x.xlsx", "--model", "m=m")
    assert kind.json["error"]["code"] == "E_OUTPUT"


def test_a_calibrator_of_several_classes(referee, tmp_path):
    draw = np.random.default_rng(0)
    said, truth = draw.dirichlet(np.ones(3), 90), draw.integers(0, 3, 90)
    table, kept, output = tmp_path / "t.csv", tmp_path / "cal.json", tmp_path / "x.csv"
    polars.DataFrame({"y": truth, **{f"p_{k}": said[:, k] for k in range(3)}}).write_csv(table)
    made = Calibrator("temperature").fit(said, truth)
    kept.write_text(made.to_json())
    asked = ("calibrate", table, "--apply", kept, "--output", output)
    assert referee(*asked, "--model", "m=p_0").json["error"]["code"] == "E_MODELS"
    assert referee(*asked, "--model", "m=p_{class}").json["columns"] == [f"m+temperature:{k}" for k in range(3)]
    np.testing.assert_array_equal(polars.read_csv(output).to_numpy()[:, -3:], made.predict_proba(said))


def test_a_calibrator_fitted_on_two_columns(referee, file, tmp_path):
    kept, output = tmp_path / "cal.json", tmp_path / "x.csv"
    truth, said, _ = rows_of()
    kept.write_text(Calibrator("beta").fit(np.column_stack([1 - said, said]), truth).to_json())
    assert referee("calibrate", file, "--apply", kept, "--output", output, "--model", "m=m").code == 0
    expected = Calibrator("beta").fit(said, truth).predict_proba(said)[:, 1]
    np.testing.assert_allclose(polars.read_csv(output)["m+beta"].to_numpy(), expected, rtol=1e-12)


def test_decimal_commas(referee, tmp_path):
    table, kept, output = tmp_path / "t.csv", tmp_path / "cal.json", tmp_path / "x.csv"
    table.write_text("y;m\n0;0,5\n1;0,5\n")
    kept.write_text(Calibrator.from_json(json.dumps(IDENTITY)).to_json())
    run = referee("calibrate", table, "--decimal", ",", "--apply", kept, "--output", output, "--model", "m=m")
    assert run.code == 0
    assert output.read_text() == 'y,m,m+temperature\n0,"0,5","0,5"\n1,"0,5","0,5"\n'


def test_rows_to_fit_on_by_a_column(referee, file):
    run = referee(
        "calibrate",
        file,
        "--truth",
        "y",
        "--models",
        "m",
        "--fit-on",
        "part=fit",
        "--method",
        "platt",
        "--metrics",
        "brier",
    )
    assert run.json["rows"] == 200
    assert run.json["fitted"] == "fitted on 200 rows (part=fit), judged on the other 200"
