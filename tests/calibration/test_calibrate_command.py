"""`referee calibrate`: formats, files that are kept and applied, errors."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import polars
import pytest

from referee.calibration.calibrator import Calibrator
from referee.calibration.methods import METHODS
from tests.calibration.test_calibrate import rows_of

IDENTITY = {
    "format": "referee calibrator", "version": 1, "method": "temperature", "classes": [0, 1], "columns": 1,
    "maps": [{"temperature": 1}],
}  # fmt: skip


@pytest.fixture
def file(tmp_path):
    truth, said, scores = rows_of()
    path = tmp_path / "preds.csv"
    part = np.where(np.arange(400) % 2, "fit", "judge")
    frame = polars.DataFrame({"y": truth, "m": said, "svm": scores, "g": np.arange(400) // 4, "part": part})
    frame.write_csv(path)
    return path


def test_two_columns_without_a_positive_class(referee, tmp_path):
    truth, said, _ = rows_of(300)
    table, kept, output = tmp_path / "t.csv", tmp_path / "cal.json", tmp_path / "x.csv"
    names = np.where(truth == 1, "yes", "no")
    polars.DataFrame({"y": names, "m:yes": said, "m:no": 1 - said}).write_csv(table)
    for method in METHODS:
        asked = ("calibrate", table, "--truth", "y", "--models", "m", "--method", method, "--metrics", "log_loss")
        run = referee(*asked, "--save", kept, "--overwrite")
        assert "W_MERGED" not in [warning["code"] for warning in run.json["warnings"]]
        assert run.json["methods"][0]["keeps_ranking"] == (method != "isotonic")
        applied = referee("calibrate", table, "--apply", kept, "--output", output, "--overwrite")
        assert applied.json["columns"] == [f"m+{method}:no", f"m+{method}:yes"]
        alone = Calibrator(method).fit(said, truth).predict_proba(said)
        np.testing.assert_allclose(polars.read_csv(output).to_numpy()[:, -2:].astype(float), alone, rtol=1e-9)


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
    assert "svm gives scores that are not probabilities" in run.out.replace("\n", " ")
    assert "temperature: left out" in run.out


def test_kept_and_applied(referee, file, tmp_path):
    kept, output = tmp_path / "cal.json", tmp_path / "out.csv"
    run = referee(
        "calibrate", file, "--truth", "y", "--models", "m", "--method", "beta", "--metrics", "brier", "--save", kept
    )
    assert run.code == 0
    assert run.json["saved"] == str(kept)
    again = ("calibrate", file, "--truth", "y", "--models", "m", "--method", "beta", "--metrics", "brier")
    for form in ("text", "md"):
        shown = referee(*again, "--save", kept, "--overwrite", "--quiet", form=form).out.replace("\n", "")
        assert "cal.json: beta, fitted on 400 rows" in re.sub(r"\s+", " ", shown)
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
        (["--truth", "y", "--method", "bta"], 2, "E_METHOD"),
        (["--truth", "y", "--models", "m", "--method", "bta"], 2, "E_METHOD"),
        (["--truth", "y", "--models", "m", "--goal", "roc_auc"], 2, "E_GOAL"),
        (["--truth", "y", "--models", "svm", "--method", "beta"], 3, "E_PROBRANGE"),
        (["--truth", "y", "--models", "m", "--fit-on", "part"], 2, "E_SYNTAX"),
        (["--truth", "y", "--models", "m", "--fit-on", "part=x"], 2, "E_NOVALUE"),
        (["--truth", "y", "--models", "m", "--fit-on", "prt=x"], 2, "E_NOCOL"),
        (["--truth", "y", "--models", "m", "--fit-on", "part=fit", "--group", "g"], 2, "E_FITON"),
        (["--truth", "y", "--models", "m", "--save", "nowhere/at/all.json"], 6, "E_WRITE"),
        (["--truth", "y", "--models", "m", "--output", "x.csv"], 2, "E_USAGE"),
        (["--apply", "missing.json", "--output", "x.csv"], 2, "E_NOFILE"),
        (["--apply", "preds.csv", "--output", "x.csv"], 3, "E_CALIBRATOR"),
        (["--apply", "preds.csv"], 2, "E_USAGE"),
        (["--apply", "cal.json", "--output", "x.csv", "--truth", "nosuch"], 2, "E_USAGE"),
        (["--apply", "cal.json", "--output", "x.csv", "--method", "beta"], 2, "E_USAGE"),
        (["--apply", "cal.json", "--output", "x.csv", "--save", "y.json"], 2, "E_USAGE"),
        (["--apply", "cal.json", "--output", "x.csv", "--goal", "nosuch"], 2, "E_USAGE"),
        (["--apply", "cal.json", "--output", "x.csv", "--folds", "3"], 2, "E_USAGE"),
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
    expected = Calibrator("beta").fit(said, truth).predict_proba(said)
    found = polars.read_csv(output).select("m+beta:0", "m+beta:1").to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_an_absurd_map_gives_probabilities_and_no_warnings_of_python(referee, file, tmp_path):
    kept, output = tmp_path / "cal.json", tmp_path / "x.csv"
    for method, numbers in (
        ("platt", {"slope": 1e308, "intercept": -1e308}),
        ("temperature", {"temperature": 1e-320}),
        ("beta", {"a": 1e308, "b": 1e308, "c": 0}),
    ):
        kept.write_text(json.dumps(IDENTITY | {"method": method, "maps": [numbers]}))
        run = referee("calibrate", file, "--apply", kept, "--output", output, "--overwrite", "--model", "m=m")
        assert (run.code, run.err) == (0, "")
        assert polars.read_csv(output)[f"m+{method}"].is_between(0, 1).all()


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


def test_long_names_of_classes_fit_the_screen(referee, tmp_path):
    draw = np.random.default_rng(0)
    said, names = draw.dirichlet(np.ones(4), 120), [f"a rather long class name number {k}" for k in range(4)]
    table = tmp_path / "t.csv"
    truth = [names[k] for k in draw.integers(0, 4, 120)]
    polars.DataFrame({"y": truth, **{f"m:{name}": said[:, k] for k, name in enumerate(names)}}).write_csv(table)
    run = referee("calibrate", table, "--truth", "y", "--models", "m", "--metrics", "brier", form="text")
    assert "of each class vs the rest" in run.out
    assert max(len(line) for line in run.out.splitlines() if not line.startswith("warning")) <= 80


def test_all_metrics_of_a_long_name_stand_in_one_table(referee, tmp_path):
    draw = np.random.default_rng(0)
    table, name = tmp_path / "t.csv", "a_rather_long_name_of_a_model"
    truth = draw.integers(0, 2, 60)
    polars.DataFrame({"y": truth, name: draw.uniform(0.1, 0.6, 60) + 0.3 * truth}).write_csv(table)
    lines = referee("calibrate", table, "--truth", "y", "--models", name, form="text").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[1] for line in lines if line.startswith(("  ↑", "  ↓"))].count("roc_auc") == 1


def test_signs_of_a_terminal_without_unicode(referee, file, monkeypatch):
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(made := io.BytesIO(), "ascii", write_through=True))
    referee("calibrate", file, "--truth", "y", "--models", "m", "--metrics", "brier,accuracy", form="text")
    shown = made.getvalue().decode("ascii")
    assert "v brier" in shown
    assert "^ accuracy" in shown
    assert "+- 95%" in shown
    assert "\\" not in shown


def test_an_interrupt_leaves_nothing_behind(referee, file, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("referee.calibration.calibration.fit_method", stop)
    kept = tmp_path / "cal.json"
    run = referee("calibrate", file, "--truth", "y", "--models", "m", "--save", kept)
    assert run.code == 130
    assert not kept.exists()
