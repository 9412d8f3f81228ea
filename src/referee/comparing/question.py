"""What is asked: the predictions, and the goal that they are compared on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.row_needs import why_rows, with_notice
from referee.errors import UsageError
from referee.predictions import (
    Predictions,
    fold_scores,
    is_fold_scores,
    needs_positive,
    predictions_of,
    slice_names,
    with_told,
)
from referee.scoring import asked_metrics, goal_of
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.predictions import Columns
    from referee.scoring import Metric

MOST_LEFT_OUT = 5
NEGATIVES = {
    "rmse": "neg_root_mean_squared_error", "mse": "neg_mean_squared_error", "mae": "neg_mean_absolute_error",
    "median_ae": "neg_median_absolute_error", "mape": "neg_mean_absolute_percentage_error", "brier": "neg_brier_score",
}  # fmt: skip
"""What scikit-learn calls losses whose sign it turns."""
LONG = "is it a long table? Say --model-column COL --score-column COL; of a wide one --models A,B"


def predictions_and_goal(
    call: str,
    given: tuple[Any, ...],
    columns: Columns,
    *,
    goal: str | Metric | None,
    metrics: str | Metric | Sequence[str | Metric] | None,
    by: Any,
    train_size: float | None,
    time: Any = None,
    **design: Any,
) -> tuple[Predictions, str | Metric | None]:
    """Read what was given; of results of cross-validation the goal names the scores, and their mean is compared."""
    columns = columns if time is None else {**columns, "time": time}  # type: ignore[typeddict-unknown-key]
    if len(given) == 1 and is_fold_scores(given[0]):
        if time is not None:
            raise UsageError("E_ROLE", "time= is for rows, and results of cross-validation are scores of folds")
        said = {name: value for name, value in {**columns, "train_size": train_size}.items() if value is not None}
        said.pop("task", None)
        folds = fold_scores(given[0], _scorer(goal), **said)
        refuse_losses(folds)
        return folds, catalogue["mean"]
    if not isinstance(given[0] if given else None, Predictions):
        given, columns = with_told(given, columns)  # type: ignore[assignment]
    if columns.get("task") == "scores" and not isinstance(given[0] if given else None, Predictions):
        return predictions_of(call, given, columns, by=by, train_size=train_size), goal
    refuse_no_goal(goal, given, columns)
    reason = why_rows(goal, columns, **design)
    asked = asked_metrics(goal, metrics)
    made = predictions_of(call, given, columns, by=by, metrics=asked, push_down=reason is None)
    return with_notice(made, given, reason), goal


def refuse_no_goal(goal: str | Metric | None, given: Sequence[Any], columns: Columns) -> None:
    """Ask for the goal before anything else, with those that are usual for the task where that is known."""
    if goal is None and given and not any(isinstance(thing, str) for thing in given[1:]):
        goal_of(None, getattr(given[0], "task", columns.get("task")))


def slices_of(predictions: Predictions, by: Any) -> tuple[str, ...]:
    """The slices that were asked for; the data sets of a table of scores, where it has several."""
    scored = predictions.scored
    return (scored.data_set,) if scored is not None and scored.data_set is not None else slice_names(by)


def _scorer(goal: str | Metric | None) -> str | None:
    """The name of scikit-learn's scorer, which is what the folds were scored by."""
    if goal is None or isinstance(goal, str):
        return goal
    raise UsageError("E_GOAL", "the goal of scores of folds is the name of their scorer", hint="goal='accuracy'")


def refuse_losses(folds: Predictions) -> None:
    """Scores by a metric that is better if lower, where scikit-learn's are taken to be better if higher."""
    called = folds.scored.called if folds.scored else None
    if called is None or called.startswith("neg_") or called not in catalogue or catalogue[called].better == "higher":
        return
    if any(model.values is not None and np.any(model.values > 0) for model in folds.models):
        raise UsageError(
            "E_GOAL",
            f"less of {called} is better, and of results of cross_validate more is taken to be better",
            hint=f"score by scikit-learn's {NEGATIVES.get(called, 'neg_' + called)}, or give the folds as a table: "
            '{"a": scores_a, "b": scores_b}, task="scores", rows="folds", better="lower"',
        )


def refuse_without_positive(predictions: Predictions, goal: Metric) -> None:
    """Of predictions whose positive class nobody has named, as those of a run of `select` may be."""
    if predictions.task == "binary" and predictions.positive is None and goal.of_one_class:
        raise needs_positive(predictions.source or "the predictions", predictions.truth_column, predictions.classes)


def refuse_too_few_models(predictions: Predictions) -> None:
    if len(predictions.models) < 2:
        there = f"there is only {predictions.names[0]!r}" if predictions.models else "there is none"
        aside = {} if predictions.account is None else predictions.account.columns_left_out
        left_out = "".join(f"; {name!r} was left out, as {why}" for name, why in [*aside.items()][:MOST_LEFT_OUT])
        raise UsageError(
            "E_ONEMODEL",
            f"comparing needs at least two models, and {there}{left_out}",
            hint=LONG if predictions.task == "scores" and aside else "--models A,B or a second source",
        )


def refuse_no_margin(margin: float | None, delta: float | None, alpha: float) -> None:
    if margin is not None and alpha >= 0.5:
        raise UsageError("E_MARGIN", f"--margin needs an alpha below 0.5, as it looks at 1 - 2 alpha; not {alpha:g}")
    for name, value in (("--margin", margin), ("--delta", delta)):
        if value is not None and not 0 < value < float("inf"):
            raise UsageError("E_MARGIN", f"{name} {value:g} must be a positive number, in units of the goal metric")
