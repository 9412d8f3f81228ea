from .bands import banded, level_of_all
from .kind import Kind, Place, kinds
from .points import Curve, Line, curve, curve_of_ranking, curves, hull, hull_places, plain_list
from .stretches import Stretches, stretches_of, thinned

__all__ = [
    "Curve", "Kind", "Line", "Place", "Stretches", "banded", "curve", "curve_of_ranking", "curves", "hull",
    "hull_places", "kinds", "level_of_all", "plain_list", "stretches_of", "thinned",
]  # fmt: skip
