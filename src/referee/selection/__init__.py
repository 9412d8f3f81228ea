"""From data and candidate models to a verdict: resample, fit, predict, compare."""

from referee.selection.selecting import select
from referee.selection.selection import Selection

__all__ = ["Selection", "select"]
