"""One file adds a metric, everywhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

from referee import metrics
from referee.testing import check_metric

FILE = """
from referee.scoring import CLASSIFICATION, Example, Metric


def value(counts):
    return counts.tn / (counts.tn + counts.fp + counts.fn)


metric = Metric(
    title="Negative Jaccard",
    question="How well do true and predicted negatives overlap?",
    formula="TN / (TN + FP + FN)",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="every row is positive and predicted positive",
    blind_to="the positives that were found",
    related=("jaccard",),
    references=("an example of a user's own metric",),
    examples=(Example(truth=[1, 1, 0, 0], prediction=[1, 0, 0, 0], value=2 / 3, source="by hand"),),
)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "negative_jaccard.py").write_text(FILE)
    monkeypatch.setenv("REFEREE_METRICS", str(tmp_path))
    return tmp_path


@pytest.fixture
def added(folder):
    metrics.add_folder(folder)
    yield metrics["negative_jaccard"]
    metrics.remove_folder(folder)
    assert "negative_jaccard" not in metrics


def referee(*arguments):
    run = subprocess.run([sys.executable, "-m", "referee", *arguments], capture_output=True, text=True, check=True)
    return run.stdout


def test_it_is_in_the_catalogue(added):
    assert "negative_jaccard" in metrics
    assert added([1, 1, 0, 0], [1, 0, 0, 0]) == 2 / 3


def test_it_passes_the_contract(added):
    check_metric(added)


@pytest.mark.usefixtures("folder")
def test_it_is_on_the_command_line(tmp_path):
    assert "negative_jaccard" in referee("metrics", "--needs", "labels")
    assert "How well do true and predicted negatives overlap?" in referee("metrics", "negative_jaccard")
    file = tmp_path / "preds.csv"
    file.write_text("y,m\n1,1\n1,0\n0,0\n0,0\n")
    assert '"negative_jaccard", "value": 0.6666' in referee("evaluate", str(file), "--truth", "y", "--format", "json")


def test_a_false_declaration_is_found(added):
    from dataclasses import replace

    with pytest.raises(AssertionError):
        check_metric(replace(added, depends_on_prevalence=False))
