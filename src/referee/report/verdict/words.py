"""What a report says of a verdict in words, whatever its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.scores.shown import level
from referee.wording import number, one_line

if TYPE_CHECKING:
    from referee.verdict import Verdict
    from referee.verdict.margins import Margin

MARKS = {"winner": "winner", "tie": "may be best", "undecided": ""}
"""How the models are marked that the verdict names."""
MOST_SLICES = 5


def what_else(verdict: Verdict) -> list[str]:
    """The corrected score, what these rows could have shown, and the margin."""
    lines = []
    if (one := verdict.corrected) is not None:
        lines.append(
            f"the best of several values is a little too good; corrected for that, {one.model} has {number(one.value)} "
            f"({level(verdict.alpha)} interval for all models at once {number(one.low)} to {number(one.high)})"
        )
    if verdict.smallest_difference is not None:
        lines.append(
            f"a true difference of {number(verdict.smallest_difference)} to {verdict.runner_up} would be found in 80 % "
            "of the cases"
        )
    if verdict.rows_to_separate is not None:
        needed = f"about {verdict.rows_to_separate:,} rows like these"
        lines.append(f"a difference of {number(verdict.delta)} needs {needed}")
    elif verdict.outcome == "tie" and (verdict.rows_at_least or 0) > verdict.predictions.rows:
        lines.append(f"the difference seen would need at least {verdict.rows_at_least:,} rows like these")
    for (a, b), margin in (verdict.margins or {}).items():
        lines.append(_against_margin(a, b, margin))
    return lines + in_slices(verdict)


def in_slices(verdict: Verdict) -> list[str]:
    """Where the best model is not the best, or not as good as elsewhere, by more than chance."""
    if (found := verdict.slices) is None:
        return []
    beaten, worse = found.where_best_is_beaten(), found.where_best_is_worse()
    said = [f"{found.best}, best on all rows, is significantly beaten in {_some(beaten)}"] if beaten else []
    return said + ([f"{found.best} is significantly worse in {_some(worse)} than on the other rows"] if worse else [])


def _some(slices: list[str]) -> str:
    more = f" and {len(slices) - MOST_SLICES:,} more" if len(slices) > MOST_SLICES else ""
    return ", ".join(one_line(one, 60) for one in slices[:MOST_SLICES]) + more


def _against_margin(a: str, b: str, margin: Margin) -> str:
    limit = number(margin.margin)
    return {
        "practically equal": f"{a} and {b} are practically equal: they differ by less than {limit}",
        "a is better by more": f"{a} is better than {b} by more than {limit}",
        "b is better by more": f"{b} is better than {a} by more than {limit}",
        "cannot be said": f"it cannot be said whether {a} and {b} differ by more than {limit}",
    }[margin.relation]
