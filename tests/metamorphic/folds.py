"""Tables with folds whose models score on one scale or on several, and what is said of their rankings everywhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import referee
from tests.metamorphic.cases import KINDS, MAKE, ROWS, metrics_for, weighted
from tests.metamorphic.printed import differences, printed
from tests.metamorphic.relations import RELATIONS
from tests.metamorphic.ways import ENGINES, asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.metamorphic.cases import Case

TASKS = ("binary", "multiclass")
ALIKE, APART = "alike", "apart"
NOT_CHANGED = "the same table"
FOLD = np.random.default_rng(11).permutation(ROWS) % 3


def with_folds(task: str, scales: str) -> Case:
    """Each fold's model favours another class in the table whose scales are apart."""
    case = MAKE[task]()
    columns = case.columns | {"fold": FOLD}
    if scales == APART:
        columns |= {
            name: _shifted(name, values) for name, values in case.columns.items() if name not in ("y", "region")
        }
    return replace(case, columns=columns).with_roles(fold="fold")


def _shifted(name: str, values: Any) -> Any:
    """Still probabilities that add up to 1, and exactly so in two."""
    place = {"ant": 0, "bee": 1, "cat": 2}.get(name.partition(":")[2])
    favoured = FOLD / 2 if place is None else place == FOLD
    return (values + 3 * favoured) / 4


def ranked_metrics(task: str) -> list[str]:
    return [name for name in metrics_for(task) if referee.metrics[name].pools_ranks]


@dataclass(frozen=True)
class FoldCell:
    """One question: a table changed, by an engine, and the same table as it is in memory."""

    task: str
    scales: str
    kind: str | None
    relation: str
    way: str
    compares: bool = False

    @property
    def unchanged(self) -> FoldCell:
        return replace(self, way="memory", relation=NOT_CHANGED)

    @property
    def case(self) -> Case:
        return weighted(with_folds(self.task, self.scales), self.kind)


def fold_cells() -> Iterator[FoldCell]:
    for task, scales, kind in product(TASKS, (ALIKE, APART), KINDS):
        fitting = [name for name, relation in RELATIONS.items() if relation.fits(task, kind)]
        for name, way in product([NOT_CHANGED, *fitting], ("memory", "stream", "database")):
            yield FoldCell(task, scales, kind, name, way)
        yield from (FoldCell(task, scales, kind, NOT_CHANGED, way, compares=True) for way in ("memory", "DuckDB"))


def broken(cell: FoldCell, folder: Path) -> list[str]:
    """What differs that should not."""
    expected = expectation(cell.unchanged)
    if cell.relation == NOT_CHANGED:
        return differences(said(cell, cell.case, folder), expected)
    relation = RELATIONS[cell.relation]
    shown = said(cell, relation.change(cell.case), folder)
    shown = {relation.place(key): relation.words(value) for key, value in shown.items()}
    return differences(*({key: each[key] for key in each if _holds(relation, key)} for each in (shown, expected)))


def _holds(relation: Any, key: tuple[Any, ...]) -> bool:
    return bool(relation.holds_for(referee.metrics[key[2].partition("(")[0]]))


@cache
def expectation(cell: FoldCell) -> dict[Any, Any]:
    with TemporaryDirectory() as folder:
        return said(cell, cell.case, Path(folder))


def said(cell: FoldCell, case: Case, folder: Path) -> dict[Any, Any]:
    """Values and the reasons where there are none; of a comparison its p, or how it is refused."""
    try:
        if cell.compares:
            shown = printed(asked(referee.compare, case, ENGINES[cell.way], folder, goal="roc_auc", metrics="goal"))
            return {key: value for key, value in shown.items() if key[0] == "comparisons" or key[0] == "verdict"}
        metrics = ranked_metrics(cell.task)
        shown = printed(asked(referee.evaluate, case, ENGINES[cell.way], folder, metrics=metrics))
    except referee.RefereeError as error:
        return {("refused",): error.code}
    return {key: value for key, value in shown.items() if key[0] == "scores" and key[-1] in ("value", "undefined")}
