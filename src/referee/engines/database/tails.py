"""Tails in a database: what share of a sum its largest rows carry."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.predictions import fetch, number, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.predictions import Predictions


def largest_shares(predictions: Predictions, losses: Sequence[Column], largest: int) -> list[float | None]:
    """Of each column's sum the share of its largest rows, of which there are so many; None where the sum is 0.

    All in one query; a row counts as often as its frequency says, else with its weight.
    """
    import ibis

    parts = [_sums(predictions, place, column, largest) for place, column in enumerate(losses)]
    rows = fetch(ibis.union(*parts).order_by("place"))
    sums = zip(rows["total"].tolist(), rows["tail"].tolist(), strict=True)
    return [tail / total if total and isfinite(total) else None for total, tail in sums]


def _sums(predictions: Predictions, place: int, column: Column, largest: int) -> Any:
    import ibis

    rows = _seen(predictions, column)
    total = rows.aggregate(total=(rows.loss * rows.times).sum())
    tail = _largest(predictions, rows, largest)
    both = total.cross_join(tail)
    return both.select(place=ibis.literal(place), total=both.total, tail=both.tail)


def _seen(predictions: Predictions, column: Column) -> Any:
    weight: Any = predictions.weight
    table = table_of(predictions.truth)
    if weight is None:
        return table.select(loss=column, times=number(1.0))
    frequency = predictions.weight_kind == "frequency"
    times = weight / number(predictions.weight_scale) if frequency else number(1.0)
    rows = table.select(loss=column if frequency else column * weight, times=times, weight=weight)
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
