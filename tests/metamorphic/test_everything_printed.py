"""Changes of a table that mean nothing change nothing that is printed: values, intervals, errors, p, outcome, warnings.

The loops go over the catalogue, so a metric that is added is covered. Here every metric is asked for its values in all
relations on all engines, and compared in a part of them; `make metamorphic` runs the whole product.
"""

from __future__ import annotations

import pytest

from tests.metamorphic.cases import MAKE, kinds_for
from tests.metamorphic.commands import COMMANDS
from tests.metamorphic.product import broken, commanded_cells, compared_cells, evaluated_cells, slice_differences

KINDS_OF = [(task, kind) for task in MAKE for kind in kinds_for(task)]


@pytest.mark.parametrize(("task", "kind"), KINDS_OF)
def test_scores_of_every_metric(task, kind, tmp_path):
    """All relations in memory, some of them on other engines and from files."""
    for cell in evaluated_cells(task, kind, whole=False):
        assert not broken(cell, tmp_path), cell


@pytest.mark.parametrize("task", MAKE)
def test_verdicts_on_every_metric(task, tmp_path):
    """Each metric as the goal, in relations dealt out in turn."""
    for cell in compared_cells(task, every=18):
        assert not broken(cell, tmp_path), cell


FURTHER = {name: 61 if "calibrate" in name or "beside" in name else 29 for name in COMMANDS if COMMANDS[name].tasks}
"""One of so many cells of the other commands."""


@pytest.mark.parametrize("command", FURTHER)
def test_what_other_commands_print(command, tmp_path):
    for cell in commanded_cells(command, every=FURTHER[command]):
        assert not broken(cell, tmp_path), cell


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "quantiles"])
@pytest.mark.parametrize("kind", [None, "probability", "frequency"])
def test_a_data_set_is_a_slice(task, kind, tmp_path):
    """Where rows stay in a file or a database, slices lack intervals; what they have is the same."""
    assert not slice_differences(task, kind, "memory", tmp_path)
    for way in ("stream", *(["database"] if kind is None else [])):
        assert [line for line in slice_differences(task, kind, way, tmp_path) if ": None and " not in line] == []
