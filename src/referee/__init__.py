"""referee names the winning model on the metric you care about, or a tie.

>>> import referee
>>> predictions = referee.Predictions.from_arrays([0, 1, 1, 0], {"a": [0.1, 0.8, 0.6, 0.3]})
>>> referee.evaluate(predictions, metrics=["roc_auc"])["a", "roc_auc"].value
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from referee.comparison import Comparison
    from referee.errors import RefereeError
    from referee.metric import Metric, metrics
    from referee.predictions import Predictions
    from referee.readers import ReadOptions
    from referee.scores import Score, Scores, evaluate
    from referee.significance import SignificanceTest, tests

__version__ = "0.1.0"

_HOME = {
    "Comparison": "comparison",
    "Metric": "metric",
    "Predictions": "predictions",
    "ReadOptions": "readers",
    "RefereeError": "errors",
    "Score": "scores",
    "Scores": "scores",
    "SignificanceTest": "significance",
    "evaluate": "scores",
    "metrics": "metric",
    "tests": "significance",
}

__all__ = [
    "Comparison", "Metric", "Predictions", "ReadOptions", "RefereeError", "Score", "Scores", "SignificanceTest",
    "evaluate", "metrics", "tests",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import each public name when it is first used, so that the command line starts at once."""
    if name not in _HOME:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"referee.{_HOME[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
