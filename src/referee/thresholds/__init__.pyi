from .costs import PREVALENCES, RATIOS, Regions, cheaper_regions
from .objective import Objective
from .thresholds import HOW, Threshold, Thresholds, best_thresholds, limits
from .thresholds_document import title_of

__all__ = [
    "HOW", "PREVALENCES", "RATIOS", "Objective", "Regions", "Threshold", "Thresholds", "best_thresholds",
    "cheaper_regions", "limits", "title_of",
]  # fmt: skip
