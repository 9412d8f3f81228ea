"""Curve: the points of one model on one kind of curve, with its area and what guessing would give."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array

Band = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True, eq=False)
class Line:
    """A line to compare with: guessing, treating all, treating none."""

    name: str
    x: Array
    y: Array


@dataclass(frozen=True, eq=False)
class Curve:
    """Points from the highest threshold down; at each the rows with `score >= threshold` are called positive.

    `x`, `y`, `threshold`, `tp` and `fp` have one value per point, and so have `low` and `high` once there is a band.
    The area is exact, whatever points were left out.

    >>> from referee import Predictions
    >>> from referee.curves import curve
    >>> found = curve(Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]}), "roc")
    >>> found.x.tolist(), found.y.tolist(), found.area
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 0.75)
    """

    kind: str
    """The file name of its kind: roc, precision_recall ..."""
    model: str
    x: Array
    y: Array
    threshold: Array
    """Infinite at the first point of curves that begin with no row called positive."""
    tp: Array
    fp: Array
    positives: float
    """All of them, by their weights if rows have some."""
    negatives: float
    title: str
    x_title: str
    y_title: str
    x_name: str
    """One word for the axis, such as fpr."""
    y_name: str
    area: float | None = None
    """Of all points; None where the area has no meaning."""
    area_name: str = ""
    lines: tuple[Line, ...] = ()
    """What to compare with: guessing first."""
    drawn: Literal["linear", "steps"] = "linear"
    """Between two points: straight, or at the height of the later point (as average precision adds it up)."""
    scale: Literal["linear", "probit"] = "linear"
    """Of both axes, as it is usually drawn."""
    class_: str | None = None
    """The class against the rest."""
    tolerance: float = 0.0
    """How far a point that was left out may be from one that is there, as a share of each axis."""
    points: int = 0
    """How many there were before some were left out."""
    is_hull: bool = False
    low: Array | None = None
    high: Array | None = None
    band: Band | None = None
    band_method: str = ""
    redrawn: int = 0
    """Draws of the bootstrap in which a class was missing, and which were drawn again."""
    alpha: float | None = None

    def __len__(self) -> int:
        return len(self.x)

    @property
    def fn(self) -> Array:
        return self.tp.dtype.type(self.positives) - self.tp

    @property
    def tn(self) -> Array:
        return self.fp.dtype.type(self.negatives) - self.fp

    @property
    def rank(self) -> Array:
        """How many rows are called positive."""
        return self.tp + self.fp

    @property
    def guessing(self) -> Line:
        return self.lines[0]

    def columns(self) -> dict[str, Array]:
        """One column per number, row by row as the lecture's table has them: rank, score, TP, FP, TN, FN, x and y."""
        counts = {
            "rank": self.rank,
            "score": self.threshold,
            "tp": self.tp,
            "fp": self.fp,
            "tn": self.tn,
            "fn": self.fn,
        }
        axes = {self.y_name: self.y, self.x_name: self.x}
        band = {} if self.low is None or self.high is None else {"low": self.low, "high": self.high}
        return counts | axes | band

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; an infinite threshold is null."""
        arrays = {name: plain_list(column) for name, column in self.columns().items()}
        left_out = {"x", "y", "threshold", "tp", "fp", "low", "high", "lines", "x_name", "y_name", "class_"}
        single = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in left_out}
        lines = [{"name": one.name, "x": plain_list(one.x), "y": plain_list(one.y)} for one in self.lines]
        axes = {"x": self.x_name, "y": self.y_name}
        return {**single, "class": self.class_, "axes": axes, "columns": arrays, "lines": lines}


def plain_list(column: Array) -> list[float | int | None]:
    """Python's own numbers; None for what JSON cannot hold."""
    if np.issubdtype(column.dtype, np.integer):
        return column.tolist()
    return [value if isfinite(value) else None for value in column.tolist()]
