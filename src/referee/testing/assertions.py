"""Assertions about models for any test suite: what fails shows the sentence and the numbers behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.comparing import compare, gate
from referee.document import terminal_text
from referee.errors import UsageError

if TYPE_CHECKING:
    from referee.document import Result


def assert_not_worse(*given: Any, production: str, candidate: str, margin: float, **options: Any) -> None:
    """Fail unless the candidate is shown to be not worse than production by more than the margin.

    What may be given, and all other keywords (`goal`, `guards`, `by` ...), are those of `referee.gate`.

    >>> y, old, new = [0, 1] * 50, [0.2, 0.7] * 50, [0.1, 0.9] * 50
    >>> assert_not_worse(y, {"old": old, "new": new}, goal="accuracy", production="old", candidate="new", margin=0.01)
    """
    __tracebackhide__ = True
    answer = gate(*given, production=production, candidate=candidate, margin=margin, **options)
    if not answer.passed:
        raise AssertionError(_shown(answer))


def assert_better(*given: Any, model: str, than: str, **options: Any) -> None:
    """Fail unless a model is significantly better than another one on the goal.

    What may be given, and all other keywords (`goal`, `test`, `alpha` ...), are those of `referee.compare`.

    >>> y, old, new = [0, 1] * 50, [0.2, 0.7, 0.6, 0.4] * 25, [0.1, 0.9] * 50
    >>> assert_better(y, {"old": old, "new": new}, goal="accuracy", model="new", than="old")
    """
    __tracebackhide__ = True
    verdict = compare(*given, **options)
    pairs = {frozenset((pair.a, pair.b)): pair for pair in verdict.comparisons}
    pair = pairs.get(frozenset((model, than)))
    if pair is None:
        known = ", ".join(map(repr, verdict.values))
        raise UsageError("E_MODEL", f"no comparison of {model!r} with {than!r}", hint=f"the models are {known}")
    if pair.winner != model or verdict.outcome == "undecided":
        raise AssertionError(_shown(verdict))


def _shown(result: Result) -> str:
    document = replace(result.document(), sentence="", opening="", more=(), notices=())
    parts = tuple(part for part in document.parts if not part.detail)
    return f"{result}\n\n{terminal_text(replace(document, parts=parts)).strip()}"
