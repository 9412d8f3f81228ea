from .calibration import Calibration, Change, calibrate
from .calibration_document import first_diagnoses, kept_part
from .calibrator import Calibrator, apply_to, table_bytes
from .diagnosis import Decomposition, Diagnosis, decomposition, diagnose
from .events import event_of, refuse_without_rows
from .recalibration import spiegelhalter
from .reliability_diagram import Reliability, reliability

__all__ = [
    "Calibration", "Calibrator", "Change", "Decomposition", "Diagnosis", "Reliability", "apply_to", "calibrate",
    "decomposition", "diagnose", "event_of", "first_diagnoses", "kept_part", "refuse_without_rows", "reliability",
    "spiegelhalter", "table_bytes",
]  # fmt: skip
