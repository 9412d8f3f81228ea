"""What the calibration comes to, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.wording import number, p_value

if TYPE_CHECKING:
    from referee.calibration.calibrating import Calibration
    from referee.comparison import Comparison


def sentence(found: Calibration) -> str:
    """Whether to calibrate, and how."""
    change = found.change(found.goal.full_name, found.best)
    metric, after = found.goal.shown_name, number(change.after)
    if change.before is None:
        return (
            f"{found.model} gives scores that are no probabilities; {found.best} turns them into probabilities with "
            f"{metric} {after}, on rows that it was not fitted on."
        )
    several = len(found.fitted) > 1
    values = f"{metric} is {after} after and {number(change.before)} before ({_how_sure(change.comparison)})"
    p = _p(change.comparison)
    decided = change.comparison.outcome if p is not None and p < found.alpha else None
    if decided == "a":
        best = f", the best of {len(found.fitted)} methods" if several else ""
        return f"Calibrate {found.model} by {found.best}{best}: {values}."
    who = (
        f"No method makes {found.model}'s probabilities"
        if several
        else f"{found.best} does not make {found.model}'s probabilities"
    )
    best = f" with {found.best}, the best of {len(found.fitted)}," if several else ""
    return f"{who} significantly better:{best} {values}."


def _p(comparison: Comparison) -> float | None:
    return comparison.p if comparison.p_adjusted is None else comparison.p_adjusted


def _how_sure(comparison: Comparison) -> str:
    p = _p(comparison)
    if p is None:
        return f"no test: {comparison.undefined}"
    family = "" if comparison.p_adjusted == comparison.p else " adjusted for the choice"
    return f"difference {number(comparison.difference)}, {p_value(p)}{family}"
