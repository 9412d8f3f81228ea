"""Bayesian comparisons: the probability that one model is better, by more than what would not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.comparison import Comparison
from referee.entry import Parameter

if TYPE_CHECKING:
    from referee.design import Design, Outcome

ROPE = Parameter("the region of practical equivalence: a difference up to this size does not matter", low=0)


def by_probabilities(difference: float, lower: float, higher: float, design: Design, **more: Any) -> Comparison:
    """Judge by the probability that the difference lies below or above the region of practical equivalence."""
    a_better, b_better = (higher, lower) if design.better == "higher" else (lower, higher)
    certain = 1 - design.alpha
    outcome: Outcome = "a" if a_better > certain else "b" if b_better > certain else "tie"
    details = {
        "a_better": a_better,
        "practically_equal": max(0.0, 1 - (lower + higher)),
        "b_better": b_better,
        **more.pop("details", {}),
    }
    return Comparison(difference, None, outcome, details=details, **more)
