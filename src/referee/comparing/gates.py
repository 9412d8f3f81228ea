"""gate(): may the candidate replace production? Not worse by more than the margin, and better if that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import known_keywords, python_call
from referee.comparing.gate_answer import GateAnswer
from referee.comparing.gate_looks import Looking, look_at, look_in_words
from referee.comparing.guards import guarded, guards_in_words, outcome_of, worst
from referee.comparing.question import predictions_and_goal
from referee.comparing.verdicts import compare
from referee.document import Result
from referee.errors import CallError, UsageError, spoken
from referee.predictions import as_written, slice_names, takes_predictions
from referee.records import dataclass
from referee.scoring import goal_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Unpack

    from referee.comparing.comparison import Comparison
    from referee.comparing.gate_answer import Outcome
    from referee.comparing.gate_looks import Look
    from referee.comparing.guards import Guard
    from referee.comparing.margins import Margin
    from referee.comparing.significance_test import SignificanceTest
    from referee.comparing.verdict import Verdict
    from referee.document import Document, Part
    from referee.predictions import Columns, Predictions
    from referee.scoring import Metric


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """Whether the candidate passes, and the verdict on which that rests.

    >>> from referee import Predictions, gate
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.1, 0.9] * 50})
    >>> gate(predictions, "accuracy", production="old", candidate="new", margin=0.01).passed
    True

    `passed`, `outcome` and `sentence` are the answer; `comparison` has the
    difference with its interval, `limit` what it is held against, `rows_needed`
    how many rows would decide.

    Like every result, it has `to_html(path)`, `to_markdown()`, `to_latex()`, `to_json()`,
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
    guards: tuple[Guard, ...] = ()
    """What each guard found, on all rows and in slices: one that fails stops the candidate."""
    call: str = ""
    """What was called in Python to make it."""

    @property
    def comparison(self) -> Comparison:
        """The comparison of the candidate, as a, with production, as b."""
        return self.verdict.comparisons[0]

    @property
    def held(self) -> Margin | None:
        """The test of the difference against the margin; None if all units differ equally and are too few."""
        return (self.verdict.margins or {}).get((self.candidate, self.production))

    @property
    def limit(self) -> float:
        """The difference, candidate minus production, that the candidate must be shown to be better than."""
        return -self.margin if self.verdict.goal.better == "higher" else self.margin

    @known_keywords()
    def save_to(self, url: str) -> bool:
        """Save it once in "sqlite:///verdicts.db#verdicts" or "mlflow://experiment"; False if it was there already."""
        from referee.comparing.kept_verdicts import keep

        return keep(self, url)

    def to_dict(self) -> dict[str, Any]:
        fields = ("outcome", "passed", "production", "candidate", "margin", "superiority", "sentence", "rows_needed")
        look = {} if self.look is None else {"look": self.look.to_dict()}
        guards = {"guards": [guard.to_dict() for guard in self.guards]} if self.guards else {}
        return self.verdict.to_dict() | {"gate": {name: getattr(self, name) for name in fields} | look | guards}

    def document(self, *, whole: bool = False) -> Document:
        from referee.comparing.verdict_document import gate_document

        return gate_document(self, whole=whole)

    def explanation(self) -> tuple[Part, ...]:
        """The comparison of the two models, step by step."""
        from referee.comparing.explanation import explanation_parts

        return explanation_parts(self.comparison, self.verdict.test, self.verdict.design)

    def records(self) -> list[dict[str, Any]]:
        return self.verdict.records()

    def to_junit(self) -> str:
        """JUnit XML with a test case for the goal and for each guard, as CI servers show them."""
        from referee.comparing.junit import junit_text

        return junit_text(self)

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
    guards: Any = None,
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
    """Let the candidate pass if a one-sided test at alpha shows that it is not worse by more than the margin.

    It fails if it is shown to be worse by more than the margin. If neither is shown, the gate is inconclusive, and
    `inconclusive` says whether it then passes. With `superiority` it must also be significantly better. The input and
    all other keywords are those of `compare`.

    `guards` are other metrics with their margins: the candidate must not be worse on them either, and must not be shown
    to be worse in any slice of `by`.

    `ledger` is a file that records every look at growing data, so that all looks share alpha: a planned number of them
    (`looks`, `until` that many rows), or any number (`anytime`). `new_rows` says that only the new rows are given; with
    `id`, those that an earlier look has counted are refused;
    `spend` shares alpha among all candidates for this production model (docs/guide/looks.md).

    >>> y, old, new = [0, 1] * 50, [0.2, 0.7] * 50, [0.6, 0.5] * 50
    >>> gate(y, {"old": old, "new": new}, goal="accuracy", production="old", candidate="new", margin=0.01).outcome
    'fail'
    """
    predictions, goal = predictions_and_goal(
        "gate", given, columns, goal=goal, metrics=metrics, by=by, train_size=train_size, time=time, test=test,
        unit=unit, subsets=subsets, ledger=ledger, guards=guards,
    )  # fmt: skip
    goal = goal_of(goal, predictions.task)
    if production == candidate:
        raise UsageError("E_GATE", f"production and candidate are the same model, {candidate!r}")
    if inconclusive not in ("pass", "fail"):
        raise UsageError("E_GATE", f"--inconclusive {inconclusive}: the choices are 'pass' and 'fail'")
    looking = Looking(ledger, looks, until, anytime, new_rows, spend)
    both = replace(predictions, models=(predictions.model(candidate), predictions.model(production)))
    said: dict[str, Any] = {
        "test": test, "metrics": metrics, "alpha": alpha, "seed": seed, "unit": unit, "subsets": subsets,
        "partitions": partitions, "train_size": train_size, "horizon": horizon,
    }  # fmt: skip
    verdict = compare(both, goal=goal, margin=margin, by=slice_names(by), **said)
    held = _guards_of(both, guards, slice_names(by), said, ledger)
    data, of_columns = as_written(given, {**columns, "time": time}, by)
    call = python_call(
        gate, *data, goal=goal, production=production, candidate=candidate, margin=margin,
        superiority=superiority, inconclusive=inconclusive, guards=guards, **asdict(looking), **said, **of_columns,
    )  # fmt: skip
    case = GateAnswer(verdict, candidate, superiority)
    answer = case.parts() if ledger is None else _answer_of_look(verdict, looking, production, candidate, superiority)
    answer = _with_guards(answer, held) if held else answer
    passed = answer["outcome"] == "pass" or (answer["outcome"] == "inconclusive" and inconclusive == "pass")
    shared: dict[str, Any] = {"verdict": verdict, "call": call} | answer
    return Gate(
        passed=passed, production=production, candidate=candidate, margin=margin, superiority=superiority, **shared
    )


def _guards_of(
    both: Predictions, guards: Mapping[str, float] | None, by: Sequence[str], said: dict[str, Any], ledger: Any
) -> tuple[Guard, ...]:
    if guards is None or (isinstance(guards, Mapping) and not guards):
        return ()
    if not isinstance(guards, Mapping) or not all(isinstance(name, str) for name in guards):
        raise CallError("E_GUARD", "guards are metrics with their margins", hint='write guards={"recall": 0.01}')
    if ledger is not None:
        raise UsageError(
            "E_GUARD", "a ledger shares alpha among looks at the goal, and guards are looked at once",
            hint="gate the guards in a separate command, without --ledger",
        )  # fmt: skip
    return guarded(both, guards, by, {**said, "metrics": "goal"})


def _with_guards(answer: dict[str, Any], guards: tuple[Guard, ...]) -> dict[str, Any]:
    """The worse of both answers, which the sentence begins with."""
    goal, guarded_outcome = answer["outcome"], outcome_of(guards)
    outcome, words = worst([goal, guarded_outcome]), guards_in_words(guards)
    if outcome == goal:
        return answer | {"guards": guards, "sentence": f"{answer['sentence']} Guards: {words}."}
    alone = answer["sentence"][0].lower() + answer["sentence"][1:]
    sentence = f"{outcome.capitalize()} because of a guard: {words}. On the goal itself: {alone}"
    return answer | {"guards": guards, "outcome": outcome, "sentence": sentence}


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
