"""Curves: what a model's scores can do at every threshold, as points to draw.

`curve(predictions, kind, model)` gives one, `curves(predictions, kind)` those of all models and classes; `banded`
adds a band, `thinned` leaves out points that nobody would see, `hull` keeps the thresholds that can be best.
"""

from __future__ import annotations

from referee.curves.bands import banded
from referee.curves.curve import Curve, Line
from referee.curves.hull import hull
from referee.curves.kind import Kind, kinds
from referee.curves.making import curve, curves
from referee.curves.thinning import thinned

__all__ = ["Curve", "Kind", "Line", "banded", "curve", "curves", "hull", "kinds", "thinned"]
