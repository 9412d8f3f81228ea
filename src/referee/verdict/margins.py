"""Margins: whether a difference matters, which is another question than whether it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from referee.comparison import Comparison
    from referee.significance import SignificanceTest
    from referee.verdict.contest import Contest

Relation = Literal["practically equal", "a is better by more", "b is better by more", "cannot be said"]


@dataclass(frozen=True)
class Margin:
    """What can be said of a difference and the margin that was named."""

    margin: float
    relation: Relation
    low: float
    high: float
    """The 1 - 2 alpha interval: lying within the margins is the two one-sided tests' way to show equality."""
    a_not_worse: bool
    """By the one-sided test at alpha, by no more than the margin."""
    b_not_worse: bool


def against_margin(contest: Contest, test: SignificanceTest, comparison: Comparison, margin: float) -> Margin | None:
    """Hold a comparison against a margin; None where the test gives no interval."""
    found = contest.compare(test, comparison.a, comparison.b, alpha=2 * comparison.alpha)
    narrow, wide = _ends(found), _ends(comparison)
    if narrow is None or wide is None:
        return None
    higher = contest.design.better == "higher"
    above, below = _exceeds(narrow[0], -margin, found), _exceeds(margin, narrow[1], found)
    a_not_worse, b_not_worse = (above, below) if higher else (below, above)
    relation: Relation = "cannot be said"
    if above and below:
        relation = "practically equal"
    elif wide[0] > margin or wide[1] < -margin:
        relation = "a is better by more" if (wide[0] > margin) == higher else "b is better by more"
    return Margin(margin, relation, *narrow, a_not_worse, b_not_worse)


def _ends(found: Comparison) -> tuple[float, float] | None:
    """The interval; a difference that is the same in all units is known where the sign test knows its sign."""
    if found.low is not None and found.high is not None:
        return found.low, found.high
    is_constant = found.standard_error == 0 and found.winner is not None and found.difference is not None
    return (found.difference, found.difference) if is_constant and found.difference is not None else None


def _exceeds(end: float, bound: float, found: Comparison) -> bool:
    """Strictly, as with every test; what has no spread at all may reach the bound."""
    return end > bound or (end == bound and not found.standard_error)
