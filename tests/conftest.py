"""What all tests share: the command line in process, the reference values, and how long Hypothesis searches."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

# Threads of linear algebra that wait for each other on busy cores take more time than they save.
os.environ.setdefault("OMP_NUM_THREADS", "1")
collect_ignore_glob = ["reference/*.py", "reference/*/*.py"]
"""They need the programs whose values they write down."""

pytest_plugins = ["tests.fits_here", "tests.case_record"]
SHARED = Path(__file__).resolve().parents[2] / "shared"
REFERENCE = Path(__file__).with_name("reference")

# The same examples in every run, so that a failure is a change of the code; others each time where one has patience.
settings.register_profile("test", max_examples=30, derandomize=True, deadline=None, database=None)
settings.register_profile("quick", settings.get_profile("test"), max_examples=5)
settings.register_profile("soak", settings.get_profile("test"), max_examples=300, derandomize=False)
settings.load_profile("test")


class Run(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    def value(self, model, metric, class_=None, unit=None, slice_=None):
        key = {"model": model, "metric": metric, "class": class_, "unit": unit, "slice": slice_}
        (row,) = [row for row in self.json["scores"] if all(row[name] == value for name, value in key.items())]
        return row["value"]


@pytest.fixture
def referee(capfd):
    """Run the command line in this process: `referee("evaluate", path, "--truth", "y")`."""

    def run_command(*arguments, form="json"):
        from referee.cli.process import run

        capfd.readouterr()
        code = run([*map(str, arguments), *(["--format", form] if form else [])])
        captured = capfd.readouterr()
        return Run(code, captured.out, captured.err)

    return run_command


@pytest.fixture(scope="session")
def shared():
    """The folder of data and reference values; tests that need it say so where it is not there."""
    if not SHARED.is_dir():
        pytest.skip(f"reference values are missing: there is no folder {SHARED.name} next to the checkout")
    return SHARED


@pytest.fixture(scope="session")
def reference():
    """The folder of values that other software computed: see its README."""
    return REFERENCE


FOLD_SCORES = {"lr": [0.80, 0.82, 0.79, 0.83, 0.81], "rf": [0.85, 0.86, 0.85, 0.88, 0.84]}


@pytest.fixture
def logged_runs(tmp_path, monkeypatch):
    """Two runs of the experiment "cars", which MLflow itself keeps in a folder: a metric by steps, and a table."""
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"file:{tmp_path}/runs")
    mlflow.set_tracking_uri(f"file:{tmp_path}/runs")
    mlflow.set_experiment("cars")
    for name, scores in FOLD_SCORES.items():
        with mlflow.start_run(run_name=name):
            mlflow.log_param("model", name)
            for step, score in enumerate(scores):
                mlflow.log_metric("acc", score, step=step)
            answers = [[f"q{n}", float((n * len(name) + (name == "rf") * n) % 3 > 0), "text"] for n in range(12)]
            mlflow.log_dict({"columns": ["question", "right", "answer"], "data": answers}, "answers.json")
