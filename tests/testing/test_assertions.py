"""Assertions in test suites, and the plugin, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from referee.errors import UsageError
from referee.testing import assert_better, assert_not_worse

TRUTH = np.arange(400) % 2
GOOD = TRUTH
POOR = np.where(np.arange(400) % 5 == 0, 1 - TRUTH, TRUTH)
MODELS = {"good": GOOD, "poor": POOR}


def test_what_holds_passes():
    assert_better(TRUTH, MODELS, goal="accuracy", model="good", than="poor")
    assert_not_worse(TRUTH, MODELS, goal="accuracy", production="poor", candidate="good", margin=0.01)


def test_what_does_not_hold_shows_the_sentence_and_the_numbers():
    with pytest.raises(AssertionError) as failed:
        assert_better(TRUTH, MODELS, goal="accuracy", model="poor", than="good")
    first, *rest = str(failed.value).splitlines()
    assert first.startswith("good wins on accuracy: 1.0000 vs 0.8000 for poor")
    assert any("poor" in line and "0.8000" in line for line in rest)
    with pytest.raises(AssertionError, match=r"^Fail: poor is worse than good by more than 0\.0100"):
        assert_not_worse(TRUTH, MODELS, goal="accuracy", production="good", candidate="poor", margin=0.01)


def test_a_tie_is_not_better():
    with pytest.raises(AssertionError, match="No winner on accuracy"):
        assert_better(TRUTH, {"a": POOR, "b": POOR}, goal="accuracy", model="a", than="b")


def test_a_model_that_is_not_there():
    with pytest.raises(UsageError, match="no comparison of 'goo' with 'poor'"):
        assert_better(TRUTH, MODELS, goal="accuracy", model="goo", than="poor")


def test_the_plugin_reads_what_lies_beside_the_test(tmp_path):
    rows = zip(TRUTH, GOOD, POOR, strict=True)
    (tmp_path / "preds.csv").write_text("y,good,poor\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
    (tmp_path / "test_models.py").write_text(
        "from referee.testing import assert_better\n\n"
        "def test_good(read_predictions):\n"
        "    assert_better(read_predictions('preds.csv', truth='y'), goal='accuracy', model='good', than='poor')\n\n"
        "def test_poor(read_predictions):\n"
        "    assert_better(read_predictions('preds.csv', truth='y'), goal='accuracy', model='poor', than='good')\n"
    )
    pytest_here = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path]
    found = subprocess.run(pytest_here, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 failed, 1 passed" in found.stdout, found.stdout + found.stderr
    assert "E       AssertionError: good wins on accuracy" in found.stdout
    assert "assertions.py" not in found.stdout, "the traceback ends in the user's own test"
