"""gate(): may the candidate replace production? Not worse by more than the margin, and better if that is asked."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import python_call
from referee.comparing.doubts import heavy_tail
from referee.comparing.gate_looks import Looking, look_at, look_in_words
from referee.comparing.in_time import said_of_pieces
from referee.comparing.power import rows_to_pass
from referee.comparing.question import predictions_and_goal
from referee.comparing.sentence import blind_spot, enough
from referee.comparing.verdicts import compare
from referee.document import Result, level, number, p_value
from referee.errors import UndefinedError, UsageError, spoken
from referee.predictions import as_written, slice_names, takes_predictions
from referee.records import dataclass
from referee.scoring import goal_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike
    from typing import Unpack

    from referee.comparing.comparison import Comparison
    from referee.comparing.gate_looks import Look
    from referee.comparing.margins import Margin
    from referee.comparing.significance_test import SignificanceTest
    from referee.comparing.verdict import Verdict
    from referee.document import Document, Part
    from referee.predictions import Columns
    from referee.scoring import Metric

Outcome = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """Whether the candidate passes, and the verdict that this rests on.

    >>> from referee import Predictions, gate
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.1, 0.9] * 50})
    >>> gate(predictions, "accuracy", production="old", candidate="new", margin=0.01).passed
    True

    `passed`, `outcome` and `sentence` are the answer; `comparison` has the
    difference with its interval, `limit` what it is held against, `rows_needed`
    how many rows would decide.

    As every result: `to_html(path)`, `to_markdown()`, `to_latex()`, `to_json()`,
    `to_csv()`, `to_frame()`, `save(path)`, `plot()`, `explained()`.
    """

    outcome: Outcome
    """Pass; fail: it is shown to be worse by more than the margin; inconclusive: neither is shown."""
    passed: bool
    """Whether the candidate may go on: it passes, or the gate is inconclusive and lets that pass."""
    production: str
    candidate: str
    margin: float
    superiority: bool
    sentence: str
    verdict: Verdict
    rows_needed: int | None = None
    """Where it is inconclusive: about how many rows would settle it."""
    look: Look | None = None
    """Which look of a ledger it is, where there is one: this decides, and not the test of the rows alone."""
    call: str = ""
    """What was called in Python to make it."""

    @property
    def comparison(self) -> Comparison:
        """Of the candidate, as a, with production, as b."""
        return self.verdict.comparisons[0]

    @property
    def held(self) -> Margin | None:
        """The difference against the margin; None where all units differ by the same and are too few."""
        return (self.verdict.margins or {}).get((self.candidate, self.production))

    @property
    def limit(self) -> float:
        """The difference, candidate minus production, that the candidate must be shown to be better than."""
        return -self.margin if self.verdict.goal.better == "higher" else self.margin

    def to_dict(self) -> dict[str, Any]:
        fields = ("outcome", "passed", "production", "candidate", "margin", "superiority", "sentence", "rows_needed")
        look = {} if self.look is None else {"look": self.look.to_dict()}
        return self.verdict.to_dict() | {"gate": {name: getattr(self, name) for name in fields} | look}

    def document(self, *, whole: bool = False) -> Document:
        from referee.comparing.verdict_document import gate_document

        return gate_document(self, whole=whole)

    def explanation(self) -> tuple[Part, ...]:
        """The comparison of the two models, step by step."""
        from referee.comparing.explanation import explanation_parts

        return explanation_parts(self.comparison, self.verdict.test, self.verdict.design)

    def records(self) -> list[dict[str, Any]]:
        return self.verdict.records()

    def __bool__(self) -> bool:
        return self.passed


@takes_predictions("goal")
def gate(
    *given: Any,
    production: str,
    candidate: str,
    margin: float,
    goal: str | Metric | None = None,
    superiority: bool = False,
    inconclusive: Literal["pass", "fail"] = "fail",
    ledger: str | PathLike[str] | None = None,
    looks: int | None = None,
    until: int | None = None,
    anytime: bool | Literal["asymptotic", "exact"] = False,
    new_rows: bool = False,
    spend: bool = False,
    test: str | SignificanceTest = "auto",
    metrics: str | Metric | Sequence[str | Metric] | None = "goal",
    by: str | Sequence[str] | Mapping[str, Any] = (),
    alpha: float = 0.05,
    seed: int = 0,
    unit: Literal["row", "fold", "slice"] | None = None,
    subsets: int | None = None,
    partitions: int = 25,
    train_size: float | None = None,
    time: Any = None,
    horizon: int | None = None,
    **columns: Unpack[Columns],
) -> Gate:
    """Let the candidate pass if the one-sided test at alpha shows that it is not worse by more than the margin.

    It fails if it is shown to be worse by more; where neither is shown, the gate is inconclusive, and `inconclusive`
    says whether that lets it through. With `superiority` it must be significantly better, too. What may be given, and
    all other keywords, are those of `compare`.

    A `ledger` is a file that keeps looks at rows which grow in number, so that all of them together have alpha: planned
    ones (`looks`, `until` so many rows), or at any time (`anytime`). `new_rows` says that only new rows are given;
    `spend` shares alpha among all candidates for the place of this production model (docs/guide/looks.md).

    >>> y, old, new = [0, 1] * 50, [0.2, 0.7] * 50, [0.6, 0.5] * 50
    >>> gate(y, {"old": old, "new": new}, goal="accuracy", production="old", candidate="new", margin=0.01).outcome
    'fail'
    """
    predictions, goal = predictions_and_goal(
        "gate", given, columns, goal=goal, metrics=metrics, by=by, train_size=train_size, time=time, test=test,
        unit=unit, subsets=subsets, ledger=ledger,
    )  # fmt: skip
    goal = goal_of(goal, predictions.task)
    if production == candidate:
        raise UsageError("E_GATE", f"production and candidate are the same model, {candidate!r}")
    if inconclusive not in ("pass", "fail"):
        raise UsageError("E_GATE", f"--inconclusive {inconclusive}: known are 'pass' and 'fail'")
    looking = Looking(ledger, looks, until, anytime, new_rows, spend)
    both = replace(predictions, models=(predictions.model(candidate), predictions.model(production)))
    said: dict[str, Any] = {
        "test": test, "metrics": metrics, "alpha": alpha, "seed": seed, "unit": unit, "subsets": subsets,
        "partitions": partitions, "train_size": train_size, "horizon": horizon,
    }  # fmt: skip
    verdict = compare(both, goal=goal, margin=margin, by=slice_names(by), **said)
    case = _GateCase(verdict, candidate, superiority)
    data, of_columns = as_written(given, {**columns, "time": time}, by)
    call = python_call(
        gate, *data, goal=goal, production=production, candidate=candidate, margin=margin,
        superiority=superiority, inconclusive=inconclusive, **asdict(looking), **said, **of_columns,
    )  # fmt: skip
    answer = case.answer() if ledger is None else _answer_of_look(verdict, looking, production, candidate, superiority)
    passed = answer["outcome"] == "pass" or (answer["outcome"] == "inconclusive" and inconclusive == "pass")
    shared: dict[str, Any] = {"verdict": verdict, "call": call} | answer
    return Gate(
        passed=passed, production=production, candidate=candidate, margin=margin, superiority=superiority, **shared
    )


def _answer_of_look(
    verdict: Verdict, looking: Looking, production: str, candidate: str, superiority: bool
) -> dict[str, Any]:
    """What the ledger's rule says of the rows so far."""
    margin = verdict.margin or 0.0
    models = {"production": production, "candidate": candidate}
    look, notices = look_at(verdict, looking, margin=margin, superiority=superiority, **models)
    sentence = look_in_words(look, candidate, production, margin, verdict.goal_name)
    noted = replace(verdict, warnings=(*notices, *verdict.warnings))
    return {"outcome": look.outcome, "sentence": spoken(sentence), "look": look, "verdict": noted}


@dataclass(frozen=True)
class _GateCase:
    """What the gate's answer is made of."""

    verdict: Verdict
    candidate: str
    superiority: bool

    def answer(self) -> dict[str, Any]:
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
            raise UsageError(
                "E_TEST", f"{self.verdict.test.name} gives no interval that a margin could be held against"
            )
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
            else blind_spot(verdict.goal, verdict.design, self._rows, verdict.predictions.group)
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
