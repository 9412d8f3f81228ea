"""referee names the winning model on the metric you care about, or a tie.

>>> import referee
>>> predictions = referee.Predictions.from_arrays([0, 1, 1, 0], {"a": [0.1, 0.8, 0.6, 0.3]})
>>> referee.evaluate(predictions, metrics=["roc_auc"])["a", "roc_auc"].value
1.0
"""

from __future__ import annotations

TYPE_CHECKING = False  # the same as typing's, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from referee.advice.advising import advise
    from referee.comparison import Comparison
    from referee.errors import RefereeError
    from referee.linting import lint
    from referee.metric import Metric, metrics
    from referee.predictions import Predictions
    from referee.readers import ReadOptions
    from referee.scheme import Scheme, schemes
    from referee.score_table import Score
    from referee.scores import Scores, evaluate
    from referee.selection import select
    from referee.significance import SignificanceTest, tests
    from referee.verdict import Verdict, compare, gate

__version__ = "0.1.0"

_HOMES = {
    "advice.advising": ("advise",), "linting": ("lint",),
    "comparison": ("Comparison",), "errors": ("RefereeError",), "metric": ("Metric", "metrics"),
    "predictions": ("Predictions",), "readers": ("ReadOptions",), "scheme": ("Scheme", "schemes"),
    "score_table": ("Score",), "scores": ("Scores", "evaluate"), "selection": ("select",),
    "significance": ("SignificanceTest", "tests"), "verdict": ("Verdict", "compare", "gate"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Comparison", "Metric", "Predictions", "ReadOptions", "RefereeError", "Scheme", "Score", "Scores",
    "SignificanceTest", "Verdict", "advise", "compare", "evaluate", "gate", "lint", "metrics", "schemes", "select",
    "tests",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import each public name when it is first used, so that the command line starts at once."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"referee.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
