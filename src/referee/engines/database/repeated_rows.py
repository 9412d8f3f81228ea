"""Rows that are there several times, counted where they are: how often equal predictions come with different truths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.engines.protocol import RepeatedRows
from referee.predictions import FLOAT, fetch_row, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.predictions import Predictions


def repeated_rows(predictions: Predictions, columns: Sequence[Any], least: int) -> RepeatedRows:
    """Of predictions in some columns; only how many rows there are, if fewer than `least` repeat another."""
    named = {f"column_{place}": column for place, column in enumerate(columns)}
    rows = table_of(predictions.truth).select(truth=predictions.truth, **named)
    cells = rows.group_by(["truth", *named]).aggregate(rows=rows.count().cast(FLOAT))
    copies = predictions.rows - int(fetch_row(cells.aggregate(cells=cells.count()))["cells"])
    if copies < least:
        return RepeatedRows(copies)
    told = fetch_row(_compared(cells, [*named]))
    return RepeatedRows(copies, **{name: number or 0.0 for name, number in told.items()})


def _compared(cells: Any, columns: Sequence[str]) -> Any:
    """Pairs of rows with equal predictions, and pairs of these and of the next ones in order, by their truths."""
    import ibis

    order = ibis.dense_rank().over(order_by=[cells[name] for name in columns])
    placed = cells.select("truth", "rows", place=order)
    places = placed.group_by("place").aggregate(size=placed.rows.sum(), alike=(placed.rows * (placed.rows - 1)).sum())
    after = placed.select("truth", place=placed.place - 1, others=placed.rows)
    both = placed.join(after, ["place", "truth"])
    shared = both.group_by("place").aggregate(shared=(both.rows * both.others).sum())
    following = places.select(place=places.place - 1, following=places["size"])
    pairs = places.filter(places["size"] > 1).join(following, "place").left_join(shared, "place")
    size, met = pairs["size"], pairs.shared.fill_null(0.0)
    return pairs.aggregate(
        differ=(1 - pairs.alike / (size * (size - 1))).sum(), expected=(1 - met / (size * pairs.following)).sum()
    )
