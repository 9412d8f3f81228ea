"""What every threshold does, for the curves and the slider: exact counts at a few hundred thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.curves import kinds, thinned
from referee.curves.hull import hull_places
from referee.curves.making import curve_of_ranking
from referee.engines import engine_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.curves import Curve
    from referee.predictions import Predictions
    from referee.ranking import Ranking
    from referee.report.page.subject import Subject

MOST_POINTS = 3000
"""Of all curves together, unless these are so many that each would have too few."""
FEWEST_POINTS = 40
DIGITS = 4
"""Significant ones of a threshold; the counts are those at the threshold as it is written."""
FEWER_DIGITS = (10, 7, 5, 4, 3)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A model's rows ranked by its scores for one class."""

    name: str
    ranking: Ranking
    points: int
    """How many points its curves may have."""

    @property
    def positives(self) -> float:
        return float(self.ranking.P[0])

    @property
    def negatives(self) -> float:
        return float(self.ranking.N[0])

    @cached_property
    def roc(self) -> Curve:
        return self._curve("roc")

    @cached_property
    def precision_recall(self) -> Curve:
        return self._curve("precision_recall")

    def _curve(self, kind: str) -> Curve:
        return thinned(curve_of_ranking(self.ranking, kinds[kind], self.name), points=self.points)

    def thresholds(self) -> Array:
        """Those of the curves' points, in few digits; highest first."""
        found = np.concatenate([self.roc.threshold, self.precision_recall.threshold])
        return np.unique([float(f"{one:.{DIGITS}g}") for one in found if isfinite(one)])[::-1]

    def cheapest(self) -> Array:
        """For any costs of the two mistakes one of these is the best, in as few digits as that allows."""
        at = hull_places(self.ranking)
        kept = np.isfinite(at.score)
        found = at.score[kept].astype(float)
        for digits in FEWER_DIGITS:
            shorter = np.array([rounded_down(one, digits) for one in at.score[kept].tolist()])
            tp, fp = self.counts_at(shorter)
            same = (tp == at.tp[kept]) & (fp == at.fp[kept])
            found[same] = shorter[same]
        return found

    def counts_at(self, thresholds: Array) -> tuple[Array, Array]:
        """True and false positives among the rows whose score is at least the threshold."""
        tp, fp = np.zeros(len(thresholds)), np.zeros(len(thresholds))
        for at in self.ranking.blocks():
            steps = np.searchsorted(-at.score.astype(float), -thresholds, side="right")
            reached = steps > 0
            tp[reached], fp[reached] = at.tp[steps[reached] - 1], at.fp[steps[reached] - 1]
        return tp, fp


def rounded_down(value: float, digits: int) -> float:
    """The next number below that has so many significant digits.

    >>> rounded_down(0.48937, 4), rounded_down(-0.48937, 2), rounded_down(0.0, 4)
    (0.4893, -0.49, 0.0)
    """
    nearest = float(f"{value:.{digits}g}")
    if nearest <= value:
        return nearest
    return float(f"{nearest - 10.0 ** (floor(log10(abs(value))) - digits + 1):.{digits}g}")


def ranked_models(subject: Subject, code: int) -> list[Ranked]:
    """The models that are shown and have scores for a class; none where the truth has one class only."""
    if code not in subject.ranked:
        subject.ranked[code] = [*_ranked(subject.predictions, subject.shown, code)]
    return subject.ranked[code]


def _ranked(predictions: Predictions, names: tuple[str, ...], code: int) -> Iterator[Ranked]:
    charts = 1 if predictions.positive is not None else len(predictions.classes)
    points = max(FEWEST_POINTS, min(250, MOST_POINTS // (2 * len(names) * charts)))
    for name in names:
        model = predictions.model(name)
        if model.scores is None and model.class_scores is None:
            continue
        ranking = engine_of(predictions).summarise(predictions, model).ranking(code)
        if float(ranking.P[0]) > 0 and float(ranking.N[0]) > 0:
            yield Ranked(name, ranking, points)


def plain_counts(counts: Array) -> list[Any]:
    """As short as JSON can have them: whole numbers, or six digits of weights."""
    return [int(one) if float(one).is_integer() else float(f"{one:.6g}") for one in counts.tolist()]
