"""`make metamorphic`: everything printed, for every metric, relation, engine and kind of weights.

A quarter of an hour of one idle core; names (`python -m benchmarks.reliability.metamorphic binary ranking`) run these
tasks only and keep what is known of the others; `--again` asks only the cells that differed last time.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep, kept
from referee import RefereeError
from tests.metamorphic import folds
from tests.metamorphic.cases import MAKE, kinds_for
from tests.metamorphic.product import NOT_CHANGED, broken, compared_cells, evaluated_cells, expectation

PART, FOLDS = "metamorphic", "rankings of folds"
NOT_HERE = ("E_ROWS", "E_ENGINE")
"""An engine says that this comparison takes the rows in memory."""


def answered(cell, folder):
    """What differs, or None where the engine does not take the question."""
    try:
        return broken(cell, folder)
    except RefereeError as error:
        if error.code in NOT_HERE:
            return None
        raise


def measured(cells, folder):
    """How many cells were asked and what they compared, by relation and by way; and what differed."""
    asked, numbers, refused, differing = Counter(), 0, 0, []
    for cell in cells:
        found = answered(cell, folder)
        if found is None:
            refused += 1
            continue
        asked[f"{cell.relation}, {cell.way}"] += 1
        numbers += len(expectation(cell.task, cell.kind, cell.goal))
        differing += [f"{cell}: {line}" for line in found]
    return {"cells": dict(asked), "numbers": numbers, "refused": refused, "differing": differing}


def main(tasks):
    warnings.simplefilter("ignore")
    for task in tasks or MAKE:
        with TemporaryDirectory() as folder:
            evaluated = [cell for kind in kinds_for(task) for cell in evaluated_cells(task, kind)]
            found = {"evaluate": measured(evaluated, Path(folder))}
            keep(PART, kept(PART) | {task: kept(PART).get(task, {}) | found})
            found["compare"] = measured(compared_cells(task), Path(folder))
            keep(PART, kept(PART) | {task: kept(PART).get(task, {}) | found})
        print(task, found, flush=True)  # noqa: T201
    if not tasks:
        keep(PART, kept(PART) | {FOLDS: measured_folds()})


def measured_folds():
    """Pooled rankings of tables whose folds are on one scale, or on several."""
    found = {}
    for command in ("evaluate", "compare"):
        cells = [cell for cell in folds.fold_cells() if cell.compares == (command == "compare")]
        with TemporaryDirectory() as folder:
            differing = [f"{cell}: {line}" for cell in cells for line in folds.broken(cell, Path(folder))]
        asked = Counter(f"{cell.relation}, {cell.way}" for cell in cells)
        numbers = sum(len(folds.expectation(cell.unchanged)) for cell in cells)
        found[command] = {"cells": dict(asked), "numbers": numbers, "refused": 0, "differing": differing}
    return found


def again():
    """The cells that differed last time, after a mend."""
    warnings.simplefilter("ignore")
    results = kept(PART)
    results |= {FOLDS: measured_folds()} if any(found["differing"] for found in results.get(FOLDS, {}).values()) else {}
    for task, commands in results.items():
        if task == FOLDS:
            continue
        cells = {"evaluate": [cell for kind in kinds_for(task) for cell in evaluated_cells(task, kind)]}
        cells["compare"] = list(compared_cells(task))
        for command, found in commands.items():
            differed = [
                cell for cell in cells[command] if any(line.startswith(f"{cell}:") for line in found["differing"])
            ]
            with TemporaryDirectory() as folder:
                found["differing"] = measured(differed, Path(folder))["differing"]
        keep(PART, results)


def lines(results):
    """The part of the page."""
    yield "## The same table in other forms"
    yield (
        "Changes that mean nothing change nothing printed: value, both ends, standard error, df, p, result "
        "and warnings, within 1e-9. Every metric of the catalogue is evaluated and compared on under: another scale of "
        "weights, weights of one or none, rows seen twice or standing twice, zero weights or no rows, "
        "other orders of rows or columns, CSV, Parquet, JSON lines, Arrow, memory, batches, DuckDB, other names of "
        "labels, the other class positive, a slice and its rows alone, "
        "folds on one scale and on several (`make metamorphic`; a part: `make test`)."
    )
    yield ""
    yield "| task | command | cells | numbers compared | refused by an engine | differing |"
    yield "|---|---|--:|--:|--:|--:|"
    for task, commands in results.items():
        for command, found in commands.items():
            asked = sum(found["cells"].values())
            counts = (asked, found["numbers"], found["refused"], len(found["differing"]))
            yield f"| {task} | {command} | " + " | ".join(f"{count:,}" for count in counts) + " |"
    missing = [task for task in MAKE if len(results.get(task, {})) < 2]
    yield ""
    if missing:
        yield f"Not run to the end yet: {', '.join(missing)}."
    yield (
        f"`{NOT_CHANGED}` stands for the table itself on another engine. Where rows stay in a database or a file, some "
        "intervals are missing, as W_INTERVALS says, and those of one of several classes are within 2%, as "
        "the rest counts as one class there. `compare` does not run on batches."
    )


if __name__ == "__main__":
    again() if sys.argv[1:] == ["--again"] else main(sys.argv[1:])
