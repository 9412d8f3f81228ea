"""Guards of a gate: other metrics on which the candidate may not lose, on all rows and in each slice."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.gate_answer import GateAnswer
from referee.comparing.verdicts import compare
from referee.document import named, number
from referee.engines import engine_of, summing_engine_of
from referee.errors import RefereeError, UsageError
from referee.records import dataclass
from referee.scoring import goal_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.comparing.gate_answer import Outcome
    from referee.comparing.verdict import Verdict
    from referee.predictions import Predictions, Units

WORST_FIRST: tuple[Outcome, ...] = ("fail", "inconclusive", "pass")


@dataclass(frozen=True)
class Guard:
    """What a guard found, on all rows or in one slice."""

    metric: str
    slice: str | None
    """None: all rows, where "not worse" must be shown; in a slice "worse" stops it."""
    margin: float
    outcome: Outcome
    candidate: float | None = None
    production: float | None = None
    difference: float | None = None
    """Candidate minus production."""
    low: float | None = None
    high: float | None = None
    level: float | None = None
    """Of the interval from low to high."""
    reason: str | None = None
    """Why nothing can be said, where that is so."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def place(self) -> str:
        return self.metric if self.slice is None else f"{self.metric} in {self.slice}"

    @property
    def words(self) -> str:
        """What it found, in a few words.

        >>> Guard("recall", "north", 0.01, "fail", 0.7, 0.8, -0.1, -0.15, -0.05, 0.95).words
        'recall in north is worse by more than 0.0100 (difference -0.1000, 95% interval -0.1500 to -0.0500)'
        """
        said = {
            "pass": f"is not worse by more than {number(self.margin)}",
            "fail": f"is worse by more than {number(self.margin)}",
            "inconclusive": f"may be worse by more than {number(self.margin)}, or not",
        }
        facts = self.reason
        if self.low is not None and self.level is not None:
            facts = f"difference {number(self.difference)}, {100 * self.level:.4g}% interval "
            facts += f"{number(self.low)} to {number(self.high)}"
        return f"{self.place} {said[self.outcome]}" + (f" ({facts})" if facts else "")


def guarded(
    both: Predictions, guards: Mapping[str, float], by: Sequence[str], asked: Mapping[str, Any]
) -> tuple[Guard, ...]:
    """Hold the candidate, which comes first, against each guard: on all rows, then in each slice of `by`."""
    verdicts = [
        compare(both, goal=goal_of(name, both.task), margin=margin, by=by, **asked) for name, margin in guards.items()
    ]
    return (*(_guard(verdict, None) for verdict in verdicts), *_in_slices(verdicts, asked))


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    """What all of them together come to.

    >>> worst(["pass", "inconclusive"]), worst(["pass"])
    ('inconclusive', 'pass')
    """
    return min(outcomes, key=WORST_FIRST.index)


def outcome_of(guards: Sequence[Guard]) -> Outcome:
    """A slice has few rows: there a guard stops a candidate that is shown to be worse, and no other."""
    return worst(["pass", *(guard.outcome for guard in guards if guard.slice is None or guard.outcome == "fail")])


def guards_in_words(guards: Sequence[Guard]) -> str:
    """Those that stop the candidate, or that all hold."""
    answer = outcome_of(guards)
    if answer != "pass":
        deciding = [guard for guard in guards if guard.outcome == answer and (guard.slice is None or answer == "fail")]
        return "; ".join(guard.words for guard in deciding)
    slices = [guard for guard in guards if guard.slice is not None]
    held = named([f"{guard.metric} (margin {number(guard.margin)})" for guard in guards if guard.slice is None])
    open_slices = sum(guard.outcome == "inconclusive" for guard in slices)
    more = f", and in none of {len(slices):,} slices is it shown to be worse" if slices else ""
    return f"it is not worse on {held}{more}" + (
        f"; {open_slices:,} of them {'is' if open_slices == 1 else 'are'} too small to say" if open_slices else ""
    )


def _guard(verdict: Verdict, slice_name: str | None) -> Guard:
    name, margin = verdict.goal_name, verdict.margin or 0.0
    answer = GateAnswer(verdict, verdict.comparisons[0].a, superiority=False)
    try:
        held, pair = answer.held, answer.comparison
    except RefereeError as error:
        return Guard(name, slice_name, margin, "inconclusive", reason=error.message)
    low, high, level = (None, None, None) if held is None else (held.low, held.high, 1 - 2 * verdict.alpha)
    return Guard(
        name, slice_name, margin, answer.outcome, verdict.values[pair.a], verdict.values[pair.b], pair.difference,
        low, high, level, verdict.undecided,
    )  # fmt: skip


def _in_slices(verdicts: Sequence[Verdict], asked: Mapping[str, Any]) -> Iterator[Guard]:
    """Each slice as a data set of its own; all of them share alpha, so that many slices give no false alarm."""
    cut = [(verdict, verdict.goal_scores.slices) for verdict in verdicts]
    parts = [(verdict, slices.units) for verdict, slices in cut if slices is not None]
    shared = {**asked, "alpha": asked["alpha"] / max(1, sum(len(units) for _, units in parts))}
    for verdict, units in parts:
        for part, name in zip(_slices_of(verdict.predictions, units), units.names, strict=True):
            yield _in_slice(verdict, part, name, shared)


def _slices_of(predictions: Predictions, units: Units) -> Iterator[Predictions]:
    """Each slice by itself, wherever its rows are."""
    if predictions.has_rows:
        yield from (predictions.part(np.flatnonzero(units.codes == code)) for code in range(len(units)))
        return
    apart = summing_engine_of(predictions).predictions_of_units(predictions, units)
    if not apart:
        what = f"guards in {len(units):,} slices need the rows in memory, which {engine_of(predictions).ROWS_ARE}"
        raise UsageError("E_GUARD", what, hint=engine_of(predictions).TO_HAVE_ROWS)
    yield from apart


def _in_slice(verdict: Verdict, part: Predictions, name: str, asked: Mapping[str, Any]) -> Guard:
    try:
        return _guard(compare(part, goal=verdict.goal, margin=verdict.margin, **asked), name)
    except RefereeError as error:
        return Guard(verdict.goal_name, name, verdict.margin or 0.0, "inconclusive", reason=error.message)
