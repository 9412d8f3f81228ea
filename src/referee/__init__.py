"""referee names the winning model on the metric you care about, or a tie.

>>> import referee
>>> y, a, b = [0, 1, 1, 0] * 10, [0.1, 0.8, 0.6, 0.3] * 10, [0.4, 0.7, 0.2, 0.5] * 10
>>> referee.compare(y, {"a": a, "b": b}, goal="roc_auc").winners
('a',)
>>> referee.evaluate(y, a, metrics="roc_auc")["model", "roc_auc"].value
1.0
"""

from __future__ import annotations

TYPE_CHECKING = False  # the same as typing's, which takes time to import
if TYPE_CHECKING:
    from typing import Any

    from referee.advice import advise, lint, plan
    from referee.calibration import calibrate
    from referee.comparing import Comparison, Gate, SignificanceTest, Verdict, compare, gate, history, refit, tests
    from referee.errors import RefereeError
    from referee.fitting import Scheme, learners, schemes, select
    from referee.paper import study_own_data as study
    from referee.predictions import Predictions, ReadOptions, State
    from referee.scoring import Metric, Score, Scores, evaluate, metrics, summarise
    from referee.thresholds import curves, threshold

__version__ = "0.1.0"

_HOMES = {
    "advice": ("advise", "lint", "plan"), "errors": ("RefereeError",),
    "predictions": ("Predictions", "ReadOptions", "State"),
    "scoring": ("Metric", "Score", "Scores", "evaluate", "metrics", "summarise"),
    "fitting": ("Scheme", "learners", "schemes", "select"), "thresholds": ("curves", "threshold"), "paper": ("study",),
    "comparing": ("Comparison", "Gate", "SignificanceTest", "Verdict", "compare", "gate", "history", "refit", "tests"),
    "calibration": ("calibrate",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_CALLED_THERE = {"study": "study_own_data"}

__all__ = [
    "Comparison", "Gate", "Metric", "Predictions", "ReadOptions", "RefereeError", "Scheme", "Score", "Scores",
    "SignificanceTest", "State", "Verdict", "advise", "calibrate", "compare", "curves", "evaluate", "gate", "history",
    "learners", "lint", "metrics", "plan", "refit", "schemes", "select", "study", "summarise", "tests", "threshold",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import each public name when it is first used, so that the command line starts at once."""
    from importlib import import_module

    if name not in _HOME:
        raise AttributeError(f"module 'referee' has no attribute {name!r}")
    home = import_module(f"referee.{_HOME[name]}")
    globals()[name] = value = getattr(home, _CALLED_THERE.get(name, name))
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
