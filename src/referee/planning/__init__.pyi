from .basis import USUAL_CORRELATION, Basis
from .pilots import from_pilot, with_another
from .plans import RARER_ROWS, Plan, PlanPoint, plan

__all__ = ["RARER_ROWS", "USUAL_CORRELATION", "Basis", "Plan", "PlanPoint", "from_pilot", "plan", "with_another"]
