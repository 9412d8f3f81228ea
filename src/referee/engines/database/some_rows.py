"""Some rows of a database as predictions of their own: those of a slice, and all others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.tally import Tally, keep_tally, tally_of
from referee.predictions import EXTREMES, Units, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.predictions import Predictions


def some_rows(predictions: Predictions, which: Column, rows: int) -> Predictions:
    """The rows that meet a condition; columns are made of all rows first, as ranks of names are."""
    named: dict[Any, str] = {}

    def note(column: Any) -> Any:
        own: Any = column.codes if isinstance(column, Units) else column
        if own.op().relations:  # a constant has none
            named.setdefault(own.op(), f"column{len(named)}")
        return column

    predictions.mapped(note)
    every = table_of(predictions.truth).select(kept=which, **{name: op.to_expr() for op, name in named.items()})
    kept = every.filter(every.kept)

    def found(column: Any) -> Any:
        if isinstance(column, Units):
            return Units(found(column.codes), column.names)
        return kept[named[column.op()]] if column.op().relations else column

    part = replace(predictions.mapped(found), slices={}, row_count=rows)
    # All rows lie between these, too.
    extremes = vars(predictions).setdefault(EXTREMES, {})
    pairs = zip(predictions.models, part.models, strict=True)
    vars(part)[EXTREMES] = {own: extremes[model] for model, own in pairs if model in extremes}
    return part


def know_the_rest(rest: Predictions, every: Sequence[Any], whole: Predictions, slice_: Predictions) -> None:
    """Subtract the counts of a slice from those of all rows; `every` are the summaries of the rest."""
    of_all, of_slice = tally_of(whole), tally_of(slice_)
    if of_all is not None and of_slice is not None and of_all.labels is not None and of_slice.labels is not None:
        keep_tally(rest, _difference(of_all, of_slice), every)


def _difference(whole: Tally, part: Tally) -> Tally:
    """Without sums of terms, which would lose digits."""
    rows = dict(zip(_cells(part), part.rows.tolist(), strict=True))
    left = np.array([number - rows.get(cell, 0.0) for cell, number in zip(_cells(whole), whole.rows, strict=True)])
    conditions = {
        name: {each: number - part.conditions[name][each] for each, number in met.items()}
        for name, met in whole.conditions.items()
    }
    return replace(whole, rows=left, conditions=conditions, powers={})


def _cells(tally: Tally) -> list[tuple[int, ...]]:
    """The true class and the decisions of each."""
    assert tally.labels is not None
    return [*zip(*np.vstack([tally.truth, tally.labels]).tolist(), strict=True)]
