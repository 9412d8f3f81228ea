"""What every threshold does, for the curves and the slider: exact counts at a few hundred thresholds."""

from __future__ import annotations

from functools import cached_property
from math import floor, inf, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curve_points import curve_of_ranking, hull_places, kinds, thinned
from referee.engines import engine_of
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.curve_points import Curve
    from referee.engines import Ranking
    from referee.page.subject import Subject
    from referee.predictions import Predictions

MOST_CLASSES = 12
MOST_POINTS = 3000
"""Where all curves together can be read off, unless these are so many that each could be at too few places."""
FEWEST_POINTS, MOST_OF_ONE = 40, 250
FEWEST_DIGITS, MOST_DIGITS = 4, 17
"""Significant ones of a threshold: as many as tell it from the next score, and what a float needs at most."""
EXACT_DIGITS = 12
"""Of sums of weights, which the scripts subtract from each other."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """A model's rows ranked by its scores for one class."""

    name: str
    ranking: Ranking
    points: int
    """At how many places each of its curves can be read off."""

    @property
    def positives(self) -> float:
        return float(self.ranking.P[0])

    @property
    def negatives(self) -> float:
        return float(self.ranking.N[0])

    @cached_property
    def roc(self) -> Curve:
        return curve_of_ranking(self.ranking, kinds["roc"], self.name)

    @cached_property
    def precision_recall(self) -> Curve:
        return curve_of_ranking(self.ranking, kinds["precision_recall"], self.name)

    def read_off(self) -> Array:
        """Scores along both curves: the thresholds that can be read off; highest first."""
        both = [thinned(curve, points=self.points).threshold for curve in (self.roc, self.precision_recall)]
        return _finite(np.concatenate(both))

    def cheapest(self) -> Array:
        """For any costs of the two mistakes one of these scores is the best threshold, and for F1, too."""
        return _finite(hull_places(self.ranking).score)

    def told_apart(self, thresholds: Array) -> Array:
        """Thresholds of few digits at which exactly the same rows are called positive."""
        below = self._next_scores(thresholds)
        return np.array([fewest_digits(*both) for both in zip(thresholds.tolist(), below.tolist(), strict=True)])

    def _next_scores(self, thresholds: Array) -> Array:
        """The highest score below each threshold."""
        below = np.full(len(thresholds), -inf)
        for at in self.ranking.blocks():
            steps = np.searchsorted(-at.score.astype(float), -thresholds, side="right")
            new = (below == -inf) & (steps < len(at.score))
            below[new] = at.score[steps[new]]
        return below

    def counts_at(self, thresholds: Array) -> tuple[Array, Array]:
        """True and false positives among the rows whose score is at least the threshold."""
        tp, fp = np.zeros(len(thresholds)), np.zeros(len(thresholds))
        for at in self.ranking.blocks():
            steps = np.searchsorted(-at.score.astype(float), -thresholds, side="right")
            reached = steps > 0
            tp[reached], fp[reached] = at.tp[steps[reached] - 1], at.fp[steps[reached] - 1]
        return tp, fp


def _finite(scores: Array) -> Array:
    return np.unique(scores[np.isfinite(scores)].astype(float))[::-1]


def fewest_digits(value: float, below: float) -> float:
    """The number with the fewest digits, but four, that is at most the value and above what lies below it.

    >>> fewest_digits(0.489371, 0.4), fewest_digits(0.99999123, 0.999991), fewest_digits(0.5, 0.4999999999)
    (0.4893, 0.9999912, 0.5)
    """
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        if (shorter := rounded_down(value, digits)) > below:
            return shorter
    return value


def rounded_down(value: float, digits: int) -> float:
    """The next number below that has so many significant digits.

    >>> rounded_down(0.48937, 4), rounded_down(-0.48937, 2), rounded_down(0.0, 4)
    (0.4893, -0.49, 0.0)
    """
    nearest = float(f"{value:.{digits}g}")
    if nearest <= value:
        return nearest
    return float(f"{nearest - 10.0 ** (floor(log10(abs(value))) - digits + 1):.{digits}g}")


def in_full(threshold: float) -> str:
    """A threshold with all of its digits.

    >>> in_full(0.5), in_full(0.9999912), in_full(3.0), in_full(1e12 + 0.25)
    ('0.5', '0.9999912', '3', '1000000000000.25')
    """
    return repr(float(threshold)).removesuffix(".0")


def ranked_models(subject: Subject, code: int) -> list[Ranked]:
    """The models that are drawn and have scores for a class; none where the truth has one class only."""
    return [*_ranked(subject.predictions, subject.shown, code)]


def _ranked(predictions: Predictions, names: tuple[str, ...], code: int) -> Iterator[Ranked]:
    charts = 1 if predictions.positive is not None else min(len(predictions.classes), MOST_CLASSES)
    points = max(FEWEST_POINTS, min(MOST_OF_ONE, MOST_POINTS // (2 * len(names) * charts)))
    for name in names:
        model = predictions.model(name)
        if model.scores is None and model.class_scores is None:
            continue
        ranking = engine_of(predictions).summarise(predictions, model).ranking(code)
        if float(ranking.P[0]) > 0 and float(ranking.N[0]) > 0:
            yield Ranked(name, ranking, points)


def plain_counts(counts: Array) -> list[Any]:
    """As short as JSON can have them: whole numbers, or so many digits of weights that none is missed."""
    return [
        int(count) if float(count).is_integer() else float(f"{count:.{EXACT_DIGITS}g}") for count in counts.tolist()
    ]
