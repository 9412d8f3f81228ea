"""Scores as people have them in Python, made into predictions of the task "scores"."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from referee.errors import UsageError
from referee.predictions import Predictions, ScoreRoles, fold_scores, is_fold_scores
from referee.scoring import metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.scoring import Metric

SCORE_KEYWORDS = {one.name for one in fields(ScoreRoles)} - {"by"} | {"task", "options"}


def from_scores(
    given: Any, goal: str | Metric | None, by: str | Sequence[str], said: dict[str, Any]
) -> tuple[Any, str | Metric | None, dict[str, Any]]:
    """Predictions, goal and what else was said of the comparison; as they are where no scores were given."""
    of_scores = {name: value for name, value in said.items() if name in SCORE_KEYWORDS}
    others = {name: value for name, value in said.items() if name not in SCORE_KEYWORDS}
    if isinstance(given, Predictions):
        return given, goal, said
    if is_fold_scores(given):
        of_scores.pop("task", None)
        return fold_scores(given, _scorer(goal), **of_scores), metrics["mean"], others
    if said.get("task") != "scores":
        return given, goal, said
    sources = given if isinstance(given, list | tuple) else (given,)
    return Predictions.read(*sources, by=by, **of_scores), goal, others


def _scorer(goal: str | Metric | None) -> str | None:
    """The name of scikit-learn's scorer, which is what the folds were scored by."""
    if goal is None or isinstance(goal, str):
        return goal
    raise UsageError("E_GOAL", "the goal of scores of folds is the name of their scorer", hint="goal='accuracy'")
