"""Predictions of files larger than memory: read in pieces, as often as needed."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.errors import InputError, UsageError
from referee.predictions.account import columns_with_roles
from referee.predictions.alignment import AlignedTable, labelled_rows, refuse_unless_dropped, rows_kept
from referee.predictions.batches import Batches
from referee.predictions.cells import is_text
from referee.predictions.id_like import with_id_like
from referee.predictions.memory import too_big
from referee.predictions.model_cells import with_decisions
from referee.predictions.model_columns import class_names, find_models
from referee.predictions.predictions import Predictions
from referee.predictions.sources_read import LabelRows, no_weight, tables_to_predictions, weights
from referee.predictions.storage import in_words, stored
from referee.predictions.stream_columns import HEAD_ROWS, MOST_LABELS, MOST_UNITS, Layout, Sketch, Streamed, Watch
from referee.predictions.truth import understand_truth
from referee.predictions.units import Units
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions.model import Model
    from referee.predictions.roles import Roles
    from referee.predictions.table import Table

SomePredictions = TypeVar("SomePredictions", bound=Predictions)


def stream_predictions(kind: type[SomePredictions], batches: Batches, roles: Roles, limit: int) -> SomePredictions:
    """Understand the columns in one pass, and leave them where they are."""
    with batches.stamps.unchanged():
        return _understood(kind, batches, roles, limit)


def _understood(kind: type[SomePredictions], batches: Batches, roles: Roles, limit: int) -> SomePredictions:
    _refuse_missing_columns(batches, roles)
    _refuse_time(batches, roles)
    if roles.drop_label:
        batches = KeptBatches(**vars(batches), roles=roles)
    learned = _Learned(batches, roles, limit)
    learned.look_at_all()
    # These say nothing about how the others are understood, and their rows are checked elsewhere.
    hidden = {name for name in (roles.id, roles.weight, roles.baseline) if name}
    table = learned.sketch.table()
    table = replace(table, columns=table.columns.drop_columns([*hidden & set(table.columns.column_names)]))
    head = batches.table(learned.sketch.head)
    roles = with_id_like([AlignedTable(head)], roles)
    visible = replace(roles, id=None, weight=None, baseline=None)
    labels = learned.labels()
    template = tables_to_predictions(kind, [table], visible, labels=labels)
    named = find_models([AlignedTable(table)], visible)
    truth = understand_truth(table, visible, class_names(named), labels.rows_of)
    candidates, _ = with_decisions(named, truth)
    assert template.account is not None
    unseen = {
        name: {**entry, **stored(head, name)} for name, entry in columns_with_roles(roles).items() if name in hidden
    }
    account = replace(template.account, columns={**columns_with_roles(roles), **unseen, **template.account.columns})
    template = replace(template, account=account, notes=(*template.notes, *in_words(unseen)))
    layout = Layout(
        batches, roles, limit, learned.rows, template, truth, {candidate.name: candidate for candidate in candidates},
        learned.weight_scale(table),
    )  # fmt: skip
    return _streamed(template, layout)


def _refuse_time(batches: Batches, roles: Roles) -> None:
    if roles.time is not None:
        raise UsageError(
            "E_ROWS",
            f"{batches.name} does not fit into memory, and rows can only be sorted by time in memory",
            hint="--max-memory SIZE allows more of it",
        )


@dataclass(frozen=True, eq=False)
class KeptBatches(Batches):
    """A table in pieces, without the rows whose label the user drops; rows are counted among those kept."""

    roles: Roles = field(kw_only=True)
    left_out: Counter[str] = field(default_factory=Counter)
    gaps: list[int] = field(default_factory=list)
    """The numbers of the rows that were left out, as far as the file has been read."""
    _seen: list[int] = field(default_factory=lambda: [0])

    def read(self, columns: Sequence[str]) -> Iterator[Table]:
        first_row = 1
        for table in super().read(list(dict.fromkeys([*columns, self.roles.truth]))):
            dropped, rows_of = labelled_rows(table, self.roles)
            self._remember(table, dropped, rows_of)
            if dropped.all():
                continue
            kept = rows_kept(table, ~dropped)
            yield replace(kept, columns=kept.columns.select(list(columns)), first_row=first_row)
            first_row += kept.rows

    def _remember(self, table: Table, dropped: Array, rows_of: Mapping[str, int]) -> None:
        """Each row once, however often the file is read."""
        if table.first_row > self._seen[0]:
            self.left_out.update(rows_of)
            self.gaps.extend((np.flatnonzero(dropped) + table.first_row).tolist())
            self._seen[0] = table.first_row + table.rows - 1

    def row_numbers(self, places: Array) -> list[int]:
        kept_before = np.array(self.gaps, np.int64) - np.arange(1, len(self.gaps) + 1)
        return list((places + np.searchsorted(kept_before, places)).tolist())


class _Learned:
    """One pass over all rows, in which columns that have told enough are no longer read."""

    def __init__(self, batches: Batches, roles: Roles, limit: int) -> None:
        self.batches, self.roles, self.limit = batches, roles, limit
        self.rows = 0
        self.largest_weight = 0.0
        self.hashes: list[Array] = []

    def look_at_all(self) -> None:
        first = next(self.batches.read(self.batches.names), None)
        if first is None:
            why = "--drop-label drops all rows" if self.roles.drop_label else "it holds column names and nothing else"
            raise InputError("E_NOROWS", f"{self.batches.name} has no data rows", hint=why)
        head = self._head(first)
        self.sketch = Sketch(self.batches, head, [])
        self.sketch.watches = self._watches()
        for watch in self.sketch.watches:
            watch.look(first, self.limit)
        for table in self.batches.read(self._columns()):
            self._look(table)
        self._refuse_duplicates()

    def _head(self, first: Table) -> Any:
        """At least the rows that are looked at to tell whether a column is numeric."""
        import pyarrow as pa

        if first.rows >= HEAD_ROWS:
            return first.columns.slice(0, HEAD_ROWS)
        parts, rows = [], 0
        for table in self.batches.read(self.batches.names):
            parts.append(table.columns)
            rows += table.rows
            if rows >= HEAD_ROWS:
                break
        return pa.concat_tables(parts, promote_options="permissive").slice(0, HEAD_ROWS)

    def _look(self, table: Table) -> None:
        self.rows += table.rows
        if table.first_row > 1:
            for watch in self.sketch.watches:
                if not watch.done:
                    watch.look(table, self.limit)
        if self.roles.weight:
            self.largest_weight = max(
                self.largest_weight, largest(weights(table, self.roles.weight, self.roles.weight_kind))
            )
        if self.roles.id:
            self._remember_ids(table)

    def _watches(self) -> list[Watch]:
        roles, names = self.roles, self.batches.names
        units = [name for name in (roles.fold, roles.repeat, roles.group, *roles.by) if name]
        watches = [Watch(name, MOST_UNITS, "end") for name in dict.fromkeys(units)]
        if roles.task != "regression":
            until: Any = "end" if roles.task else "fraction"
            watches.append(Watch(roles.truth, MOST_LABELS, until, rows_of=Counter()))
        others = [name for name in names if name not in roles.taken and _is_plain(self.sketch.head, name)]
        return watches + [Watch(name, MOST_LABELS, "kind") for name in others]

    def _columns(self) -> list[str]:
        watched = [watch.column for watch in self.sketch.watches if not watch.done]
        more = [name for name in (self.roles.weight, self.roles.id) if name]
        return list(dict.fromkeys([*watched, *more])) or [self.roles.truth]

    def labels(self) -> LabelRows:
        """How many rows each label of the truth has, and each of those that were dropped."""
        counted = next((watch.rows_of for watch in self.sketch.watches if watch.rows_of is not None), None)
        left_out = self.batches.left_out if isinstance(self.batches, KeptBatches) else {}
        refuse_unless_dropped(self.batches.name, self.roles, left_out)
        return LabelRows(counted, dict(left_out), self.batches.table(self.sketch.head))

    def weight_scale(self, table: Table) -> float:
        if self.roles.weight and not self.largest_weight:
            raise no_weight(table, self.roles.weight)
        return scale_to_one(self.largest_weight)

    def _remember_ids(self, table: Table) -> None:
        from referee.predictions.cell_labels import texts

        assert self.roles.id is not None
        if 2 * 8 * self.rows > self.limit:
            what = f"finding duplicates among its ids takes {16 * self.rows:,} bytes (without --id nothing is kept)"
            raise too_big(self.batches.name, what, self.limit)
        split = [name for name in (self.roles.repeat, self.roles.fold) if name]
        parts = [texts(table, name).tolist() for name in (self.roles.id, *split)]
        self.hashes.append(np.array([hash(key) for key in zip(*parts, strict=True)], np.int64))

    def _refuse_duplicates(self) -> None:
        """Look at hashes first; only where two are equal are the ids themselves read again."""
        if not self.hashes:
            return
        ordered = np.sort(np.concatenate(self.hashes))
        repeated = set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())
        if repeated:
            self._refuse_same_ids(repeated)

    def _refuse_same_ids(self, repeated: set[int]) -> None:
        from referee.predictions.alignment import refuse_duplicate_keys
        from referee.predictions.cell_labels import texts

        assert self.roles.id is not None
        split = [name for name in (self.roles.repeat, self.roles.fold) if name]
        suspects: list[tuple[int, str]] = []
        for table in self.batches.read([self.roles.id, *split]):
            parts = [texts(table, name).tolist() for name in (self.roles.id, *split)]
            for place, key in enumerate(zip(*parts, strict=True), start=1):
                if hash(key) in repeated:
                    suspects.append((table.row_number(place), " in ".join(key)))
        refuse_duplicate_keys(self.batches.name, suspects)


def _is_plain(columns: Any, name: str) -> bool:
    import pyarrow as pa

    kind = columns.schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(is_text(kind) or pa.types.is_primitive(kind) or pa.types.is_decimal(kind))


def _refuse_missing_columns(batches: Batches, roles: Roles) -> None:
    import pyarrow as pa

    nothing = batches.table(pa.table({name: pa.nulls(0) for name in batches.names}))
    for name in (roles.truth, roles.id, roles.weight, roles.baseline, roles.fold, roles.repeat, roles.group, *roles.by):
        if name:
            nothing.column(name)
    for name in roles.labels.values():
        nothing.column(name)


def _streamed(template: SomePredictions, layout: Layout) -> SomePredictions:
    """The predictions of all rows, whose columns say how to take them from a piece."""
    units = {
        name: _streamed_units(getattr(template, name), partial(_role, name), layout)
        for name in ("fold", "repeat", "group")
    }
    columns: dict[str, Any] = units | {
        "truth": Streamed(lambda piece: piece.truth, layout=layout),
        "models": tuple(_streamed_model(model) for model in template.models),
        "weight": Streamed(_weight) if layout.roles.weight else None,
        "baseline": Streamed(_baseline) if layout.roles.baseline else None,
        "slices": {
            name: _streamed_units(each, partial(_slice, name), layout) for name, each in template.slices.items()
        },
    }
    return replace(template, **columns, engine="stream", row_count=layout.rows)


def _weight(piece: Predictions) -> Any:
    return piece.weight


def _baseline(piece: Predictions) -> Any:
    return piece.baseline


def _role(name: str, piece: Predictions) -> Any:
    return getattr(piece, name).codes


def _slice(name: str, piece: Predictions) -> Any:
    return piece.slices[name].codes


def _streamed_units(units: Units | None, codes: Callable[[Predictions], Any], layout: Layout) -> Any:
    return None if units is None else Units(Streamed(codes, layout=layout), units.names)  # type: ignore[arg-type]


def _streamed_model(model: Model) -> Model:
    def column(kind: str, place: Any = None) -> Any:
        def in_piece(piece: Predictions) -> Any:
            cells = getattr(piece.model(model.name), kind)
            return cells if place is None else cells[place]

        return Streamed(in_piece)

    alone = {kind: column(kind) for kind in ("scores", "labels", "values") if getattr(model, kind) is not None}
    classes = model.class_scores and tuple(column("class_scores", place) for place in range(len(model.class_scores)))
    levels = model.quantiles and {level: column("quantiles", level) for level in model.quantiles}
    return replace(model, **alone, class_scores=classes, quantiles=levels)
