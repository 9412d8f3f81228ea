"""What random tables once found, in small."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from referee.calibration.events import Forecasts, first_of_blocks


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
