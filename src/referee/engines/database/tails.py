"""Tails in a database: what the largest rows of a column add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.predictions import fetch, number, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.predictions import Predictions


def largest_sums(predictions: Predictions, losses: Sequence[Column], largest: int) -> list[float]:
    """Of each column the sum of its largest rows, of which there are so many; all in one query.

    A row counts as often as its frequency says, else with its weight.
    """
    import ibis

    parts = [_largest(predictions, _seen(predictions, column), largest) for column in losses]
    placed = [part.select(place=ibis.literal(place), tail=part.tail) for place, part in enumerate(parts)]
    return [float(tail) for tail in fetch(ibis.union(*placed).order_by("place"))["tail"]]


def _seen(predictions: Predictions, column: Column) -> Any:
    weight: Any = predictions.weight
    table = table_of(predictions.truth)
    if weight is None:
        return table.select(loss=column)
    if predictions.weight_kind == "frequency":
        rows = table.select(loss=column, weight=weight, times=weight / number(predictions.weight_scale))
    else:
        rows = table.select(loss=column * weight, weight=weight)
    return rows.filter(rows.weight > 0)


def _largest(predictions: Predictions, rows: Any, largest: int) -> Any:
    """The sum of the largest; of rows that were seen several times, as often as there is room."""
    import ibis

    falling = ibis.desc(rows.loss.abs())
    if predictions.weight is None or predictions.weight_kind != "frequency":
        top = rows.order_by(falling).limit(largest)
        return top.aggregate(tail=top.loss.sum())
    down_to = ibis.window(order_by=falling, preceding=None, following=0)
    above = rows.mutate(above=rows.times.sum().over(down_to) - rows.times)
    counted = ibis.least(ibis.greatest(number(largest) - above.above, number(0.0)), above.times)
    return above.aggregate(tail=(above.loss * counted).sum())
