"""What guessing needs to know of true numbers in a database."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

import numpy as np

from referee.columns.database_columns import FLOAT, fetch, number, table_of
from referee.engines.database_rows import Rows
from referee.engines.database_sums import centred, kept_rows
from referee.predictions import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.predictions import Predictions


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
    """Of the truth, with its weights."""
    import ibis

    rows = Rows(predictions, Model("truth"))
    found = centred(table_of(predictions.truth), ibis.literal(0), 1, rows.unit_weight, [rows.truth_columns()])
    return float(found.means[0, 0]) / rows.scale, _quantiles(predictions, rows, levels) if levels else {}


def _quantiles(predictions: Predictions, rows: Rows, levels: Sequence[float]) -> dict[float, float]:
    import ibis

    truth = {"truth": predictions.truth.cast(FLOAT) + number(0.0)}  # type: ignore[attr-defined]
    kept = kept_rows(table_of(predictions.truth), ibis.literal(0), rows.unit_weight, truth)
    size = kept.count() if predictions.weight is None else kept.weight.sum()
    found = fetch(kept.group_by("truth").aggregate(size=size).order_by("truth"))
    values, sizes = found["truth"], found["size"]
    if predictions.weight is None:
        ends = np.cumsum(sizes)
        return {q: float(values[np.searchsorted(ends, _place(predictions.rows, q), "right")]) for q in levels}
    return {q: float(np.quantile(values, q, weights=sizes, method="inverted_cdf")) for q in levels}


def _place(rows: int, level: float) -> int:
    """The row that NumPy takes for a quantile by the inverted distribution, with its rounding."""
    virtual = rows * level - 1
    whole = floor(virtual)
    return max(whole if virtual == whole else whole + 1, 0)
