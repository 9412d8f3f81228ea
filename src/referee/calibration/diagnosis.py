"""Diagnosis: everything that is known about the calibration of one event."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

from referee.calibration.events import events_of
from referee.calibration.expected_error import calibration_error_of
from referee.calibration.recalibration import recalibration, spiegelhalter
from referee.calibration.reliability_diagram import reliability_of
from referee.calibration.score_decomposition import SCORES, decomposition_of
from referee.scoring import quantile
from referee.wording import counted, level, named, p_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration.events import Event
    from referee.calibration.expected_error import CalibrationError
    from referee.calibration.recalibration import Recalibration, Spiegelhalter
    from referee.calibration.reliability_diagram import Reliability
    from referee.calibration.score_decomposition import Decomposition
    from referee.predictions import Predictions


@dataclass(frozen=True)
class Evidence:
    """A test of calibration."""

    test: str
    p: float
    against: str
    """What it has against calibration, where p is small."""


def evidence_of(one: Diagnosis) -> Iterator[Evidence]:
    """All tests that can be made, the most powerful one first: see docs/simulations/calibration_tests.md."""
    line, z, error = one.recalibration, one.spiegelhalter, one.error
    if line.p is not None:
        found = f"intercept {line.intercept:.2f} and slope {line.slope:.2f} are not 0 and 1"
        yield Evidence("the test of intercept and slope", line.p, found)
    if z.p is not None and z.statistic is not None:
        yield Evidence("Spiegelhalter's test", z.p, f"Spiegelhalter's z is {z.statistic:.2f}")
    if error.p is not None and one.event.predictions.clusters is None:
        yield Evidence("the ECE", error.p, "the ECE is more than chance explains")


def judgement(one: Diagnosis) -> str:
    """In a sentence; one test decides, so that right forecasts are called wrong as seldom as alpha says."""
    of = "" if one.event.kind == "class" else f" of the {one.name}"
    return f"{one.event.model.name}: {_decided(one, of)}; {_error(one)}."


def _decided(one: Diagnosis, of: str) -> str:
    if wrong := one.spiegelhalter.refuted:
        were = "forecast of exactly 0 or 1 was" if wrong == 1 else "forecasts of exactly 0 or 1 were"
        return f"the probabilities{of} are not calibrated: {wrong:,} {were} wrong"
    tests = list(evidence_of(one))
    if not tests:
        return f"whether the probabilities{of} are calibrated cannot be tested here"
    lead, *others = tests
    if lead.p < one.alpha:
        return f"the probabilities{of} are not calibrated: {lead.against} ({p_value(lead.p)})"
    none = f"no sign of miscalibration{of} by {lead.test} ({p_value(lead.p)})"
    against = [f"{other.test} ({p_value(other.p)})" for other in others if other.p < one.alpha]
    if not against:
        return none
    speak = "speaks" if len(against) == 1 else "speak"
    return f"{none}, as a rule the most powerful one, but {named(against)} {speak} against it: look at the diagram"


def _error(one: Diagnosis) -> str:
    error, rows = one.error, counted(one.event.predictions.rows, "row")
    return (
        f"ECE {error.plain:.3f}, where calibrated forecasts on {rows} like these would show about "
        f"{error.expected:.3f}, and up to {error.limit:.3f} in {level(one.alpha)} of samples"
    )


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
