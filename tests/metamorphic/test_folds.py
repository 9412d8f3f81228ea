"""Folds on one scale or on several: every engine says the same, and ranks rows of several scales nowhere."""

from __future__ import annotations

import pytest

from tests.metamorphic.folds import ALIKE, APART, NOT_CHANGED, TASKS, FoldCell, broken, expectation, fold_cells

CHEAP = [cell for cell in fold_cells() if (cell.task, cell.way) != ("multiclass", "database")]
UNCHANGED = [cell for cell in CHEAP if cell.relation == NOT_CHANGED and cell.way != "memory"]
UNCHANGED += [FoldCell("multiclass", APART, None, NOT_CHANGED, "database")]
CHANGED = [cell for cell in CHEAP if cell.relation != NOT_CHANGED]


@pytest.mark.parametrize("cell", UNCHANGED, ids=str)
def test_engines_agree(cell, tmp_path):
    assert not broken(cell, tmp_path)


@pytest.mark.parametrize("cell", CHANGED[::11], ids=str)
def test_changes_that_mean_nothing(cell, tmp_path):
    """One in so many; `make metamorphic` asks all."""
    assert not broken(cell, tmp_path)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_ranked_across_scales(task):
    """Of the table whose scales are apart only values of folds are left, of the other one there are all."""
    for scales in (ALIKE, APART):
        cell = FoldCell(task, scales, None, NOT_CHANGED, "memory")
        pooled = {k: v for k, v in expectation(cell).items() if k[5] is None and k[-1] == "value"}
        assert pooled
        assert all((value is None) == (scales == APART) for value in pooled.values()), pooled
    refused = FoldCell(task, APART, None, NOT_CHANGED, "memory", compares=True)
    assert expectation(refused) == {("refused",): "E_POOLED"}
