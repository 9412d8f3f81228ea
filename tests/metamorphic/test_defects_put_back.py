"""The suite can fail: it finds each defect that it was made for, once that is put back."""

from __future__ import annotations

import pytest

from referee.predictions import Predictions
from tests.metamorphic.product import Cell, broken, expectation


@pytest.fixture(autouse=True)
def nothing_known():
    """What was printed before the defect came back, and with it."""
    expectation.cache_clear()
    yield
    expectation.cache_clear()


def test_errors_of_cuts_that_depend_on_the_scale_of_weights(monkeypatch, tmp_path):
    """How far to look around a cut, by the total weight instead of the number of rows."""
    for module in ("taped_steps", "ranked_columns"):
        monkeypatch.setattr(f"referee.scoring.{module}.window", lambda weight, _row_weight: weight**0.6 * (1 + 1e-9))
    found = broken(Cell("binary", "probability", "scale of weights", "memory", "precision_at_recall"), tmp_path)
    assert any("standard_error" in line for line in found)
    assert any("'p'" in line for line in found)


def test_frequency_weights_that_are_not_repeated_rows_in_intervals(monkeypatch, tmp_path):
    """Shares of rows seen several times by the interval of weighted rows."""
    equal = Predictions.has_equal_rows.func
    monkeypatch.setattr(Predictions, "has_equal_rows", property(lambda self: self.weight is None and equal(self)))
    found = broken(Cell("binary", "frequency", "repeated rows", "memory"), tmp_path)
    assert any("'accuracy'" in line and "'low'" in line for line in found)


def test_intervals_missing_from_duckdb(monkeypatch, tmp_path):
    """Neither are the rows of a small table read, nor is it said what is missing."""
    monkeypatch.setattr("referee.predictions.given.FEW_ROWS", 0)
    monkeypatch.setattr("referee.scoring.scores.without_intervals", lambda _scores: ())
    found = broken(Cell("multiclass", None, "the same table", "DuckDB"), tmp_path)
    assert any("'low'): None" in line for line in found)
