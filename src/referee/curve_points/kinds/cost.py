from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points.kind import Kind, Place
from referee.curve_points.points import Line, hull_places

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def places(ranking: Ranking) -> Place:
    """Where the best threshold changes: between two corners of the ROC curve's hull; and both ends."""
    corners = hull_places(ranking)
    miss, alarm = 1 - corners.tp / corners.P, corners.fp / corners.N
    saved, paid = -np.diff(miss), np.diff(alarm)
    changes = np.concatenate([[0.0], paid / (paid + saved), [1.0]])
    # At a change both corners cost the same; at the end the last one is best.
    before = np.append(np.arange(len(corners.tp)), len(corners.tp) - 1)
    return Place(corners.score[before], corners.tp[before], corners.fp[before], corners.P, corners.N, changes)


def cost(at: Any) -> Array:
    return at.condition * (at.P - at.tp) / at.P + (1 - at.condition) * at.fp / at.N


def area(ranking: Ranking) -> float:
    at = places(ranking)
    return float(np.trapezoid(cost(at), at.condition))


def guessing(share: float) -> tuple[Line, ...]:  # noqa: ARG001 (the same whatever it is)
    return (Line("all or none positive", np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 0.0])),)


kind = Kind(
    title="Cost curve",
    question="What does the best threshold cost, whatever the classes' shares and the costs of errors will be?",
    x=lambda at: at.condition,
    y=cost,
    x_name="probability_cost",
    y_name="cost",
    x_title="probability cost",
    y_title="normalised expected cost",
    lines=guessing,
    area=area,
    area_name="mean cost",
    places=places,
    aliases=("cost_curve",),
    references=(
        "C. Drummond and R. C. Holte (2006). Cost curves: an improved method for visualizing classifier performance. "
        "Machine Learning 65, 95-130",
    ),
)
