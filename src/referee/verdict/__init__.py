"""Who won: comparisons become a verdict."""

from referee.verdict.comparing import compare
from referee.verdict.gating import Gate, gate
from referee.verdict.verdict import Verdict

__all__ = ["Gate", "Verdict", "compare", "gate"]
