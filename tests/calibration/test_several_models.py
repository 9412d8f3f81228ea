"""calibrate() of several models at once: each as by itself, side by side on screen and page, kept together."""

from __future__ import annotations

import numpy as np
import polars
import pytest
from sklearn.metrics import log_loss

from referee import Predictions, calibrate
from referee.errors import RefereeError
from tests.calibration.test_calibrate import rows_of


def three(rows=600):
    truth, extreme, scores = rows_of(rows)
    return truth, {"extreme": extreme, "right": 1 / (1 + np.exp(-scores / 5)), "svm": scores}


@pytest.fixture(scope="module")
def several():
    truth, models = three()
    return calibrate(Predictions.from_arrays(truth, models), metrics=["brier"])


@pytest.fixture
def file(tmp_path):
    truth, models = three(300)
    polars.DataFrame({"y": truth, **models}).write_csv(tmp_path / "preds.csv")
    return tmp_path / "preds.csv"


def test_each_model_is_calibrated_as_it_would_be_alone(several):
    truth, models = three()
    assert list(several) == list(models)
    for name, scores in models.items():
        alone = calibrate(truth, {name: scores}, metrics=["brier"])
        assert several[name].to_dict()["changes"] == alone.to_dict()["changes"]
        assert several[name].sentence == alone.sentence
    for name in ("extreme", "right"):
        assert several[name].goal_change.before == pytest.approx(log_loss(truth, models[name]), rel=1e-9)


def test_the_sentence_names_those_to_calibrate(several):
    """The forecasts of `right` are those that the rows were drawn with."""
    assert [several[name].is_advised for name in several] == [True, False, True]
    assert several.sentence.endswith("no method makes the probabilities of right significantly better.")
    assert f"extreme by {several['extreme'].best}" in several.sentence
    diagnosis, changes = (part.tables[0] for part in several.document().parts)
    assert [row[-1].text for row in diagnosis.rows] == ["shown", "not shown", "not probabilities"]
    assert [row[-1].text for row in changes.rows] == ["calibrate", "keep", "calibrate"]


def test_a_model_without_scores_is_left_out_and_named():
    truth, models = three(200)
    given = Predictions.from_arrays(truth, {"extreme": models["extreme"], "labels": models["svm"] > 0})
    found = calibrate(given, method="beta", metrics=["brier"])
    assert list(found) == ["extreme"]
    assert [notice.code for notice in found.notices if "labels is left out" in notice.message] == ["W_MODELS"]
    with pytest.raises(RefereeError):
        calibrate(Predictions.from_arrays(truth, {"a": models["svm"], "b": models["svm"]}), method="beta")


def test_the_screen_is_short(referee, file):
    run = referee("calibrate", file, "--truth", "y", "--metrics", "brier", form="text")
    lines = run.out.splitlines()
    assert run.code == 0
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 80
    assert "One model in full: --models NAME" in run.out
    assert {row["model"] for row in referee("calibrate", file, "--truth", "y").json["models"]} == {
        "extreme", "right", "svm"
    }  # fmt: skip


def test_all_maps_are_kept_and_applied(referee, file, tmp_path):
    kept, output, alone = tmp_path / "maps.json", tmp_path / "all.csv", tmp_path / "alone.csv"
    asked = ("calibrate", file, "--truth", "y", "--method", "platt", "--metrics", "brier", "--save")
    assert referee(*asked, kept).code == 0
    applied = referee("calibrate", file, "--apply", kept, "--output", output)
    assert applied.json["columns"] == ["extreme+platt", "right+platt", "svm+platt"]
    assert referee(*asked, tmp_path / "one.json", "--models", "svm").code == 0
    referee("calibrate", file, "--apply", tmp_path / "one.json", "--output", alone)
    assert polars.read_csv(output)["svm+platt"].equals(polars.read_csv(alone)["svm+platt"])
    moved = referee("calibrate", file, "--apply", kept, "--output", tmp_path / "m.csv", "--model", "svm=right")
    assert moved.json["columns"] == ["extreme+platt", "right+platt", "svm+platt"]
    assert not polars.read_csv(tmp_path / "m.csv")["svm+platt"].equals(polars.read_csv(alone)["svm+platt"])


@pytest.mark.parametrize(("text", "code"), [("[]", "E_CALIBRATOR"), ("[1]", "E_CALIBRATOR"), ("[{", "E_CALIBRATOR")])
def test_a_list_that_holds_no_calibrators(referee, file, tmp_path, text, code):
    (tmp_path / "maps.json").write_text(text)
    run = referee("calibrate", file, "--apply", tmp_path / "maps.json", "--output", tmp_path / "x.csv")
    assert run.json["error"]["code"] == code


def test_a_model_that_has_no_map(referee, file, tmp_path):
    kept = tmp_path / "maps.json"
    referee("calibrate", file, "--truth", "y", "--method", "platt", "--metrics", "brier", "--save", kept)
    run = referee("calibrate", file, "--apply", kept, "--output", tmp_path / "x.csv", "--model", "svn=right")
    assert run.json["error"]["code"] == "E_MODELS"
    assert "svm" in run.json["error"]["message"]
