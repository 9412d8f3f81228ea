"""Changes of a table that mean nothing change nothing that is printed: values, intervals, errors, p, outcome, warnings.

The loops go over the catalogue, so a metric that is added is covered. Here every metric is asked for its values in all
relations on all engines, and compared in a part of them; `make metamorphic` runs the whole product.
"""

from __future__ import annotations

import pytest

from tests.metamorphic.cases import KINDS, MAKE
from tests.metamorphic.product import broken, compared_cells, cross_cells, evaluated_cells, slice_differences


@pytest.mark.parametrize("task", MAKE)
@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_every_metric(task, kind, tmp_path):
    """All relations, on each engine against memory."""
    for cell in evaluated_cells(task, kind):
        assert not broken(cell, tmp_path), cell


@pytest.mark.parametrize("task", MAKE)
def test_formats_of_files(task, tmp_path):
    for cell in cross_cells(task):
        assert not broken(cell, tmp_path), cell


@pytest.mark.parametrize("task", MAKE)
def test_verdicts_on_every_metric(task, tmp_path):
    """Each metric as the goal, in relations and engines dealt out in turn."""
    for cell in compared_cells(task, every=5):
        assert not broken(cell, tmp_path), cell


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "quantiles"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_data_set_is_a_slice(task, kind, tmp_path):
    assert not slice_differences(task, kind, tmp_path)
