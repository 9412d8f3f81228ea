"""Several scores of one item by one model: samples of it, or rows that stand twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, Notice, listed
from referee.predictions.cell_labels import texts
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions.score_cells import Samples
    from referee.predictions.score_roles import ScoreRoles
    from referee.predictions.table import Table

SAY = "say --repeat COL if a column numbers the samples of an item, --on-repeated average if none does"
Place = tuple["Table", int]
"""A row of a table, from 1."""


@dataclass(frozen=True, eq=False)
class RepeatedScores:
    """Looks for second scores of the same thing, and says what was made of them."""

    roles: ScoreRoles
    samples: dict[str, Samples]
    called: Callable[[int], str]
    """What an item, fold or data set is called in errors."""
    places: Callable[[str], Sequence[Place]]
    """Where the scores of a model stand."""

    @property
    def told_apart_by(self) -> list[str]:
        """The columns that tell several scores of one item apart."""
        columns = (self.roles.seed_column, self.roles.repeat) if self.roles.kind == "items" else ()
        return [column for column in columns if column is not None]

    def notices(self) -> list[Notice]:
        """Refuse what cannot be samples; samples that nobody has called so are pointed out."""
        if self.roles.on_repeated == "average":
            return []
        if self.roles.kind != "items" or self.told_apart_by or self.roles.on_repeated == "error":
            for name in self.samples:
                self._refuse_second(name)
            return []
        counts = np.unique(np.concatenate([samples.counts for samples in self.samples.values()]))
        each = counts[counts > 0].tolist()
        if len(each) > 1:
            raise self._uneven(min(each))
        return [self._even(each[0])] if each and each[0] > 1 else []

    def _even(self, each: int) -> Notice:
        name, samples = next(iter(self.samples.items()))
        first = int(np.argmax(samples.counts > 0))
        rows = self._rows(name, first)
        equal = all(bool((sample.values == sample.means[sample.codes]).all()) for sample in self.samples.values())
        doubt = " All of them are equal: is every row in the table more than once?" if equal else ""
        return Notice(
            "W_SAMPLES",
            f"each model has {each} scores of each item, such as {self.called(first)} ({_where(rows)}): they were "
            f"averaged as samples of the item{_differing(rows)}.{doubt} To confirm this, {SAY}",
        )

    def _uneven(self, fewest: int) -> InputError:
        name, samples = next((name, sample) for name, sample in self.samples.items() if sample.counts.max() > fewest)
        code = int(np.argmax(samples.counts > fewest))
        rows = self._rows(name, code)
        has = f"{name!r} has {samples.counts[code]} scores of {self.called(code)} ({_where(rows)})"
        others = f"other items have {fewest}"
        return InputError(
            "E_DUPID",
            f"{rows[0][0].name}: {has}, {others}{_differing(rows)}",
            hint=f"remove the doubled row; if these are samples, {SAY}",
        )

    def _rows(self, name: str, code: int) -> list[Place]:
        places = self.places(name)
        return [places[at] for at in np.flatnonzero(self.samples[name].codes == code).tolist()]

    def _refuse_second(self, name: str) -> None:
        """A second score of the same fold or data set, or of the same sample of an item."""
        codes = self.samples[name].codes
        if not self.told_apart_by and self.samples[name].counts.max(initial=0) < 2:
            return
        seen: dict[Any, Place] = {}
        for place, code, key in zip(self.places(name), codes.tolist(), self._keys(name, codes), strict=True):
            if key in seen:
                raise InputError(
                    "E_DUPID",
                    f"{place[0].name}: {name!r} has two scores of {self.called(code)} ({_where([seen[key], place])})",
                    hint="name the columns that tell them apart, such as --repeat; if these are scores by several "
                    "metrics, keep one of them",
                )
            seen[key] = place

    def _keys(self, name: str, codes: Array) -> Iterator[tuple[Any, ...]]:
        parts: list[Any] = [codes.tolist()]
        for column in self.told_apart_by:
            cells = {id(table): texts(table, column) for table, _ in self.places(name)}
            parts.append([cells[id(table)][row - 1] for table, row in self.places(name)])
        return zip(*parts, strict=True)


def _where(rows: Sequence[Place]) -> str:
    *others, last = [f"{table.row_number(row)}" for table, row in rows[:4]]
    more = " ..." if len(rows) > 4 else ""
    of_files = len({table.name for table, _ in rows}) > 1
    names = f" of {listed([table.name for table, _ in rows[:4]])}" if of_files else ""
    return f"rows {', '.join(others)} and {last}{more}{names}"


def _differing(rows: Sequence[Place]) -> str:
    """In which columns the first two rows differ, if they are of one table."""
    (table, first), (other, second) = rows[:2]
    if table is not other:
        return ""
    cells = [
        {name: table.columns[name][row - 1].as_py() for name in table.columns.column_names} for row in (first, second)
    ]
    differing = [name for name in cells[0] if cells[0][name] != cells[1][name]]
    return f"; the first two rows differ in {listed(differing)}" if differing else "; the first two rows are equal"
