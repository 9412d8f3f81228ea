"""Groups of rows in a database: what the rows of each group add, in one GROUP BY."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.pair_sums import Changes
from referee.engines.protocol import GroupCells
from referee.predictions import fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.predictions import Predictions


def group_cells(predictions: Predictions, influences: Sequence[Any], *, by_label: bool) -> GroupCells:
    """Rows that are alike but for what they add, which is summed: of one group, class and, where asked, decisions."""
    assert predictions.group is not None
    labels = {f"label{place}": each.summary.rows.labels for place, each in enumerate(influences) if by_label}
    rows = Changes(predictions, influences, {"group": predictions.group.codes, **labels}).joined()
    phi = {f"phi{place}": rows[f"phi{place}"] for place in range(len(influences))}
    weighed = predictions.weight is not None
    sums: dict[str, Any] = {name: (column * rows.weight if weighed else column).sum() for name, column in phi.items()}
    keys = ["group", *(["truth"] if predictions.classes else []), *labels]
    size = rows.weight.sum() if weighed else rows.count()
    cells = fetch(rows.group_by(keys).aggregate(size=size, **sums))
    weight = cells["size"].astype(float)
    scale, power = influences[0].summary.scale, influences[0].units_power
    return GroupCells(
        cells["group"].astype(np.int64),
        cells["truth"].astype(np.int64) if predictions.classes else np.zeros(len(weight), np.int64),
        np.stack([cells[name].astype(np.int64) for name in labels]) if labels else None,
        weight,
        np.stack([unscaled(cells[name], scale, power) for name in phi]) / weight,
    )
