"""The grid: every cell, in the order in which they are run, those first that tell most."""

from __future__ import annotations

from itertools import chain, zip_longest
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.validity import data_sets, estimates, fitted, refits, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.validity.cell import Cell


def grid() -> list[Cell]:
    """The parts in turn, so that a run that is stopped knows something of each."""
    first = (
        rows.cells_of_classes(), refits.cells(), rows.cells_of_numbers(),
        chain(rows.cells_of_few_calls(), rows.cells_of_relatives(), rows.cells_of_ties()),
        chain(rows.cells_of_groups(), rows.cells_of_time()),
        chain(data_sets.cells(), rows.cells_of_many(), rows.cells_of_other_rows()),
    )  # fmt: skip
    last = (
        rows.cells_of_power(), rows.cells_of_subsets(), estimates.cells_of_optimism(), estimates.cells_of_intervals(),
        data_sets.cells_of_folds(), fitted.cells(),
    )  # fmt: skip
    return [*_in_turn(*first), *chain(*last)]


def _in_turn(*parts: Iterator[Cell]) -> Iterator[Cell]:
    for each in zip_longest(*parts):
        yield from (cell for cell in each if cell is not None)


def measured(name: str, numbers: range) -> dict[str, Any]:
    """A cell by its name, as its functions do not travel to another process."""
    (cell,) = [one for one in grid() if one.name == name]
    start = process_time()
    return cell.measured(numbers) | {"seconds": round(process_time() - start, 1)}
