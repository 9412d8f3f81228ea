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

    from referee.advice import advise, lint
    from referee.comparing import Comparison, SignificanceTest, Verdict, compare, gate, refit, tests
    from referee.errors import RefereeError
    from referee.fitting import Scheme, schemes, select
    from referee.predictions import Predictions, ReadOptions
    from referee.scoring import Metric, Score, Scores, evaluate, metrics

__version__ = "0.1.0"

_HOMES = {
    "advice": ("advise", "lint"), "errors": ("RefereeError",), "predictions": ("Predictions", "ReadOptions"),
    "scoring": ("Metric", "Score", "Scores", "evaluate", "metrics"), "fitting": ("Scheme", "schemes", "select"),
    "comparing": ("Comparison", "SignificanceTest", "Verdict", "compare", "gate", "refit", "tests"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Comparison", "Metric", "Predictions", "ReadOptions", "RefereeError", "Scheme", "Score", "Scores",
    "SignificanceTest", "Verdict", "advise", "compare", "evaluate", "gate", "lint", "metrics", "refit", "schemes",
    "select", "tests",
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
