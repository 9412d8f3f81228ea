from .calibration import Calibration, Settings, calibrate, calibration_of
from .calibration_document import first_diagnoses
from .calibrations import Calibrations, kept_part, kept_text
from .calibrator import Calibrator, apply_to, table_bytes
from .changes import Change
from .diagnosis import Decomposition, Diagnosis, decomposition, diagnose
from .events import event_of, refuse_without_rows
from .recalibration import spiegelhalter
from .reliability_diagram import Reliability, reliability

__all__ = [
    "Calibration", "Calibrations", "Calibrator", "Change", "Decomposition", "Diagnosis", "Reliability", "Settings",
    "apply_to", "calibrate", "calibration_of", "decomposition", "diagnose", "event_of", "first_diagnoses", "kept_part",
    "kept_text", "refuse_without_rows", "reliability", "spiegelhalter", "table_bytes",
]  # fmt: skip
