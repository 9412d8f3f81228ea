"""Whether probabilities mean what they say, and maps that make them.

>>> from referee import Predictions
>>> from referee.calibration import reliability
>>> predictions = Predictions.from_arrays([0, 1, 0, 1], {"m": [0.2, 0.4, 0.6, 0.8]})
>>> reliability(predictions, "m").observed.tolist()
[0.0, 0.5, 1.0]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.calibration.calibrating import Calibration, calibrate
from referee.calibration.decomposition import Decomposition, decomposition
from referee.calibration.diagnosis import Diagnosis, diagnose
from referee.calibration.reliability import Reliability, reliability

if TYPE_CHECKING:
    from referee.calibration.calibrator import Calibrator

__all__ = [
    "Calibration", "Calibrator", "Decomposition", "Diagnosis", "Reliability", "calibrate", "decomposition",
    "diagnose", "reliability",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import the calibrator when it is used: it needs scikit-learn, and the others do not."""
    if name != "Calibrator":
        raise AttributeError(f"module 'referee.calibration' has no attribute {name!r}")
    from referee.calibration.calibrator import Calibrator

    return Calibrator
