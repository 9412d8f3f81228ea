"""Columns of scores: those of each model in a wide or a long table, and several scores of one item by one model."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError, Notice, RefereeError, UsageError, did_you_mean, listed
from referee.predictions.arrow_functions import applied
from referee.predictions.cell_errors import not_finite
from referee.predictions.cell_labels import coded, texts
from referee.predictions.cells import absent_cells, is_numeric, is_text, numbers, refuse_missing
from referee.predictions.locations import read_table
from referee.predictions.model_columns import find_models
from referee.predictions.storage import marks_in, stored
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions.alignment import AlignedTable
    from referee.predictions.roles import Roles
    from referee.predictions.score_roles import ScoreRoles
    from referee.predictions.table import ReadOptions, Table


DROP = "--on-missing drop leaves out items that some model has no score for"


@dataclass(frozen=True, eq=False)
class ScoreColumn:
    """The scores of one model in one table."""

    model: str
    table: Table
    name: str
    rows: Array
    """Of the table, from 0."""
    values: Array

    @property
    def account(self) -> dict[str, Any]:
        """What is to be said of cells without a score, and of a narrow type."""
        absent = _absent(self.table.column(self.name))
        marks = marks_in(self.table.column(self.name), absent) if absent.any() else None
        return stored(self.table, self.name, self.values) | ({"missing": marks} if marks else {})


def wide_columns(sources: Sequence[AlignedTable], named: Roles, roles: ScoreRoles) -> Iterator[ScoreColumn]:
    """A column for each model."""
    for candidate in find_models(sources, named):
        if candidate.column is None:
            raise UsageError("E_ROLE", f"a score is one column, and {candidate.name!r} has {listed(candidate.columns)}")
        table = candidate.source.table
        rows = _present(table, candidate.column, roles)
        yield ScoreColumn(candidate.name, table, candidate.column, rows, _numbers(table, candidate.column, rows))


def long_columns(tables: Sequence[Table], roles: ScoreRoles) -> Iterator[ScoreColumn]:
    """A row for each score, and a column that says whose it is."""
    models, scores = roles.model_column, roles.score_column
    assert models is not None and scores is not None
    for table in tables:
        codes, names = coded(table, models)
        rows = _present(table, scores, roles)
        values = _numbers(table, scores, rows)
        for code in _chosen(table, models, names, roles.models):
            of_model = codes[rows] == code
            yield ScoreColumn(names[code], table, scores, rows[of_model], values[of_model])


def _present(table: Table, column: str, roles: ScoreRoles) -> Array:
    """The rows that have a cell; all must have one, unless such rows are to be left out."""
    cells = table.column(column)
    not_a_number = _are_nan(cells)
    if roles.on_missing == "error":
        refuse_missing(table, column, DROP)
        if not_a_number.any():
            row = int(not_a_number.argmax()) + 1
            raise not_finite(table, column, row, "nan", int(not_a_number.sum()), hint=DROP)
        return np.arange(table.rows)
    return np.flatnonzero(~_absent(cells))


def _absent(cells: pa.ChunkedArray) -> Array:
    """Where there is no score."""
    return np.array(absent_cells(cells).to_numpy() | _are_nan(cells), bool)


def _are_nan(cells: pa.ChunkedArray) -> Array:
    """Where a score is not a number, be it a number's NaN or the text that other tools write for it."""
    import pyarrow as pa

    if pa.types.is_floating(cells.type):
        return np.array(cells.is_null(nan_is_null=True).to_numpy() & ~cells.is_null().to_numpy(), bool)
    if not (is_text(cells.type) or pa.types.is_dictionary(cells.type)):
        return np.zeros(len(cells), bool)
    texts = applied("utf8_lower", applied("utf8_trim_whitespace", cells.cast(pa.string())))
    return np.array(applied("coalesce", applied("equal", texts, "nan"), False).to_numpy(), bool)


@dataclass(frozen=True, eq=False)
class Samples:
    """One model's scores, and what each is a score of."""

    codes: Array
    values: Array
    size: int
    seeds: Array | None = None
    """The seed that each score was made with, where there are several."""

    @cached_property
    def counts(self) -> Array:
        return np.bincount(self.codes, minlength=self.size)

    @cached_property
    def means(self) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.bincount(self.codes, self.values, self.size) / self.counts)

    def part(self, kept: Array) -> Samples:
        place = np.full(self.size, -1)
        place[kept] = np.arange(len(kept))
        codes = place[self.codes]
        return Samples(codes[codes >= 0], self.values[codes >= 0], len(kept))

    @property
    def share_of_sampling(self) -> float | None:
        """Of the variance of the means: what the scatter of the samples adds to it; None where there is one each."""
        spare = len(self.values) - self.size
        if not spare or self.size < 2:
            return None
        within = float(((self.values - self.means[self.codes]) ** 2).sum()) / spare
        whole = float(np.var(self.means, ddof=1))
        return min(1.0, within * float((1 / self.counts).mean()) / whole) if whole else None


def _numbers(table: Table, column: str, rows: Array) -> Array:
    """The cells of some rows, which keep their numbers in errors."""
    if len(rows) == table.rows:
        return numbers(table, column).astype(float)
    numbered = [table.row_number(row) for row in (rows + 1).tolist()]
    return numbers(replace(table, columns=table.columns.take(rows), row_numbers=numbered), column).astype(float)


def _chosen(table: Table, column: str, names: Sequence[str], wanted: Sequence[str] | None) -> list[int]:
    """The models that are compared, of those in a long table."""
    for name in wanted or ():
        if name not in names:
            raise UsageError(
                "E_NOMODEL", f"{table.name}: column {column!r} has no model {name!r}; {did_you_mean(name, names)}"
            )
    return [names.index(name) for name in wanted] if wanted else list(range(len(names)))


def could_be_scores(sources: Sequence[Any], options: ReadOptions) -> bool:
    """Whether a table may hold scores of models: two columns of numbers, or one beside names."""
    try:
        tables = [read_table(source, options) for source in sources]
    except RefereeError:
        return False
    numeric = [is_numeric(table, name) for table in tables for name in table.columns.column_names]
    return sum(numeric) > 1 or (sum(numeric) == 1 and len(numeric) > 2)


SAY = "use --repeat COL if a column numbers the samples of an item, or --on-repeated average if none does"
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
        doubt = " All of them are equal: is every row in the table twice?" if equal else ""
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
            hint=f"remove the duplicate row; if these are samples, {SAY}",
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
                    hint="name the columns that distinguish them, such as --repeat; if these are scores by several "
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
