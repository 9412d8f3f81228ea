"""Diagnosis: all that is known about the calibration of one event, with proper scores taken apart (CORP)."""

from __future__ import annotations

from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import Array, total
from referee.calibration.events import CLIP, Event, Forecasts, event_of, events_of, first_of_blocks
from referee.calibration.recalibration import Recalibration, Spiegelhalter, recalibration, spiegelhalter
from referee.calibration.reliability_diagram import CalibrationError, Reliability, calibration_error_of, reliability_of
from referee.document import counted, level, named, p_value
from referee.errors import UsageError, did_you_mean
from referee.records import dataclass
from referee.scoring import quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.predictions import Predictions


@dataclass(frozen=True)
class Decomposition:
    """score = miscalibration - discrimination + uncertainty, all three at least 0.

    `miscalibration` is what the best rising map of the forecasts would save, `discrimination` what the forecasts,
    so mapped, save against always predicting the share, `uncertainty` the score of always predicting the share.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 1, 1], {"m": [0.5, 0.5, 0.5, 0.5]})
    >>> parts = decomposition(predictions, "m")
    >>> parts.miscalibration, parts.discrimination, parts.uncertainty
    (0.0625, 0.0, 0.1875)
    """

    model: str
    event: str
    metric: str
    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def decomposition(
    predictions: Predictions, model: str, metric: str = "brier", *, event: str | None = None
) -> Decomposition:
    """Take the Brier score or the log loss of a model apart.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.1, 0.4, 0.6, 0.9]})
    >>> parts = decomposition(predictions, "m", "log_loss")
    >>> abs(parts.miscalibration - parts.discrimination + parts.uncertainty - parts.score) < 1e-15
    True
    """
    if metric not in SCORES:
        raise UsageError(
            "E_PARAMETER",
            f"metric={metric!r} cannot be decomposed; {did_you_mean(metric, SCORES)}",
            hint="only strictly proper scores can be decomposed",
        )
    chosen = event_of(predictions, model, event)
    return decomposition_of(chosen.forecasts, metric, chosen.model.name, chosen.name)


def decomposition_of(forecasts: Forecasts, metric: str, model: str, event: str) -> Decomposition:
    """Take a score of forecasts apart."""
    first = first_of_blocks(forecasts)
    rows, came_true, _ = forecasts.blocks(first)
    score = _mean(SCORES[metric], forecasts.forecast, forecasts.rows, forecasts.came_true)
    recalibrated = min(_mean(SCORES[metric], came_true / rows, rows, came_true), score)
    uncertainty = _mean(
        SCORES[metric], np.array([forecasts.share]), np.array([rows.sum()]), np.array([came_true.sum()])
    )
    discrimination = max(uncertainty - recalibrated, 0.0)
    return Decomposition(model, event, metric, score, score - recalibrated, discrimination, uncertainty)


def _mean(loss: Callable[[Array, Array, Array], Array], forecast: Array, rows: Array, came_true: Array) -> float:
    return total(loss(forecast, came_true, rows - came_true)) / float(rows.sum())


def _squares(forecast: Array, came_true: Array, failed: Array) -> Array:
    return came_true * (1 - forecast) ** 2 + failed * forecast**2


def _surprises(forecast: Array, came_true: Array, failed: Array) -> Array:
    return -came_true * np.log(np.maximum(forecast, CLIP)) - failed * np.log(np.maximum(1 - forecast, CLIP))


SCORES = {"brier": _squares, "log_loss": _surprises}


@dataclass(frozen=True)
class Evidence:
    """A test of calibration."""

    test: str
    p: float
    against: str
    """What it has against calibration, where p is small."""


def evidence_of(diagnosis: Diagnosis) -> Iterator[Evidence]:
    """All tests that can be made, the most powerful one first: see docs/simulations/calibration_tests.md."""
    line, z, error = diagnosis.recalibration, diagnosis.spiegelhalter, diagnosis.error
    if line.p is not None:
        against = f"intercept {line.intercept:.2f} and slope {line.slope:.2f} are not 0 and 1"
        yield Evidence("the test of intercept and slope", line.p, against)
    if z.p is not None and z.statistic is not None:
        yield Evidence("Spiegelhalter's test", z.p, f"Spiegelhalter's z is {z.statistic:.2f}")
    if error.p is not None and diagnosis.event.predictions.clusters is None:
        yield Evidence("the ECE", error.p, "the ECE is larger than chance explains")


def deciding_p(diagnosis: Diagnosis) -> float | None:
    """Of the test that decides; a forecast of 0 or 1 that was wrong refutes calibration by itself."""
    if diagnosis.spiegelhalter.refuted:
        return 0.0
    return next((evidence.p for evidence in evidence_of(diagnosis)), None)


def judgement(diagnosis: Diagnosis) -> str:
    """In a sentence; one test decides, so that right forecasts are called wrong as seldom as alpha says."""
    whose = "" if diagnosis.event.kind == "class" else f" of the {diagnosis.name}"
    return f"{diagnosis.event.model.name}: {_decided(diagnosis, whose)}; {_error(diagnosis)}."


def _decided(diagnosis: Diagnosis, whose: str) -> str:
    if wrong := diagnosis.spiegelhalter.refuted:
        were = "forecast of exactly 0 or 1 was" if wrong == 1 else "forecasts of exactly 0 or 1 were"
        return f"the probabilities{whose} are not calibrated: {wrong:,} {were} wrong"
    tests = list(evidence_of(diagnosis))
    if not tests:
        return f"whether the probabilities{whose} are calibrated cannot be tested here"
    lead, *others = tests
    if lead.p < diagnosis.alpha:
        return f"the probabilities{whose} are not calibrated: {lead.against} ({p_value(lead.p)})"
    none = f"no sign of miscalibration{whose} by {lead.test} ({p_value(lead.p)})"
    against = [f"{other.test} ({p_value(other.p)})" for other in others if other.p < diagnosis.alpha]
    if not against:
        return none
    contradict = "contradicts" if len(against) == 1 else "contradict"
    return f"{none}, usually the most powerful one, but {named(against)} {contradict} it: look at the diagram"


def _error(diagnosis: Diagnosis) -> str:
    error, rows = diagnosis.error, counted(diagnosis.event.predictions.rows, "row")
    return (
        f"ECE {error.plain:.3f}, where calibrated forecasts on {rows} like these would show about "
        f"{error.expected:.3f}, and up to {error.limit:.3f} in {level(diagnosis.alpha)} of samples"
    )


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What a model's forecasts of one event are worth as probabilities.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"m": [0.4, 0.6] * 50})
    >>> (diagnosis,) = diagnose(predictions, "m")
    >>> diagnosis.error.plain, diagnosis.error.as_expected
    (0.4, False)
    """

    event: Event
    bins: int = 10
    mass: bool = False
    alpha: float = 0.05

    @property
    def name(self) -> str:
        return self.event.name

    @cached_property
    def reliability(self) -> Reliability:
        """By isotonic regression."""
        return reliability_of(self.event, "isotonic", self.bins, "consistency", self.alpha)

    @cached_property
    def binned(self) -> Reliability:
        """The same in bins, those of the calibration error."""
        return reliability_of(self.event, "mass" if self.mass else "width", self.bins, "consistency", self.alpha)

    @cached_property
    def error(self) -> CalibrationError:
        return calibration_error_of(self.event, self.bins, mass=self.mass, alpha=self.alpha)

    @cached_property
    def decompositions(self) -> tuple[Decomposition, ...]:
        """Of the Brier score and of the log loss."""
        names = self.event.model.name, self.event.name
        return tuple(decomposition_of(self.event.forecasts, metric, *names) for metric in SCORES)

    @cached_property
    def spiegelhalter(self) -> Spiegelhalter:
        return spiegelhalter(self.event)

    @cached_property
    def recalibration(self) -> Recalibration:
        return recalibration(self.event)

    @property
    def intercept_reach(self) -> float | None:
        """Half of the 1 - alpha interval of the intercept."""
        return self._reach(self.recalibration.intercept_error)

    @property
    def slope_reach(self) -> float | None:
        """Half of the 1 - alpha interval of the slope."""
        return self._reach(self.recalibration.slope_error)

    def _reach(self, error: float | None) -> float | None:
        df = self.recalibration.error_df
        return None if error is None else quantile(1 - self.alpha / 2, inf if df is None else df) * error

    @property
    def judgement(self) -> str:
        """Whether the forecasts are calibrated, in a sentence."""
        return judgement(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "model": self.event.model.name,
            "event": self.event.name,
            "kind": self.event.kind,
            "rows": self.event.predictions.rows,
            "judgement": self.judgement,
            "calibration_error": self.error.to_dict(),
            "decompositions": [dict(vars(part)) for part in self.decompositions],
            "spiegelhalter": dict(vars(self.spiegelhalter)),
            "recalibration": dict(vars(self.recalibration)),
            "reliability": self.reliability.to_dict(),
            "binned": self.binned.to_dict(),
        }


def diagnose(
    predictions: Predictions, model: str, *, bins: int = 10, mass: bool = False, alpha: float = 0.05
) -> tuple[Diagnosis, ...]:
    """Look at the calibration of a model: of its positive class, or of the top label and every class.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 2], {"m": [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]})
    >>> [diagnosis.name for diagnosis in diagnose(predictions, "m")]
    ['top label', '0', '1', '2']
    """
    return tuple(Diagnosis(event, bins, mass, alpha) for event in events_of(predictions, model))
