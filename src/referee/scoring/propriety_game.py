"""What a metric rewards: its expected value for every report, in populations whose true probabilities are known."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import summarise
from referee.errors import UndefinedError, UsageError
from referee.predictions import Model, Predictions, Units
from referee.records import dataclass
from referee.scoring.formula import values
from referee.scoring.metric import MULTILABEL, RANKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.scoring.metric import Metric, Proper

DRAWN = (0.1, 0.4, 0.7)
"""True probabilities that are drawn."""
OTHERS = 0.6
"""Of the other half of the rows, reported honestly, where a metric is more than an average over rows."""
POPULATIONS = ((0.1, 0.7), (0.1, 0.4), (0.4, 0.7), (0.3, 0.9), (0.6, 0.9), (0.1, 0.4, 0.6), (0.4, 0.6, 0.9))
"""True probabilities of two or three kinds of rows, equally common.

With two kinds honest reports may all be on one side of the threshold, where some metrics are undefined.
"""
REST = (2 / 3, 1 / 3)
"""How the other two of three classes share what the first one leaves."""
NUMBERS = (1.0, 2.0, 7.0, 8.0, 12.0)
"""Skewed, so that mean (6) and median (7) differ."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Curve:
    """The expected value of a metric for each report, at one true probability (None: of numbers)."""

    true: float | None
    reports: Array
    values: Array
    better: str

    @property
    def best_value(self) -> float:
        return float((np.nanmax if self.better == "higher" else np.nanmin)(self.values))

    @property
    def best(self) -> Array:
        """All reports that reach the best value."""
        return self.reports[np.abs(self.values - self.best_value) <= ROUNDING * max(1.0, abs(self.best_value))]

    @property
    def honest_value(self) -> float | None:
        """None where it is undefined, or nothing is true or false."""
        value = np.nan if self.true is None else self.values[np.argmin(np.abs(self.reports - self.true))]
        return None if np.isnan(value) else float(value)


@dataclass(frozen=True)
class Game:
    """Reports that are not honest, and do better or as well: what the metric does not punish."""

    true: tuple[float, ...]
    reports: tuple[float, ...]
    honest_value: float
    value: float

    @property
    def gain(self) -> float:
        return abs(self.value - self.honest_value)


@dataclass(frozen=True)
class Propriety:
    """What was found by trying reports for each kind of rows in every one of `POPULATIONS`."""

    proper: Proper
    game: Game | None
    sees_reports: bool
    """Whether any report changes the value at all."""


def expected_scores(metric: Metric, true: Sequence[float], reports: Array) -> Array:
    """The value on endless rows of several equally common kinds, for each set of reports: (set, kind) -> (set,).

    Where a metric is made for several classes only, the first of three has the probability.

    >>> from referee import metrics
    >>> expected_scores(metrics["brier"], [0.7], np.array([[0.7], [1.0]])).round(4).tolist()
    [0.21, 0.3]
    """
    classes = 2 if "binary" in metric.tasks else 3
    weights, forecasts = _of_classes(np.asarray(true, float), classes), _of_classes(reports, classes)
    sets, kinds = len(reports), len(true)
    rows = kinds * classes
    kind, code = np.divmod(np.arange(rows), classes)
    columns = tuple(forecasts[:, kind, each].reshape(-1) for each in range(classes))
    model = Model("reports", scores=columns[0]) if classes == 2 else Model("reports", class_scores=columns)
    positive = 0 if classes == 2 else None
    predictions = Predictions(
        "binary" if classes == 2 else "multiclass",
        np.tile(code, sets),
        (model,),
        tuple(map(str, range(classes))),
        positive=positive,
        weight=np.tile(weights[kind, code], sets),
    )
    return _by_set(metric, predictions, sets, rows)


def _of_classes(probability: Array, classes: int) -> Array:
    """The probabilities of all classes, given that of the first."""
    rest = (1.0,) if classes == 2 else REST
    return np.stack([probability, *(share * (1 - probability) for share in rest)], axis=-1)


def _by_set(metric: Metric, predictions: Predictions, sets: int, rows: int) -> Array:
    by = Units(np.repeat(np.arange(sets), rows), tuple(map(str, range(sets))))
    summary = summarise(predictions, predictions.models[0], by)
    return values(metric, summary, len(predictions.classes), predictions.positive)


def curves(metric: Metric) -> list[Curve]:
    """The expected value against the report, for each true probability, or for one skewed population of numbers."""
    if metric.needs == "quantiles":
        raise UsageError(
            "E_PROPER",
            f"{metric.name} scores several quantiles at once, which cannot be drawn as one report",
            hint="pinball(level=0.7) shows what one quantile earns",
        )
    if metric.tasks in (RANKING, MULTILABEL):
        raise UsageError("E_PROPER", f"{metric.name} scores lists, which cannot be drawn as one report")
    if metric.needs == "values":
        return [_curve_of_numbers(metric)]
    return [_curve(metric, true) for true in DRAWN]


def has_others(metric: Metric) -> bool:
    """Whether the drawn rows are half of all: a metric that is no average needs others beside them."""
    return metric.of_classes and not metric.additive


def _curve(metric: Metric, true: float) -> Curve:
    reports = np.round(np.arange(101) / 100, 2)
    if not has_others(metric):
        return Curve(true, reports, expected_scores(metric, [true], reports[:, None]), metric.better)
    both = np.stack([reports, np.full(len(reports), OTHERS)], axis=1)
    return Curve(true, reports, expected_scores(metric, [true, OTHERS], both), metric.better)


def _curve_of_numbers(metric: Metric) -> Curve:
    reports = np.arange(0, 15.25, 0.25)
    rows = len(NUMBERS)
    model = Model("reports", values=np.repeat(reports, rows))
    predictions = Predictions("regression", np.tile(NUMBERS, len(reports)), (model,))
    scores = _by_set(metric, predictions, len(reports), rows)
    if np.isnan(scores).all():
        raise UndefinedError("E_UNDEFINED", f"{metric.full_name} of one and the same report is undefined")
    return Curve(None, reports, scores, metric.better)


@lru_cache(maxsize=256)
def propriety(metric: Metric) -> Propriety:
    """Whether honest reports are best alone (strictly), among others (weakly), or beaten (no).

    >>> from referee import metrics
    >>> propriety(metrics["brier"]).proper, propriety(metrics["probability_mae"]).proper
    ('strictly', 'no')
    """
    tried = [_tried(metric, true) for true in POPULATIONS]
    sees_reports = any(trial.sees_reports for trial in tried)
    beaten = [trial.game for trial in tried if trial.proper == "no" and trial.game]
    level = [trial.game for trial in tried if trial.proper == "weakly" and trial.game]
    if beaten:
        return Propriety("no", max(beaten, key=lambda game: game.gain), sees_reports)
    return Propriety("weakly", level[0], sees_reports) if level else Propriety("strictly", None, sees_reports)


def sees_reports(metric: Metric) -> bool:
    """Whether the value depends on the predictions: that of the uncertainty of the truth itself does not.

    >>> from referee import metrics
    >>> sees_reports(metrics["brier"]), sees_reports(metrics["murphy_uncertainty"])
    (True, False)
    """
    if not metric.of_classes:
        return True
    try:
        return propriety(metric).sees_reports
    except UsageError:  # settings for another number of classes
        return True


def _tried(metric: Metric, true: tuple[float, ...]) -> Propriety:
    reports = np.array(list(product(np.round(np.arange(11) / 10, 1), repeat=len(true))))
    scores = expected_scores(metric, true, reports)
    losses = scores if metric.better == "lower" else -scores
    honest = int(np.argmin(np.abs(reports - np.array(true)).sum(axis=1)))
    sees = bool(np.nanmax(losses, initial=-np.inf) > np.nanmin(losses, initial=np.inf) + ROUNDING)
    dishonest = np.where((np.arange(len(reports)) == honest) | np.isnan(losses), np.inf, losses)
    best = dishonest.min()
    # Where the value of honest reports is undefined, nothing is better or worse than it.
    if np.isnan(losses[honest]) or best > losses[honest] + ROUNDING:
        return Propriety("strictly", None, sees)
    place = _most_telling(reports, dishonest <= best + ROUNDING)
    beaten = best < losses[honest] - ROUNDING
    value = float(scores[place if beaten else honest])
    game = Game(true, tuple(reports[place].tolist()), float(scores[honest]), value)
    return Propriety("no" if beaten else "weakly", game, sees)


def _most_telling(reports: Array, among: Array) -> int:
    """Of reports that do equally well the surest, and of these the ones in the right order."""
    sureness = np.isin(reports, (0, 1)).sum(axis=1) + 0.1 * (reports[:, -1] - reports[:, 0])
    return int(np.argmax(np.where(among, sureness, -1)))
