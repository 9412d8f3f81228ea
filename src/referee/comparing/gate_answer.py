"""The answer of a gate: what the one-sided interval of a difference shows, in a word and in a sentence."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from referee.comparing.doubts import heavy_tail
from referee.comparing.in_time import said_of_pieces
from referee.comparing.power import rows_to_pass
from referee.comparing.sentence import blind_spot, enough
from referee.document import level, number, p_value
from referee.errors import UndefinedError, UsageError, spoken
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.comparing.comparison import Comparison
    from referee.comparing.margins import Margin
    from referee.comparing.verdict import Verdict

Outcome = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True)
class GateAnswer:
    """What the gate's answer is made of."""

    verdict: Verdict
    candidate: str
    superiority: bool

    def parts(self) -> dict[str, Any]:
        """By the test of these rows alone."""
        return {"outcome": self.outcome, "sentence": spoken(self.sentence()), "rows_needed": self.rows_needed}

    @cached_property
    def comparison(self) -> Comparison:
        (comparison,) = self.verdict.comparisons
        if comparison.undefined is not None:
            raise UndefinedError("E_UNDEFINED", f"the gate cannot say: {comparison.undefined}")
        return comparison

    @cached_property
    def held(self) -> Margin | None:
        held = (self.verdict.margins or {}).get((self.comparison.a, self.comparison.b))
        if held is None and self.comparison.standard_error != 0:
            raise UsageError("E_TEST", f"{self.verdict.test.name} gives no interval to compare a margin with")
        return held

    @cached_property
    def outcome(self) -> Outcome:
        held, decided = self.held, self.verdict.outcome != "undecided"
        if held is None or not decided:
            return "inconclusive"
        if held.a_is_worse or (self.superiority and self.comparison.winner == self.comparison.b):
            return "fail"
        better_if_asked = not self.superiority or self.comparison.winner == self.candidate
        return "pass" if held.a_not_worse and better_if_asked else "inconclusive"

    @property
    def _rows(self) -> int:
        return round(self.verdict.predictions.rows_seen)

    @cached_property
    def rows_needed(self) -> int | None:
        """For a candidate that is as good as production; if these rows were enough for that, for the one seen."""
        rows, held, verdict = self._rows, self.held, self.verdict
        if verdict.outcome == "undecided":
            return verdict.rows_to_decide
        if self.outcome != "inconclusive" or held is None or not verdict.design.by_rows:
            return None
        if held.a_not_worse:
            return verdict.rows_at_least
        equal = rows_to_pass(rows, self.comparison, held.margin)
        return equal if equal is not None and equal > rows else rows_to_pass(rows, self.comparison, self._room)

    @property
    def _room(self) -> float:
        """How far the difference seen is from the margin."""
        sign = 1 if self.verdict.goal.better == "higher" else -1
        return sign * (self.comparison.difference or 0.0) + self.verdict.margin if self.verdict.margin else 0.0

    def sentence(self) -> str:
        pieces = "" if self.verdict.outcome == "undecided" else said_of_pieces(self.comparison, self._rows)
        return f"{self.outcome.capitalize()}: {self._said()}.{self._rows_in_words()}{pieces}{self._blind_spot()}"

    def _blind_spot(self) -> str:
        verdict = self.verdict
        return (
            ""
            if verdict.outcome == "undecided"
            else blind_spot(verdict.goal, verdict.design, verdict.predictions, self._rows)
        )

    def _said(self) -> str:
        verdict, pair, held = self.verdict, self.comparison, self.held
        scores = f"{pair.a} {number(verdict.values[pair.a])}, {pair.b} {number(verdict.values[pair.b])}"
        scores += f" on {verdict.goal_name}"
        if verdict.outcome == "undecided":
            return f"{verdict.undecided} ({scores})"
        if held is None:
            same = f"all {verdict.design.unit}s differ by the same amount"
            return f"{same}, and are too few to rule out chance ({scores})"
        facts = f"{scores}; difference {number(pair.difference)}, {level(2 * verdict.alpha)} interval "
        facts += f"{number(held.low)} to {number(held.high)}"
        return f"{self._claim(held)}{self._roughly()} ({facts})"

    def _claim(self, held: Margin) -> str:
        pair, margin = self.comparison, number(held.margin)
        if self.outcome == "pass":
            better = f", and significantly better ({p_value(pair.p or 0)})" if pair.winner == pair.a else ""
            return f"{pair.a} is not worse than {pair.b} by more than {margin}{better}"
        if held.a_is_worse:
            return f"{pair.a} is worse than {pair.b} by more than {margin}"
        if self.outcome == "fail":
            return f"{pair.a} is significantly worse than {pair.b}, though not by more than {margin}"
        if held.a_not_worse:
            return f"{pair.a} is not worse than {pair.b} by more than {margin}, but is not shown to be better"
        return f"{pair.a} may be worse than {pair.b} by more than {margin}, or not: neither is shown"

    def _roughly(self) -> str:
        """What the claim hangs on: a candidate that passes may owe it to large errors that these rows lack."""
        reasons = [self.verdict.approximate_reason] if self.verdict.approximate_reason else []
        if self.outcome == "pass" and not reasons:
            tail = heavy_tail(self.comparison, self.comparison.a, self.verdict.goal, self._rows)
            reasons += [tail] if tail else []
        return f", approximately, as {reasons[0]}" if reasons else ""

    def _rows_in_words(self) -> str:
        rows, held = self.rows_needed, self.held
        if self.verdict.outcome == "undecided":
            return enough(rows)
        if rows is None or held is None:
            return ""
        if held.a_not_worse:
            return f" At least {rows:,} rows like these would be needed to show that it is better."
        equal = rows_to_pass(self._rows, self.comparison, held.margin)
        if rows == equal:
            return f" About {rows:,} rows like these would let an equally good candidate pass with 80% power."
        return f" If the difference seen is the true one, about {rows:,} rows like these would settle it."
