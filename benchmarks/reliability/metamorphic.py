"""`make metamorphic`: everything printed, for every metric, relation, engine and kind of weights.

A quarter of an hour of one idle core; names (`python -m benchmarks.reliability.metamorphic binary calibrate`) run these
tasks and commands only and keep what is known of the others; `--again` asks only the cells that differed last time.
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
from tests.metamorphic.commands import COMMANDS
from tests.metamorphic.product import (
    NOT_CHANGED,
    broken,
    commanded_cells,
    compared_cells,
    evaluated_cells,
    expectation,
)

PART, FOLDS = "metamorphic", "rankings of folds"
FURTHER = [name for name, command in COMMANDS.items() if command.tasks]
"""Commands that are asked of some tasks only."""
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
        numbers += len(expectation(*cell.question))
        differing += [f"{cell}: {line}" for line in found]
    return {"cells": dict(asked), "numbers": numbers, "refused": refused, "differing": differing}


def cells_of(part, command):
    """All cells of a command: of one task, or of all that it is asked of."""
    if command == "evaluate":
        return [cell for kind in kinds_for(part) for cell in evaluated_cells(part, kind)]
    return list(compared_cells(part) if command == "compare" else commanded_cells(command))


def parts():
    """Tasks with the commands that every one is asked; and the other commands."""
    return dict.fromkeys(MAKE, ("evaluate", "compare")) | {command: (command,) for command in FURTHER}


def main(asked):
    warnings.simplefilter("ignore")
    for part in asked or [*parts(), FOLDS]:
        for command in parts().get(part, ()):
            with TemporaryDirectory() as folder:
                found = measured(cells_of(part, command), Path(folder))
            keep(PART, kept(PART) | {part: kept(PART).get(part, {}) | {command: found}})
            print(part, command, found, flush=True)  # noqa: T201
        if part == FOLDS:
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
    for part, commands in results.items():
        if part == FOLDS:
            continue
        for command, found in commands.items():
            lines_of = [line.partition(": ")[0] for line in found["differing"]]
            differed = [cell for cell in cells_of(part, command) if str(cell) in lines_of]
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
        "other orders of rows or columns, CSV, Parquet, JSON lines, Arrow, SQLite, memory, batches, DuckDB, other "
        "names of labels, the other class positive, a slice and its rows alone, folds on one scale and on several "
        "(`make metamorphic`; a part: `make test`)."
    )
    yield ""
    yield (
        "Of tables of two classes, several classes and numbers also: metrics with other settings (`parameters`), a "
        "column of folds, groups or times (`beside`, `in time`), and all that `gate`, `curves`, `threshold` and "
        "`calibrate` give as JSON, with groups and without. Where `threshold` and `calibrate` draw folds, these depend "
        "on what rows say and not on their weights, labels or order; a row that is seen twice lies in one fold, two "
        "copies of it may lie in two, so that this relation is checked with given folds and without folds only. "
        "Isotonic maps are left out where there are several classes: they make classes equally probable, and then the "
        "one whose column stands first is decided for."
    )
    yield ""
    yield "| task or command | command | cells | numbers compared | refused by an engine | differing |"
    yield "|---|---|--:|--:|--:|--:|"
    for task, commands in results.items():
        for command, found in commands.items():
            asked = sum(found["cells"].values())
            counts = (asked, found["numbers"], found["refused"], len(found["differing"]))
            yield f"| {task} | {command} | " + " | ".join(f"{count:,}" for count in counts) + " |"
    missing = [part for part, commands in parts().items() if len(results.get(part, {})) < len(commands)]
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
