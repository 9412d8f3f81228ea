"""Tails in a database: what the largest rows of a column add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions import fetch, number, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.predictions import Predictions

BINS = 4
"""Sizes in each power of e: only the rows of the size at which the tail begins have to be sorted."""


def largest_sums(predictions: Predictions, losses: Sequence[Column], largest: int) -> list[float]:
    """Of each column the sum of its largest rows, of which there are so many; all in two queries.

    A row counts as often as its frequency says, else with its weight.
    """
    import ibis

    every = [_seen(predictions, column) for column in losses]
    sizes = [_sizes(rows).mutate(place=ibis.literal(place)) for place, rows in enumerate(every)]
    answer = fetch(ibis.union(*sizes) if len(sizes) > 1 else sizes[0])
    tails, cuts = [], []
    for place, rows in enumerate(every):
        here = answer["place"] == place
        order = np.argsort(-answer["size"][here], kind="stable")
        size, seen, total = (answer[name][here][order] for name in ("size", "seen", "total"))
        cut = min(int(np.searchsorted(np.cumsum(seen), largest)), len(size) - 1)
        left = largest - float(seen[:cut].sum())
        tails.append(float(total[:cut].sum()))
        cuts.append(_largest(rows.filter(rows["size"] == number(size[cut])), left).mutate(place=ibis.literal(place)))
    rest = fetch(ibis.union(*cuts) if len(cuts) > 1 else cuts[0])
    of_places = dict(zip(rest["place"].tolist(), rest["tail"].tolist(), strict=True))
    return [tail + of_places[place] for place, tail in enumerate(tails)]


def _seen(predictions: Predictions, column: Any) -> Any:
    """Each loss, how often it was seen, and its size."""
    weight: Any = predictions.weight
    table, times = table_of(predictions.truth), number(1.0)
    if weight is None:
        rows = table.select(loss=column, times=times)
    elif predictions.weight_kind == "frequency":
        rows = table.filter(weight > 0).select(loss=column, times=weight / number(predictions.weight_scale))
    else:
        rows = table.filter(weight > 0).select(loss=column * weight, times=times)
    size = rows.loss.abs()
    is_any = size > 0
    return rows.mutate(size=is_any.ifelse((is_any.ifelse(size, number(1.0)).ln() * BINS).floor(), number(SMALLEST)))


SMALLEST = -1e9
"""The size of 0."""


def _sizes(rows: Any) -> Any:
    return rows.group_by("size").aggregate(seen=rows.times.sum(), total=(rows.loss * rows.times).sum())


def _largest(rows: Any, largest: float) -> Any:
    """The sum of the largest; of rows that were seen several times, as often as there is room."""
    import ibis

    down_to = ibis.window(order_by=ibis.desc(rows.loss.abs()), preceding=None, following=0)
    above = rows.mutate(above=rows.times.sum().over(down_to) - rows.times)
    counted = ibis.least(ibis.greatest(number(largest) - above.above, number(0.0)), above.times)
    return above.aggregate(tail=(above.loss * counted).sum())
