"""Whether the best model is shown to be better than one that only knows how often things are."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import Notice, UndefinedError
from referee.significance import tests
from referee.verdict.choice import DEFAULTS
from referee.verdict.contest import GUESSING
from referee.wording import number, p_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.verdict.contest import Contest

DUST = 1e-9
"""A share of a value that is rounding only."""


@dataclass(frozen=True)
class AgainstGuessing:
    """The best model's value beside that of guessing, in the same units."""

    value: float
    guessed: float
    p: float | None
    better: bool
    """By the test of the design, at its alpha."""


def against_guessing(contest: Contest, best: str) -> AgainstGuessing | None:
    """Test the best model against guessing; None where guessing has no value, or nothing can be guessed wrongly."""
    if not _can_be_wrong(contest):
        return None
    both = contest.against_guessing(best)
    try:
        value, guessed = both.values[best], both.values[GUESSING]
        found = both.compare(tests[DEFAULTS[contest.design.kind]], best, GUESSING)
    except UndefinedError:
        return None  # not defined on every unit
    if not isfinite(value) or not isfinite(guessed):
        return None
    return AgainstGuessing(value, guessed, found.p, found.winner == best)


def _can_be_wrong(contest: Contest) -> bool:
    """Not of a truth that is always the same; nor are ranks known that were pooled over folds of different scales."""
    predictions = contest.predictions
    if contest.design.kind == "out_of_fold" and {"ranking", "pairs"} & set(contest.metric.summaries):
        return False
    if predictions.engine != "memory":
        return True
    return bool(np.ptp(predictions.truth)) if len(predictions.truth) else False


def cautions_of_guessing(contest: Contest, best: str, found: AgainstGuessing | None) -> Iterator[Notice]:
    """What to say where even the best model may know nothing."""
    if found is None or found.better:
        return
    goal, behind = contest.metric.shown_name, found.guessed - found.value
    behind *= 1 if contest.metric.better == "higher" else -1
    values = f"{number(found.value)}, where guessing has {number(found.guessed)}"
    if behind > DUST * max(abs(found.guessed), abs(found.value)):
        yield Notice("W_GUESSING", f"even the best model, {best}, is worse than guessing on {goal}: {values}")
    else:
        p = "" if found.p is None else f" ({p_value(found.p)})"
        yield Notice("W_GUESSING", f"{best} is not shown to be better than guessing on {goal}: {values}{p}")
