"""The convex hull of a ROC curve: the thresholds that are best for some costs and some share of positives."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.curve_points.kind import Place
from referee.engines import COMPILE_FROM, compiled
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.curve_points.points import Curve
    from referee.engines import Ranking


def hull(curve: Curve) -> Curve:
    """Keep the corners of a ROC curve's hull; its area is what randomising between thresholds could reach.

    >>> from referee import Predictions
    >>> from referee.curve_points import curve
    >>> found = hull(curve(Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]}), "roc"))
    >>> found.x.tolist(), found.y.tolist(), found.area
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], 0.875)
    """
    if curve.kind != "roc":
        raise UsageError("E_HULL", f"the convex hull is that of a ROC curve, not of kind {curve.kind!r}")
    if curve.tolerance:
        raise UsageError(
            "E_HULL", "points of the curve were left out, and with them corners", hint="tolerance=0 gives all points"
        )
    corners = corners_of(curve.fp, curve.tp)
    columns = {name: getattr(curve, name)[corners] for name in ("x", "y", "threshold", "tp", "fp")}
    area = float(np.trapezoid(columns["y"], columns["x"]))
    name = f"{curve.title}, convex hull"
    return replace(
        curve, **columns, title=name, area=area, area_name="area of the hull", low=None, high=None, band=None,
        points=len(corners), is_hull=True,
    )  # fmt: skip


def hull_places(ranking: Ranking) -> Place:
    """The corners of the hull of all thresholds, beginning with no row called positive."""
    scores, tp, fp = [np.array([inf])], [np.zeros(1)], [np.zeros(1)]
    for at in ranking.blocks():
        corners = corners_of(at.fp, at.tp)
        for kept, column in ((scores, at.score), (tp, at.tp), (fp, at.fp)):
            kept.append(np.asarray(column[corners], float))
    score, found, alarms = (np.concatenate(one) for one in (scores, tp, fp))
    corners = corners_of(alarms, found)
    return Place(score[corners], found[corners], alarms[corners], ranking.P[0], ranking.N[0])


def corners_of(x: Array, y: Array) -> Array:
    """The places of points that the upper hull turns at; `x` and `y` rise.

    >>> corners_of(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2])).tolist()
    [0, 1, 3, 4]
    """
    kept = np.empty(len(x), np.int64)
    chain = compiled(upper_chain) if len(x) >= COMPILE_FROM // 10 else upper_chain
    x, y = (np.asarray(column, float) for column in (x, y))
    return kept[: chain(x, y, kept)]


def upper_chain(x: Array, y: Array, kept: Array) -> int:
    """Go along the points, and drop the last corner as long as the way turns left or stays straight (Andrew, 1979)."""
    count = 0
    for point in range(len(x)):
        while count > 1:
            a, b = kept[count - 2], kept[count - 1]
            if (x[b] - x[a]) * (y[point] - y[a]) - (y[b] - y[a]) * (x[point] - x[a]) < 0:
                break
            count -= 1
        kept[count] = point
        count += 1
    return count
