"""From data and candidate models to a verdict: resample, fit, predict, compare."""

from referee.selection.selecting import Selection, select

__all__ = ["Selection", "select"]
