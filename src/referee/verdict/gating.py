"""gate(): may the candidate replace production? Not worse by more than the margin, and better if that is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from referee.applicability import goal_of
from referee.errors import UndefinedError, UsageError
from referee.python_call import python_call
from referee.verdict.comparing import compare
from referee.wording import level, number, p_value

if TYPE_CHECKING:
    from os import PathLike

    from referee.comparison import Comparison
    from referee.metric import Metric
    from referee.predictions import Predictions
    from referee.verdict.margins import Margin
    from referee.verdict.verdict import Verdict


@dataclass(frozen=True)
class Gate:
    """Whether the candidate passes, and the verdict that this rests on.

    >>> from referee import Predictions, gate
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.1, 0.9] * 50})
    >>> gate(predictions, "accuracy", production="old", candidate="new", margin=0.01).passed
    True
    """

    passed: bool
    production: str
    candidate: str
    margin: float
    superiority: bool
    sentence: str
    verdict: Verdict
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
        """The difference, candidate less production, that the candidate must be shown to be better than."""
        return -self.margin if self.verdict.goal.better == "higher" else self.margin

    def to_dict(self) -> dict[str, Any]:
        fields = ("passed", "production", "candidate", "margin", "superiority", "sentence")
        return self.verdict.to_dict() | {"gate": {name: getattr(self, name) for name in fields}}

    def to_html(self, path: str | PathLike[str] | None = None, *, command: str = "") -> str:
        """Everything as one HTML file that works offline, written to a path if one is given.

        `command` is what the page says of how to make it again.
        """
        from referee.report.page.gate_page import gate_page  # the layer above
        from referee.report.page.saving import save_page

        text = gate_page(self, command=command)
        if path is not None:
            save_page(path, text)
        return text

    def _repr_html_(self) -> str:
        """In a notebook: the page in a frame."""
        from referee.report.page.notebook import in_notebook  # the layer above

        return in_notebook("The gate", self.sentence, self.to_html())

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        return self.sentence


def gate(
    predictions: Predictions,
    goal: str | Metric | None = None,
    *,
    production: str,
    candidate: str,
    margin: float,
    superiority: bool = False,
    **options: Any,
) -> Gate:
    """Let the candidate pass if the one-sided test at alpha shows that it is not worse by more than the margin.

    With `superiority` it must be significantly better, too. `options` are those of `compare`.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.6, 0.5] * 50})
    >>> bool(gate(predictions, "accuracy", production="old", candidate="new", margin=0.01))
    False
    """
    goal = goal_of(goal, predictions.task)
    if production == candidate:
        raise UsageError("E_GATE", f"production and candidate are the same model, {candidate!r}")
    both = replace(predictions, models=(predictions.model(candidate), predictions.model(production)))
    verdict = compare(both, goal, margin=margin, **{"metrics": [goal]} | options)
    (found,) = verdict.comparisons
    if found.undefined is not None:
        raise UndefinedError("E_UNDEFINED", f"the gate cannot say: {found.undefined}")
    held = (verdict.margins or {}).get((candidate, production))
    if held is None and found.standard_error != 0:
        raise UsageError("E_TEST", f"{verdict.test.name} gives no interval that a margin could be held against")
    not_worse = held is not None and held.a_not_worse and verdict.outcome != "undecided"
    passed = not_worse and (not superiority or found.winner == candidate)
    said = _sentence(verdict, held, not_worse, passed)
    call = python_call(
        gate, "predictions", goal=goal, production=production, candidate=candidate, margin=margin,
        superiority=superiority, **options,
    )  # fmt: skip
    return Gate(passed, production, candidate, margin, superiority, said, verdict, call)


def _sentence(verdict: Verdict, held: Margin | None, not_worse: bool, passed: bool) -> str:
    (found,) = verdict.comparisons
    goal, values = verdict.goal.shown_name, verdict.values
    scores = f"{found.a} {number(values[found.a])}, {found.b} {number(values[found.b])} on {goal}"
    if verdict.outcome == "undecided":
        return f"No: {verdict.undecided} ({scores})."
    if held is None:
        units = f"all {verdict.design.unit}s differ by the same"
        return f"No: {units}, and are too few to show that this is no chance ({scores})."
    ends = f"difference {number(found.difference)}, {level(2 * verdict.alpha)} interval {number(held.low)} to "
    facts = f"{scores}; {ends}{number(held.high)}"
    if passed:
        better = f", and significantly better ({p_value(found.p or 0)})" if found.winner == found.a else ""
        return f"Pass: {found.a} is not worse than {found.b} by more than {number(held.margin)}{better} ({facts})."
    if not_worse:
        return f"No: {found.a} is not worse than {found.b}, but not significantly better ({facts})."
    return f"No: it is not shown that {found.a} is at most {number(held.margin)} worse than {found.b} ({facts})."
