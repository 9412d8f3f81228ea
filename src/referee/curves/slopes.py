"""How the height of a curve at a fixed `x` changes with one more row: positive or negative, above or below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curves.kind import Place
from referee.influence.derivatives import derivative
from referee.influence.tracing import window

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.curves.curve import Curve
    from referee.curves.kind import Kind

COUNTS = ("tp", "fp", "P", "N")


@dataclass(frozen=True)
class PlaceSlopes:
    """At each of several places: the change by one more row in each count, the place's own move along `x` included."""

    by_count: dict[str, Array]
    order: Array
    """The places from the highest threshold down."""
    certain_rows: Array
    """How many rows could have shown an exception, where the height is at an end of its range."""

    @property
    def by_cell(self) -> Array:
        """The change by one more row of a class between two neighbouring thresholds: (place, class and interval)."""
        count = len(self.order)
        rank = np.empty(count, int)
        rank[self.order] = np.arange(count)
        above = np.arange(count + 1)[None, :] <= rank[:, None]
        sides = (("tp", "P"), ("fp", "N"))
        return np.concatenate(
            [above * self.by_count[moved][:, None] + self.by_count[total][:, None] for moved, total in sides], axis=1
        )


def slopes_at(curve: Curve, kind: Kind, places: Array, row_weight: float) -> PlaceSlopes:
    """Differentiate the kind's formulas at some points of a curve."""
    at = _place(curve, places)
    by_y, by_x = _derivatives(kind.y, at), _derivatives(kind.x, at)
    hits = _hit_rates(curve, places, row_weight)
    along_y, along_x = (by["tp"] * hits + by["fp"] * (1 - hits) for by in (by_y, by_x))
    steepness = np.divide(along_y, along_x, out=np.zeros(len(places)), where=along_x != 0)
    changes = {name: by_y[name] - steepness * by_x[name] for name in COUNTS}
    largest = np.maximum(np.abs(by_y["tp"]), np.abs(by_y["fp"])) * row_weight
    certain = np.divide(1.0, largest, out=np.full(len(places), np.nan), where=largest > 0)
    return PlaceSlopes(changes, np.argsort(curve.rank[places], kind="stable"), certain)


def _place(curve: Curve, places: Array) -> Place:
    size = np.ones(len(places))
    tp, fp = (np.asarray(column[places], float) for column in (curve.tp, curve.fp))
    return Place(curve.threshold[places], tp, fp, curve.positives * size, curve.negatives * size, curve.x[places])


def _derivatives(formula: Callable[[Any], Array], at: Place) -> dict[str, Array]:
    from dataclasses import replace

    def by(name: str) -> Array:
        def moved(column: Array) -> Array:
            changed: dict[str, Any] = {name: column}
            return np.asarray(formula(replace(at, **changed)))

        return derivative(moved, getattr(at, name))

    return {name: by(name) for name in COUNTS}


def _hit_rates(curve: Curve, places: Array, row_weight: float) -> Array:
    """The share of positives among the rows a little above and below each place: half a row of each is added."""
    rank, tp = np.asarray(curve.rank, float), np.asarray(curve.tp, float)
    order = np.argsort(rank, kind="stable")
    rows = curve.positives + curve.negatives
    reach = window(rows, row_weight)
    ends = [
        np.interp(rank[places] + side * reach, rank[order], tp[order], left=0, right=curve.positives)
        for side in (-1, 1)
    ]
    seen = np.clip(rank[places] + reach, 0, rows) - np.clip(rank[places] - reach, 0, rows)
    return np.asarray((ends[1] - ends[0] + 0.5 * row_weight) / (seen + row_weight))
