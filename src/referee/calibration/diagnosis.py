"""Diagnosis: everything that is known about the calibration of one event."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from referee.calibration.decomposition import SCORES, decomposition_of
from referee.calibration.events import events_of
from referee.calibration.expected_error import calibration_error_of
from referee.calibration.judgement import judgement
from referee.calibration.recalibration import recalibration
from referee.calibration.reliability import reliability_of
from referee.calibration.spiegelhalter import spiegelhalter
from referee.student_t import quantile

if TYPE_CHECKING:
    from referee.calibration.decomposition import Decomposition
    from referee.calibration.events import Event
    from referee.calibration.expected_error import CalibrationError
    from referee.calibration.recalibration import Recalibration
    from referee.calibration.reliability import Reliability
    from referee.calibration.spiegelhalter import Spiegelhalter
    from referee.predictions import Predictions


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What a model's forecasts of one event are worth as probabilities.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"m": [0.4, 0.6] * 50})
    >>> (found,) = diagnose(predictions, "m")
    >>> found.error.plain, found.error.as_expected
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
            "decompositions": [one.to_dict() for one in self.decompositions],
            "spiegelhalter": self.spiegelhalter.to_dict(),
            "recalibration": self.recalibration.to_dict(),
            "reliability": self.reliability.to_dict(),
            "binned": self.binned.to_dict(),
        }


def diagnose(
    predictions: Predictions, model: str, *, bins: int = 10, mass: bool = False, alpha: float = 0.05
) -> tuple[Diagnosis, ...]:
    """Look at the calibration of a model: of its positive class, or of the top label and every class.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 2], {"m": [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]})
    >>> [one.name for one in diagnose(predictions, "m")]
    ['top label', '0', '1', '2']
    """
    return tuple(Diagnosis(event, bins, mass, alpha) for event in events_of(predictions, model))
