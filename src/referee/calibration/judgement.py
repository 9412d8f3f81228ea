"""Whether forecasts are calibrated: what the most powerful test says, and where others disagree with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.wording import counted, level, named, p_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration.diagnosis import Diagnosis


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
