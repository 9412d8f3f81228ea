from .costs import PREVALENCES, RATIOS, Regions, cheaper_regions
from .curve_bands import banded, level_of_all
from .curve_kind import Kind, Line, Place, hull_places
from .curve_kinds import kinds
from .curve_list import Curves, areas_part, drawn_together, points_part
from .curve_points import Curve, curve, curve_of_ranking, curves, hull
from .curve_stretches import Stretches, stretches_of, thinned
from .judgement import recommendation, recommended
from .objective import Objective
from .thresholds import HOW, Threshold, Thresholds, limits, threshold
from .thresholds_document import title_of

__all__ = [
    "HOW", "PREVALENCES", "RATIOS", "Curve", "Curves", "Kind", "Line", "Objective", "Place", "Regions", "Stretches",
    "Threshold", "Thresholds", "areas_part", "banded", "cheaper_regions", "curve", "curve_of_ranking", "curves",
    "drawn_together", "hull", "hull_places", "kinds", "level_of_all", "limits", "points_part", "recommendation",
    "recommended", "stretches_of", "thinned", "threshold", "title_of",
]  # fmt: skip
