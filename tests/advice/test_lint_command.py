"""`referee evaluate --lint` as it is typed."""

from __future__ import annotations

import numpy as np
import pytest

from referee.advice import lint
from referee.errors import UsageError
from referee.predictions import Predictions

DRAW = np.random.default_rng(3)
PROBABILITY = 1 / (1 + np.exp(-1.5 * DRAW.normal(size=2000)))
TRUTH = (DRAW.random(2000) < PROBABILITY).astype(int)
OVERCONFIDENT = PROBABILITY**3 / (PROBABILITY**3 + (1 - PROBABILITY) ** 3)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "preds.csv"
    rows = [f"{y},{p:.6f},{q:.6f}" for y, p, q in zip(TRUTH, PROBABILITY, OVERCONFIDENT, strict=True)]
    path.write_text("y,m,sure\n" + "\n".join(rows) + "\n")
    return path


def test_on_the_command_line(referee, file):
    run = referee("evaluate", file, "--truth", "y", "--metrics", "roc_auc", "--goal", "mxe", "--lint")
    assert run.code == 0
    assert run.json["goal"] == "log_loss"
    (one,) = [one for one in run.json["lint"] if not one["is_constant"]]
    assert (one["model"], one["trick"], one["outcome"], one["significant"]) == ("sure", "shrunk", "beats", True)
    assert one["difference"] == pytest.approx(one["value"] - one["trick_value"])
    clean = referee("evaluate", file, "--truth", "y", "--models", "m", "--metrics", "log_loss,brier", "--lint")
    assert clean.json["lint"] == []
    assert "lint" not in referee("evaluate", file, "--truth", "y", "--goal", "mxe").json


@pytest.mark.parametrize("form", ["text", "md", "csv"])
def test_in_every_format(referee, file, form):
    run = referee("evaluate", file, "--truth", "y", "--metrics", "log_loss", "--lint", form=form)
    assert "the model is overconfident" in " ".join((run.out + run.err).split())
    if form == "text":
        assert max(map(len, run.out.partition("Lint:")[2].splitlines())) <= 80
    clean = referee("evaluate", file, "--truth", "y", "--models", "m", "--metrics", "brier", "--lint", form=form)
    assert ("nothing found" in clean.out) == (form != "csv")


def test_a_metric_that_no_prediction_changes(referee, file):
    run = referee("evaluate", file, "--truth", "y", "--metrics", "murphy_uncertainty,brier", "--lint", form="text")
    assert "do as well on brier?" in run.out
    run = referee("evaluate", file, "--truth", "y", "--metrics", "murphy_uncertainty", "--lint", form="text")
    assert "murphy_uncertainty is the same for all predictions" in run.out


def test_rows_that_are_not_in_memory(referee, file):
    asked = ["--metrics", "brier", "--lint", "--max-memory", "1KB"]
    error = referee("evaluate", file, "--truth", "y", *asked).json["error"]
    assert (error["code"], error["exit"]) == ("E_ROWS", 2)


def test_usage(referee, file):
    error = referee("evaluate", file, "--truth", "y", "--lint").json["error"]
    assert (error["code"], error["exit"]) == ("E_NOMETRIC", 2)
    assert "advise" in error["hint"]
    assert referee("evaluate", file, "--truth", "y", "--lint", "--goal", "log_los").json["error"]["code"] == "E_UNKNOWN"
    with pytest.raises(UsageError):
        lint(Predictions.from_arrays(TRUTH, {"m": PROBABILITY}), [])
