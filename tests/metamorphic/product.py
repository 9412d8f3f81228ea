"""The product of metrics, relations, engines and kinds of weights, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import referee
from tests.metamorphic.cases import KINDS, MAKE, Case, kinds_for, metrics_for, weighted, with_beside
from tests.metamorphic.commands import COMMANDS, Command
from tests.metamorphic.printed import DETAILS, SENTENCES, differences, printed
from tests.metamorphic.relations import RELATIONS
from tests.metamorphic.ways import ENGINES, FORMATS, asked, in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_CHANGED = "the same table"
IN_MEMORY_ALWAYS = ("ranking", "multilabel", "scores")
"""Tasks whose rows are always read."""


@dataclass(frozen=True)
class Cell:
    """One question: a table changed, by an engine or a format, and the same table as it is in memory."""

    task: str
    kind: str | None
    relation: str
    way: str
    goal: str | None = None
    """The metric to compare on; None: all metrics are evaluated."""
    command: str | None = None
    """The question, if it is neither of these two."""
    beside: str | None = None
    """A column that the table has beside the others."""

    @property
    def question(self) -> tuple[str, str | None, str | None, str, str | None]:
        """What is asked, whatever the relation and the way."""
        command = self.command or ("evaluate" if self.goal is None else "compare")
        return self.task, self.kind, self.goal, command, self.beside


def ways_for(task: str) -> list[str]:
    return ["memory"] if task in IN_MEMORY_ALWAYS else list(ENGINES)


def cells(task: str, kind: str | None, goal: str | None = None) -> Iterator[Cell]:
    """All relations on all engines, and the table as it is on all engines and from all formats of files."""
    ways = ways_for(task)
    fitting = [name for name, relation in RELATIONS.items() if relation.fits(task, kind)]
    yield from (Cell(task, kind, name, way, goal) for name, way in product(fitting, ways))
    yield from (Cell(task, kind, NOT_CHANGED, way, goal) for way in (*ways[1:], *FORMATS))


def evaluated_cells(task: str, kind: str | None, *, whole: bool = True) -> Iterator[Cell]:
    """Every metric at once; a part has all relations in memory, and of each other way some."""
    turn = list(MAKE).index(task) + list(KINDS).index(kind)
    for place, cell in enumerate(cells(task, kind)):
        if whole or cell.way == "memory" or place % COSTS.get(cell.way, 4) == turn % COSTS.get(cell.way, 4):
            yield cell


COSTS = {"stream": 6, "database": 19, "DuckDB": 19}
"""One of so many cells is asked in a part of the product."""


def compared_cells(task: str, every: int = 1) -> Iterator[Cell]:
    """Each metric as the goal, of every cell in memory or of one in so many, and of a few in a database."""
    for place, goal in enumerate(metrics_for(task)):
        if not referee.metrics[goal].compares_models:
            continue
        asked = [cell for kind in kinds_for(task) for cell in cells(task, kind, goal) if holds(cell)]
        in_memory_ = [cell for cell in asked if cell.way == "memory"]
        in_database_ = [cell for cell in asked if cell.way == "DuckDB"]
        yield from in_memory_[place % every :: every]
        yield from in_database_[place % (4 * every) :: 4 * every]


def commanded_cells(command: str, every: int = 1) -> Iterator[Cell]:
    """All relations that a command promises in the ways that it knows, or one cell in so many."""
    asked = COMMANDS[command]
    each = [
        Cell(task, kind, relation, way, goal, command, beside)
        for task, beside in product(asked.tasks, asked.beside)
        for goal in _goals(asked, task)
        for kind in kinds_for(task)
        for relation in [NOT_CHANGED, *(name for name, known in RELATIONS.items() if known.fits(task, kind))]
        for way in (*asked.ways, "SQLite")
        if relation not in asked.breaks and (relation == NOT_CHANGED) >= (way == "SQLite")
    ]
    chosen = [cell for cell in each if (cell.relation, cell.way) != (NOT_CHANGED, "memory")]
    yield from (cell for cell in chosen[::every] if cell.goal is None or holds(cell))


def _goals(asked: Command, task: str) -> list[str | None]:
    return [goal for goal in asked.goals if task in referee.metrics[goal].tasks] or [None]


def holds(cell: Cell) -> bool:
    return cell.relation == NOT_CHANGED or RELATIONS[cell.relation].holds_for(referee.metrics[cell.goal])


SAID = ("warnings", "W_INTERVALS", "said")


def broken(cell: Cell, folder: Path) -> list[str]:
    """What differs that should not; an interval may be missing where that is said."""
    shown, expected = both(cell, folder)
    if SAID in shown:
        missing = {key for key in shown if key[-1] in ("low", "high", "standard_error") and shown[key] is None}
        missing |= {SAID, ("warnings", "W_COVERAGE", "said")}
        shown, expected = ({key: each[key] for key in each.keys() - missing} for each in (shown, expected))
    if cell.goal is not None and cell.way == "DuckDB":
        shown, expected = ({key: each[key] for key in each if is_of_verdict(key)} for each in (shown, expected))
    return differences(shown, expected, loose=of_class_in_place if cell.way in IN_PLACE else lambda _key: False)


def is_of_verdict(key: tuple[Any, ...]) -> bool:
    """What `compare` prints of a database: no class by itself, and that rows were read."""
    return not (key[0] == "scores" and key[3] is not None) and key[1] != "W_ROWSREAD"


IN_PLACE = ("stream", "database")


def of_class_in_place(key: tuple[Any, ...]) -> bool:
    """The spread of a ranking of one of several classes: where there are no rows, the rest counts as one class."""
    return key[0] == "scores" and key[3] is not None and key[-1] in ("low", "high", "standard_error")


def both(cell: Cell, folder: Path) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """What is printed by the changed way, and what should be."""
    case = case_of(*cell.question)
    expected = expectation(*cell.question)
    way = (ENGINES | FORMATS)[cell.way]
    if cell.relation == NOT_CHANGED:
        return answer(case, way, folder, cell.question), expected
    relation = RELATIONS[cell.relation]
    shown = answer(relation.change(case), way, folder, cell.question, rows=relation.keeps_rows)
    return (
        _where_it_holds(relation, {relation.place(key): relation.words(value) for key, value in shown.items()}),
        _where_it_holds(relation, _without_sentence(expected, relation.keeps_rows)),
    )


def case_of(task: str, kind: str | None, _goal: str | None, _command: str, beside: str | None) -> Case:
    return weighted(with_beside(MAKE[task](), beside), kind)


def _where_it_holds(relation: Any, places: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in places.items() if _of_held_metric(relation, key)}


def _of_held_metric(relation: Any, key: tuple[Any, ...]) -> bool:
    if key[0] == "warnings":
        return key[1] not in relation.may_warn
    if key[0] not in ("scores", "baseline", "comparisons"):
        return True
    metric = key[2] if key[0] != "comparisons" else key[3]
    return bool(relation.holds_for(referee.metrics[metric.partition("(")[0]]))


def _without_sentence(places: dict[Any, Any], keeps_rows: bool) -> dict[Any, Any]:
    return {key: value for key, value in places.items() if keeps_rows or not (key[-1] in SENTENCES or DETAILS in key)}


@cache
def expectation(*question: Any) -> dict[Any, Any]:
    with TemporaryDirectory() as folder:
        return answer(case_of(*question), in_memory, Path(folder), question)


def answer(case: Case, way: Any, folder: Path, question: tuple[Any, ...], *, rows: bool = True) -> dict[Any, Any]:
    task, _, goal, command, _ = question
    return COMMANDS[command].asks(partial(_asked, case, way, folder), task, goal, rows)


def _asked(case: Case, way: Any, folder: Path, call: Any, **more: Any) -> Any:
    return asked(call, case, way, folder, **more)


def slice_differences(task: str, kind: str | None, way: str, folder: Path) -> list[str]:
    """The slice of a region, and its rows as a table of their own."""
    case = weighted(MAKE[task](), kind)
    sliced = printed(asked(referee.evaluate, case, ENGINES[way], folder, by="region"))
    found = []
    for region in np.unique(case.columns["region"]):
        alone = case.take(np.flatnonzero(case.columns["region"] == region))
        expected = printed(asked(referee.evaluate, alone, ENGINES["memory"], folder))
        found += differences(_of_slice(sliced, region), _of_slice(expected, None))
    return found


def _of_slice(places: dict[Any, Any], region: str | None) -> dict[Any, Any]:
    """The overall scores of a slice, without averages over classes, which slices do not have."""
    return {
        (*key[:4], None, *key[5:]): value
        for key, value in places.items()
        if key[0] == "scores" and key[3] is None and key[4] == region and "average=" not in key[2]
    }
