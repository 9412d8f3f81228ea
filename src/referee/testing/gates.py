"""A gate for a test suite: a new model must not be worse than the one in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.comparing import gate

if TYPE_CHECKING:
    from referee.predictions import Predictions
    from referee.scoring import Metric


def assert_not_worse(predictions: Predictions, goal: str | Metric, **options: Any) -> None:
    """Fail with the gate's sentence unless the candidate is shown to be not worse than production by the margin.

    `options` are those of `referee.gate`: production, candidate, margin, superiority ...

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1] * 50, {"old": [0.2, 0.7] * 50, "new": [0.1, 0.9] * 50})
    >>> assert_not_worse(predictions, "accuracy", production="old", candidate="new", margin=0.01)
    """
    __tracebackhide__ = True
    found = gate(predictions, goal, **options)
    if not found.passed:
        raise AssertionError(found.sentence)
