from .bands import banded, level_of_all
from .curve_list import Curves, areas_part, drawn_together, points_part
from .kind import Kind, Line, Place, hull_places
from .kinds import kinds
from .points import Curve, curve, curve_of_ranking, curves, hull
from .stretches import Stretches, stretches_of, thinned

__all__ = [
    "Curve", "Curves", "Kind", "Line", "Place", "Stretches", "areas_part", "banded", "curve", "curve_of_ranking",
    "curves", "drawn_together", "hull", "hull_places", "kinds", "level_of_all", "points_part",
    "stretches_of", "thinned",
]  # fmt: skip
