"""Folds on one scale or on several: every engine says the same, and ranks rows of several scales nowhere."""

from __future__ import annotations

import pytest

from tests.metamorphic.folds import ALIKE, APART, NOT_CHANGED, TASKS, FoldCell, broken, fold_cells, said

UNCHANGED = [cell for cell in fold_cells() if cell.relation == NOT_CHANGED]
CHANGED = [cell for cell in fold_cells() if cell.relation != NOT_CHANGED]


@pytest.mark.parametrize("cell", UNCHANGED, ids=str)
def test_engines_agree(cell, tmp_path):
    assert not broken(cell, tmp_path)


@pytest.mark.parametrize(
    "cell", [cell for place, cell in enumerate(CHANGED) if cell.way == "memory" or place % 7 == 0], ids=str
)
def test_changes_that_mean_nothing(cell, tmp_path):
    """All relations in memory, some of them on other engines."""
    assert not broken(cell, tmp_path)


@pytest.mark.parametrize("task", TASKS)
def test_nothing_is_ranked_across_scales(task, tmp_path):
    """Of the table whose scales are apart only values of folds are left, of the other one there are all."""
    for scales in (ALIKE, APART):
        cell = FoldCell(task, scales, None, NOT_CHANGED, "memory")
        pooled = {k: v for k, v in said(cell, cell.case, tmp_path).items() if k[5] is None and k[-1] == "value"}
        assert pooled
        assert all((value is None) == (scales == APART) for value in pooled.values()), pooled
    refused = FoldCell(task, APART, None, NOT_CHANGED, "memory", compares=True)
    assert said(refused, refused.case, tmp_path) == {("refused",): "E_POOLED"}
