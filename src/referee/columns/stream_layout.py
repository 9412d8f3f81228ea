"""How the columns of a large table are to be understood, so that each piece of it becomes predictions by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.alignment import Source
from referee.columns.models_of_columns import make_model
from referee.columns.reading import weights
from referee.predictions import Units
from referee.readers.cell_codes import coded_column
from referee.readers.cells import numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.columns.model_columns import ModelColumns
    from referee.columns.roles import Roles
    from referee.columns.truth import Truth
    from referee.predictions import Model, Predictions
    from referee.readers.batches import Batches
    from referee.readers.table import Table


@dataclass(frozen=True, eq=False)
class Streamed:
    """A column that is not there: it says how to take it from a piece of the rows."""

    of: Callable[[Predictions], Array]
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
    found: dict[str, ModelColumns]
    weight_scale: float = 1.0

    def pieces(self, models: Sequence[str] = (), *, group: bool = False) -> Iterator[Predictions]:
        """One pass over the rows, with the columns of some models only."""
        chosen = [self.found[name] for name in models]
        for table in self.batches.read(self._columns(chosen, group=group)):
            yield self._understood(table, chosen, group=group)

    def _columns(self, chosen: Sequence[ModelColumns], *, group: bool) -> list[str]:
        roles = self.roles
        others = (roles.truth, roles.weight, roles.fold, roles.repeat, roles.baseline, *roles.by)
        of_models = [column for one in chosen for column in one.columns]
        labels = [one.label[1] for one in chosen if one.label]
        names = [*others, *of_models, *labels, *([roles.group] if group else [])]
        return list(dict.fromkeys(name for name in names if name))

    def _understood(self, table: Table, chosen: Sequence[ModelColumns], *, group: bool) -> Predictions:
        roles, template = self.roles, self.template
        return replace(
            template,
            truth=self._truth(table),
            models=tuple(self._model(table, one) for one in chosen),
            weight=weights(table, roles.weight) * self.weight_scale if roles.weight else None,
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

    def _model(self, table: Table, one: ModelColumns) -> Model:
        source = Source(table)
        label = (source, one.label[1]) if one.label else None
        here = replace(one, source=source, label=label)
        model, _ = make_model(here, self.truth, self.roles.truth)
        if self.template.model(one.name).scores is None:  # decisions that are numbers in this piece only
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
