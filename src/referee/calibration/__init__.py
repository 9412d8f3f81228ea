"""Whether probabilities mean what they say, and maps that make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.calibration.application import apply_to, table_bytes
from referee.calibration.calibration import Calibration, calibrate
from referee.calibration.changes import Change
from referee.calibration.diagnosis import Diagnosis, diagnose
from referee.calibration.events import event_of, refuse_without_rows
from referee.calibration.recalibration import spiegelhalter
from referee.calibration.reliability_diagram import Reliability, reliability
from referee.calibration.score_decomposition import Decomposition, decomposition

if TYPE_CHECKING:
    from referee.calibration.calibrator import Calibrator

__all__ = [
    "Calibration", "Calibrator", "Change", "Decomposition", "Diagnosis", "Reliability", "apply_to", "calibrate",
    "decomposition", "diagnose", "event_of", "refuse_without_rows", "reliability", "spiegelhalter", "table_bytes",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the calibrator when it is used: it needs scikit-learn, and the others do not."""
    if name != "Calibrator":
        raise AttributeError(f"module 'referee.calibration' has no attribute {name!r}")
    from referee.calibration.calibrator import Calibrator

    return Calibrator
