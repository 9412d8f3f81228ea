"""Curves: what a model's scores can do at every threshold, as points to draw."""

from __future__ import annotations

from referee.curve_points.bands import banded, level_of_all
from referee.curve_points.convex_hull import hull, hull_places
from referee.curve_points.kind import Kind, Place, kinds
from referee.curve_points.points import Curve, Line, curve, curve_of_ranking, curves, plain_list
from referee.curve_points.slopes import Stretches, stretches_of
from referee.curve_points.thinning import thinned

__all__ = [
    "Curve", "Kind", "Line", "Place", "Stretches", "banded", "curve", "curve_of_ranking", "curves", "hull",
    "hull_places", "kinds", "level_of_all", "plain_list", "stretches_of", "thinned",
]  # fmt: skip
