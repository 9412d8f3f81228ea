"""Margins: whether a difference matters, which is another question than whether it is there."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Literal

from referee.document import number
from referee.errors import Notice, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.significance_test import SignificanceTest
    from referee.scoring import Metric

LARGE = 0.1
"""A margin above this share of what a metric can differ by is pointed out."""
SMALL_SHARE, SMALL_PART = 0.005, 0.01
"""What is called small without a margin: a share of a bounded range, a part of the way from guessing to the best."""

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
    a_is_worse: bool = False
    """By the one-sided test at alpha, by more than the margin."""


def widest_difference(metric: Metric, guessed: float | None, classes: int = 0) -> float | None:
    """By how much two models can differ: the range, or what lies between guessing and the best where it has no end."""
    low, high = (classes == 2 and metric.range_of_two) or metric.range
    if isfinite(low) and isfinite(high):
        return high - low
    if guessed is None:
        return None
    return abs(metric.best - guessed if isfinite(metric.best) else guessed) or None


def small_difference(metric: Metric, guessed: float | None, classes: int = 0) -> float | None:
    """A lead below this is small, whatever its p: as the metric says, or a small part of what it can differ by."""
    widest = widest_difference(metric, guessed, classes)
    if metric.small is not None or widest is None:
        return metric.small
    return widest * (SMALL_SHARE if all(map(isfinite, metric.range)) else SMALL_PART)


def refuse_margin(margin: float | None, metric: Metric, classes: int = 0) -> None:
    """Stop where every model would pass."""
    widest = widest_difference(metric, None, classes)
    if margin is None or widest is None or margin < widest:
        return
    in_points = f"for {margin:g} percentage point{'' if margin == 1 else 's'} use {margin / 100:g}; "
    points = in_points if metric.range == (0, 1) else ""
    raise UsageError(
        "E_MARGIN",
        f"a margin of {margin:g} on {metric.shown_name} lets everything pass: no two models can differ by more than "
        f"{widest:g}",
        hint=f"{points}a margin is the largest loss that would not matter to you, such as the difference between two "
        "runs of the same model with other seeds",
    )


def cautions_of_margin(
    margin: float | None, metric: Metric, guessed: float | None, classes: int = 0
) -> Iterator[Notice]:
    widest = widest_difference(metric, guessed, classes)
    if margin is not None and widest is not None and margin > LARGE * widest:
        bounded = all(map(isfinite, metric.range))
        name = metric.shown_name
        measure = (
            f"the most that {name} can differ by"
            if bounded
            else (f"the distance from random guessing to a perfect {name}")
        )
        measure = measure if bounded or isfinite(metric.best) else f"the {name} of random guessing"
        yield Notice(
            "W_MARGIN",
            f"the margin of {number(margin)} is more than a tenth of {measure} ({number(widest)}): is a loss that "
            "large acceptable?",
        )


def against_margin(contest: Contest, test: SignificanceTest, comparison: Comparison, margin: float) -> Margin | None:
    """Hold a comparison against a margin; None where the test gives no interval."""
    one_sided = contest.compare(test, comparison.a, comparison.b, alpha=2 * comparison.alpha)
    narrow, wide = _ends(one_sided), _ends(comparison)
    if narrow is None or wide is None:
        return None
    higher = contest.design.better == "higher"
    if comparison.undecided is not None:
        return Margin(margin, "cannot be said", *narrow, False, False, False)
    above, below = _exceeds(narrow[0], -margin, one_sided), _exceeds(margin, narrow[1], one_sided)
    a_not_worse, b_not_worse = (above, below) if higher else (below, above)
    a_is_worse = narrow[1] < -margin if higher else narrow[0] > margin
    relation: Relation = "cannot be said"
    if above and below:
        relation = "practically equal"
    elif wide[0] > margin or wide[1] < -margin:
        relation = "a is better by more" if (wide[0] > margin) == higher else "b is better by more"
    return Margin(margin, relation, *narrow, a_not_worse, b_not_worse, a_is_worse)


def _ends(comparison: Comparison) -> tuple[float, float] | None:
    """The interval; a difference that is the same in all units is known where the sign test knows its sign."""
    if comparison.low is not None and comparison.high is not None:
        return comparison.low, comparison.high
    is_constant = comparison.standard_error == 0 and comparison.winner is not None and comparison.difference is not None
    return (comparison.difference, comparison.difference) if is_constant and comparison.difference is not None else None


def _exceeds(end: float, bound: float, comparison: Comparison) -> bool:
    """Strictly, as with every test; what has no spread at all may reach the bound."""
    return end > bound or (end == bound and not comparison.standard_error)
