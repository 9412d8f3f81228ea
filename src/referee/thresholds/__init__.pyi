from .costs import PREVALENCES, RATIOS, Regions, cheaper_regions
from .objective import Objective
from .recommendation import recommendation, recommended
from .thresholds import HOW, Threshold, Thresholds, limits, threshold
from .thresholds_document import title_of

__all__ = [
    "HOW", "PREVALENCES", "RATIOS", "Objective", "Regions", "Threshold", "Thresholds", "cheaper_regions", "limits",
    "recommendation", "recommended", "threshold", "title_of",
]  # fmt: skip
