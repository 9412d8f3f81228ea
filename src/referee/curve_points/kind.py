"""Kind: a way to draw what every threshold does; `kinds` is the catalogue, one file for each."""

from __future__ import annotations

from dataclasses import field
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.catalogue import Catalogue, Entry, Parameter
from referee.errors import UnknownNameError, did_you_mean
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Array
    from referee.curve_points.points import Line
    from referee.engines import Ranking


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


@dataclass(frozen=True)
class Kind(Entry):
    """A kind of curve: where a threshold lies, as two formulas over its counts.

    >>> kinds["roc"].title
    'ROC curve'
    >>> kinds["pr"].name
    'precision_recall'
    """

    title: str
    question: str
    x: Callable[[Any], Array]
    y: Callable[[Any], Array]
    x_name: str
    y_name: str
    x_title: str
    y_title: str
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
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


def above_all(ranking: Ranking) -> Place:
    """The threshold that no row reaches."""
    nothing = np.zeros(1, ranking.P.dtype)
    return Place(np.array([inf]), nothing, nothing, ranking.P[0], ranking.N[0])


class Kinds(Catalogue[Kind]):
    """All kinds of curves."""

    def _unknown(self, word: str, known: list[str], broken: list[str]) -> UnknownNameError:  # noqa: ARG002 (as it is called)
        hint = "`referee curves --help` lists all"
        return UnknownNameError(f"there is no kind of curve {word!r}; {did_you_mean(word, known)}", hint)


kinds = Kinds("referee.curve_points.kinds", "kind")
