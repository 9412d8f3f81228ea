"""Columns of a stream: where they are in each batch, and what one look at all of them shows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.errors import InputError
from referee.predictions.alignment import AlignedTable
from referee.predictions.cells import coded_column, is_numeric, label_texts, numbers
from referee.predictions.memory import too_big
from referee.predictions.model_cells import make_model
from referee.predictions.sources_read import weights
from referee.predictions.table import Table
from referee.predictions.units import Units

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions.batches import Batches
    from referee.predictions.model import Model
    from referee.predictions.model_columns import ModelColumns
    from referee.predictions.predictions import Predictions
    from referee.predictions.roles import Roles
    from referee.predictions.truth import Truth


@dataclass(frozen=True, eq=False)
class Streamed:
    """A column that is not there: it says how to take it from a piece of the rows."""

    in_piece: Callable[[Predictions], Array]
    constant: float | None = None
    layout: Layout | None = None


@dataclass(frozen=True, eq=False)
class Layout:
    batches: Batches
    roles: Roles
    limit: int
    rows: int
    template: Predictions
    """Predictions of some rows, with the task, classes, units and kinds of models of all."""
    truth: Truth
    candidates: dict[str, ModelColumns]
    weight_scale: float = 1.0

    def pieces(self, models: Sequence[str] = (), *, group: bool = False) -> Iterator[Predictions]:
        """One pass over the rows, with the columns of some models only."""
        chosen = [self.candidates[name] for name in models]
        for table in self.batches.read(self._columns(chosen, group=group)):
            with self.batches.stamps.unchanged():
                piece = self._understood(table, chosen, group=group)
            yield piece

    def _columns(self, chosen: Sequence[ModelColumns], *, group: bool) -> list[str]:
        roles = self.roles
        others = (roles.truth, roles.weight, roles.fold, roles.repeat, roles.baseline, *roles.by)
        of_models = [column for candidate in chosen for column in candidate.columns]
        labels = [candidate.label[1] for candidate in chosen if candidate.label]
        names = [*others, *of_models, *labels, *([roles.group] if group else [])]
        return list(dict.fromkeys(name for name in names if name))

    def _understood(self, table: Table, chosen: Sequence[ModelColumns], *, group: bool) -> Predictions:
        roles, template = self.roles, self.template
        return replace(
            template,
            truth=self._truth(table),
            models=tuple(self._model(table, candidate) for candidate in chosen),
            weight=weights(table, roles.weight, roles.weight_kind) * self.weight_scale if roles.weight else None,
            fold=_units(table, roles.fold, template.fold),
            repeat=_units(table, roles.repeat, template.repeat),
            group=_units(table, roles.group, template.group) if group else None,
            baseline=numbers(table, roles.baseline) if roles.baseline else None,
            slices={name: _units(table, name, template.slices[name]) for name in roles.by},
            engine="memory",
            row_count=None,
        )

    def _truth(self, table: Table) -> Array:
        if self.truth.task == "regression":
            return numbers(table, self.roles.truth).astype(float)
        assert self.truth.code_of is not None
        return _recoded(table, self.roles.truth, self.truth.code_of)

    def _model(self, table: Table, candidate: ModelColumns) -> Model:
        source = AlignedTable(table)
        label = (source, candidate.label[1]) if candidate.label else None
        here = replace(candidate, source=source, label=label)
        model, _ = make_model(here, self.truth, self.roles.truth)
        if self.template.model(candidate.name).scores is None:  # decisions that are numbers in this piece only
            return replace(model, scores=None)
        return model


def _units(table: Table, column: str | None, all_units: Units | None) -> Any:
    if column is None or all_units is None:
        return None
    return Units(
        _recoded(table, column, dict(zip(all_units.names, range(len(all_units)), strict=True))), all_units.names
    )


def _recoded(table: Table, column: str, code_of: Mapping[str, int]) -> Array:
    if (small := _small_integers(table, column)) is not None:
        return _looked_up(small, code_of)
    codes, names = coded_column(table, column, dates=True)
    return np.array([code_of[name] for name in names], np.int32)[codes]


def _small_integers(table: Table, column: str) -> Array | None:
    """A column of whole numbers near each other, which need no dictionary."""
    import pyarrow as pa

    cells = table.column(column)
    if not pa.types.is_integer(cells.type) or cells.null_count or not len(cells):
        return None
    values: Array = cells.to_numpy()
    return values if int(values.min()) > -NEAR and int(values.max()) < NEAR else None


def _looked_up(values: Array, code_of: Mapping[str, int]) -> Array:
    low, high = int(values.min()), int(values.max())
    known = {int(name): code for name, code in code_of.items() if name.removeprefix("-").isdecimal()}
    codes = np.array([known.get(value, 0) for value in range(low, high + 1)], np.int32)
    return codes.take(values if low == 0 else values.astype(np.int64) - low)


NEAR = 1 << 12
"""Numbers up to this size are looked up directly."""


HEAD_ROWS = 10_000
"""As many as are looked at to tell whether a column is numeric."""
MOST_LABELS = 10_000
"""A column of numbers with more distinct values holds scores or amounts; one of labels is refused."""
MOST_UNITS = 1_000_000


@dataclass(eq=False)
class Watch:
    """What has been seen of one column: its distinct values, each with its first row, until they tell enough."""

    column: str
    most: int
    until: Literal["end", "fraction", "kind"]
    """Units must all be known; a truth with fractions holds amounts; a model's text or fractions tell its kind."""
    values: Any = None
    rows: list[Any] = field(default_factory=list)
    done: bool = False
    rows_of: Counter[str] | None = None
    """How many rows each label has, where that is wanted."""

    def look(self, table: Table, limit: int) -> None:
        codes, values = _encoded(table.column(self.column))
        if self.rows_of is not None and len(values) <= self.most:
            rows = np.bincount(codes, minlength=len(values) + 1)[:-1].tolist()
            self.rows_of.update(dict(zip(label_texts(values), rows, strict=True)))
        new_values, first = _first_rows(codes, values)
        if self.values is not None:
            new = _not_among(new_values, self.values)
            new_values, first = new_values.filter(new), first[np.asarray(new)]
        self.rows.append(first + table.first_row)
        self.values = new_values if self.values is None else _joined(self.values, new_values)
        self._stop_if_told(table, limit)

    def _stop_if_told(self, table: Table, limit: int) -> None:
        import pyarrow as pa

        seen = Table(table.name, pa.table({self.column: self.values}), table.text, table.decimal)
        numeric = self.until != "end" and is_numeric(seen, self.column)
        if len(self.values) > self.most:
            if self.until == "end" or (self.until == "fraction" and not numeric):
                raise too_big(table.name, f"column {self.column!r} has more than {self.most:,} distinct values", limit)
            self.done = self.until == "kind" or _has_fraction(seen, self.column)
            self._forget_the_middle()
        elif len(self.values) > 2 and self.until != "end":  # two numbers with fractions may be labels
            self.done = _has_fraction(seen, self.column) if numeric else self.until == "kind"

    def _forget_the_middle(self) -> None:
        """Keep as many as tell that they are many, and the last, among which a fraction may be."""
        if len(self.values) <= 2 * self.most:
            return
        rows = np.concatenate(self.rows)
        kept = np.r_[: self.most, len(rows) - self.most : len(rows)]
        self.values, self.rows = self.values.take(kept), [rows[kept]]


@dataclass(eq=False)
class Sketch:
    batches: Batches
    head: pa.Table
    watches: list[Watch]

    def table(self) -> Table:
        """The first rows, and one more for each value that they do not have; errors name the true rows."""
        import pyarrow as pa

        beyond = [self._beyond_head(watch) for watch in self.watches]
        extra = sum(len(values) for values, _ in beyond)
        columns = {name: [self.head.column(name)] for name in self.head.column_names}
        for watch, (values, _) in zip(self.watches, beyond, strict=True):
            for name, parts in columns.items():
                parts.append(values if name == watch.column else _repeated(self.head.column(name), len(values)))
        joined = {name: _chunked(parts) for name, parts in columns.items()}
        numbers = np.concatenate([np.arange(1, self.head.num_rows + 1), *(rows for _, rows in beyond)])
        assert len(numbers) == self.head.num_rows + extra
        return self.batches.table(pa.table(joined), row_numbers=self.batches.row_numbers(numbers))

    def _beyond_head(self, watch: Watch) -> tuple[Any, Any]:
        rows = np.concatenate(watch.rows)
        later = rows > self.head.num_rows
        return watch.values.filter(later), rows[later]


def _has_fraction(seen: Table, column: str) -> bool:
    try:
        values = numbers(seen, column)
    except InputError:  # damage, which the pass over all rows will name
        return False
    return bool(np.any(values != np.floor(values)))


def _encoded(cells: pa.ChunkedArray) -> tuple[Any, Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(cells.type):
        joined = cells.unify_dictionaries().combine_chunks()
    else:
        joined = cells.combine_chunks().dictionary_encode()
    if isinstance(joined, pa.ChunkedArray):
        joined = joined.chunk(0)
    return joined.indices.fill_null(len(joined.dictionary)).to_numpy(zero_copy_only=False), joined.dictionary


def _first_rows(codes: Any, values: Any) -> tuple[Any, Any]:
    """The values that occur, in the order of their first rows; missing cells are left to the pass over all rows."""
    import pyarrow as pa

    first = np.full(len(values) + 1, -1, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    first = first[:-1]
    used = np.flatnonzero(first >= 0)
    order = used[np.argsort(first[used])]
    return values.take(pa.array(order)), first[order]


def _not_among(values: Any, known: Any) -> Any:
    import pyarrow.compute as pc

    return pc.invert(pc.is_in(values, value_set=known))


def _joined(first: Any, second: Any) -> Any:
    import pyarrow as pa

    return pa.concat_arrays([first, second])


def _repeated(cells: pa.ChunkedArray, times: int) -> Any:
    """The first cell, so that a row can stand for a value of another column."""
    import pyarrow as pa

    return cells.take(pa.array(np.zeros(times, np.int64)))


def _chunked(parts: list[Any]) -> pa.ChunkedArray:
    import pyarrow as pa

    kind = parts[0].type
    chunks: list[Any] = []
    for part in parts:
        plain = part.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) and part.type != kind else part
        chunks += plain.chunks if isinstance(plain, pa.ChunkedArray) else [plain]
    return pa.chunked_array(chunks, kind)
