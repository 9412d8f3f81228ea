"""Kind: a way to draw what every threshold does; places on a curve, and those at which its hull turns."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.engines import COMPILE_FROM, Ranking, compiled
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array


@dataclass(frozen=True)
class Place:
    """Thresholds with the rows above them: what a kind's formulas see. Rankings' steps have the same names."""

    score: Array
    tp: Any
    fp: Any
    P: Any
    N: Any
    condition: Array | None = None
    """What the threshold was chosen for, where the curve is drawn over that and not over the thresholds."""


@dataclass(frozen=True, eq=False)
class Line:
    """A line to compare with: guessing, treating all, treating none."""

    name: str
    x: Array
    y: Array


@dataclass(frozen=True)
class Kind:
    """A kind of curve: where a threshold lies, as two formulas over its counts.

    >>> from referee.thresholds import kinds
    >>> kinds["roc"].title
    'ROC curve'
    """

    name: str
    title: str
    question: str
    x: Callable[[Any], Array]
    y: Callable[[Any], Array]
    x_name: str
    y_name: str
    x_title: str
    y_title: str
    x_formula: str
    y_formula: str
    """The same in symbols, for people: `{TP}`, `{FP}`, `{P}`, `{N}`, and `{x}` where the curve is drawn over that."""
    lines: Callable[[float], tuple[Line, ...]]
    """What to compare with, given the share of positives."""
    area: Callable[[Ranking], float] | None = None
    area_name: str = ""
    places: Callable[[Ranking], Place] | None = None
    """The thresholds to look at, where these are not all of them."""
    inside: Callable[[Any], Array] | None = None
    """Which thresholds have a point."""
    has_bands: bool = True
    """Whether a height is a formula of one threshold's counts, which the bands differentiate."""
    begins_empty: bool = True
    """Whether calling no row positive is a point."""
    y_range: tuple[float, float] = (0, 1)
    slope: Literal["rising", "falling", "any"] = "any"
    """Which way the height goes along the curve: a band need not leave room for the other."""
    drawn: Literal["linear", "steps"] = "linear"
    scale: Literal["linear", "probit"] = "linear"
    needs: Literal["scores", "probabilities"] = "scores"
    aliases: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @property
    def ranks_only(self) -> bool:
        """Whether only the order of the scores matters."""
        return self.needs == "scores"


def above_all(ranking: Ranking) -> Place:
    """The threshold that no row reaches."""
    nothing = np.zeros(1, ranking.P.dtype)
    return Place(np.array([inf]), nothing, nothing, ranking.P[0], ranking.N[0])


def hull_places(ranking: Ranking) -> Place:
    """The corners of the hull of all thresholds, beginning with no row called positive."""
    scores, tp, fp = [np.array([inf])], [np.zeros(1)], [np.zeros(1)]
    for at in ranking.blocks():
        corners = corners_of(at.fp, at.tp)
        for kept, column in ((scores, at.score), (tp, at.tp), (fp, at.fp)):
            kept.append(np.asarray(column[corners], float))
    score, hits, alarms = (np.concatenate(parts) for parts in (scores, tp, fp))
    corners = corners_of(alarms, hits)
    return Place(score[corners], hits[corners], alarms[corners], ranking.P[0], ranking.N[0])


def corners_of(x: Array, y: Array) -> Array:
    """The places of points that the upper hull turns at; `x` and `y` rise.

    >>> corners_of(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 2])).tolist()
    [0, 1, 3, 4]
    """
    kept = np.empty(len(x), np.int64)
    chain = compiled(upper_chain) if len(x) >= COMPILE_FROM // 10 else upper_chain
    x, y = (np.asarray(column, float) for column in (x, y))
    return kept[: chain(x, y, kept)]


def upper_chain(x: Array, y: Array, kept: Array) -> int:
    """Go along the points, and drop the last corner as long as the way turns left or stays straight (Andrew, 1979)."""
    count = 0
    for point in range(len(x)):
        while count > 1:
            a, b = kept[count - 2], kept[count - 1]
            if (x[b] - x[a]) * (y[point] - y[a]) - (y[b] - y[a]) * (x[point] - x[a]) < 0:
                break
            count -= 1
        kept[count] = point
        count += 1
    return count
