"""Commands: what each is asked, of which tables and in which ways, and which changes it does not promise to survive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import referee
from tests.metamorphic.printed import everything, printed

if TYPE_CHECKING:
    from collections.abc import Callable

    Ask = Callable[..., Any]
    """The table's answer to a function, with further arguments."""

PARAMETERS = {
    "binary": (
        "f_beta(beta=2)", "precision_at_recall(recall=0.8)", "recall_at_precision(precision=0.6)", "lift(top=0.25)",
        "partial_auc(high=0.95)", "expected_cost(fp=1,fn=7)", "roc_auc(average=macro)", "precision(average=weighted)",
        "calibration_error(bins=5,mass=true)", "calibration_error(bins=5,debiased=true)", "log_loss(clip=0.001)",
    ),
    "multiclass": (
        "f_beta(average=macro)", "f_beta(average=micro)", "precision(average=weighted)", "roc_auc(average=weighted)",
        "precision_at_recall(recall=0.9,average=macro)", "top_k(k=2)", "weighted_kappa(weights=quadratic)",
    ),
    "regression": ("pinball(level=0.8)",),
}  # fmt: skip
"""Metrics with other settings than their own."""
PAIR = {"binary": ("a", "b"), "multiclass": ("m", "n"), "regression": ("near", "far")}
TASKS = tuple(PAIR)


@dataclass(frozen=True)
class Command:
    """A question; `asks` gives all that is printed by place."""

    asks: Callable[[Ask, str, str | None, bool], dict[Any, Any]]
    """Of the table, its task and the goal; whether sentences on the number of rows count."""
    tasks: tuple[str, ...] = ()
    """All, where none is named."""
    ways: tuple[str, ...] = ("memory",)
    breaks: tuple[str, ...] = ()
    """Relations that do not hold."""
    goals: tuple[str, ...] = ()
    beside: tuple[str | None, ...] = (None,)
    """Columns that the table may have beside the others."""


def _evaluate(ask: Ask, _task: str, _goal: str | None, rows: bool) -> dict[Any, Any]:
    return printed(ask(referee.evaluate), rows=rows)


def _parameters(ask: Ask, task: str, _goal: str | None, rows: bool) -> dict[Any, Any]:
    return printed(ask(referee.evaluate, metrics=PARAMETERS[task]), rows=rows)


def _compare(ask: Ask, _task: str, goal: str | None, rows: bool) -> dict[Any, Any]:
    return printed(ask(referee.compare, goal=goal, metrics="goal"), rows=rows)


def _gate(ask: Ask, task: str, goal: str | None, rows: bool) -> dict[Any, Any]:
    candidate, production = PAIR[task]
    result = ask(referee.gate, goal=goal, metrics="goal", production=production, candidate=candidate, margin=0.02)
    decided = everything(result.to_dict()["gate"], rows=rows)
    return printed(result, rows=rows) | {("gate", *place): value for place, value in decided.items()}


def _calibrate(ask: Ask, task: str, _goal: str | None, rows: bool) -> dict[Any, Any]:
    """Isotonic maps make classes equally probable; of these the one whose column stands first is decided for."""
    method = "all" if task == "binary" else ("platt", "temperature", "beta")
    return everything(ask(referee.calibrate, method=method).to_dict(), rows=rows)


def _everything_of(function: Any, **settings: Any) -> Any:
    return lambda ask, _task, _goal, rows: everything(ask(function, **settings).to_dict(), rows=rows)


DRAWN = "repeated rows"
"""Where folds are drawn, two copies of a row lie in different ones; a row that is seen twice in one."""
OF_ONE_CLASS = "positive swap"
"""What is asked of the positive class alone."""
GROUPED = (None, "group")
GOALS = ("accuracy", "mae")

COMMANDS = {
    "evaluate": Command(_evaluate),
    "compare": Command(_compare),
    "parameters": Command(_parameters, TASKS, ("memory", "stream", "database"), (OF_ONE_CLASS,)),
    "beside": Command(_evaluate, TASKS, ("memory", "stream", "database"), beside=("fold", "group")),
    "compare beside": Command(_compare, TASKS, ("memory", "DuckDB"), goals=GOALS, beside=("fold", "group")),
    "in time": Command(_evaluate, TASKS, beside=("time",)),
    "compare in time": Command(_compare, TASKS, goals=GOALS, beside=("time",)),
    "gate": Command(_gate, TASKS, ("memory", "DuckDB"), goals=GOALS, beside=GROUPED),
    "curves": Command(
        _everything_of(referee.curves, kind=["roc", "pr", "gains"]),
        ("binary",), ("memory", "stream", "database"), (OF_ONE_CLASS,), beside=GROUPED,
    ),
    "threshold": Command(
        _everything_of(referee.threshold, goal="f1"), ("binary",), breaks=(DRAWN, OF_ONE_CLASS), beside=GROUPED
    ),
    "threshold without folds": Command(
        _everything_of(referee.threshold, goal="f1", folds=0), ("binary",), breaks=(OF_ONE_CLASS,), beside=GROUPED
    ),
    "calibrate": Command(
        _calibrate, ("binary", "multiclass"), breaks=(DRAWN, OF_ONE_CLASS), beside=GROUPED
    ),
    "calibrate in folds": Command(
        _calibrate, ("binary", "multiclass"), breaks=(OF_ONE_CLASS,), beside=("fold",)
    ),
}  # fmt: skip
