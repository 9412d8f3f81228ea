from .application import apply_to, table_bytes
from .calibration import Calibration, calibrate
from .calibration_document import first_diagnoses, kept_part
from .calibrator import Calibrator
from .changes import Change
from .diagnosis import Diagnosis, diagnose
from .events import event_of, refuse_without_rows
from .recalibration import spiegelhalter
from .reliability_diagram import Reliability, reliability
from .score_decomposition import Decomposition, decomposition

__all__ = [
    "Calibration", "Calibrator", "Change", "Decomposition", "Diagnosis", "Reliability", "apply_to", "calibrate",
    "decomposition", "diagnose", "event_of", "first_diagnoses", "kept_part", "refuse_without_rows", "reliability",
    "spiegelhalter", "table_bytes",
]  # fmt: skip
