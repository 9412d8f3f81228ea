"""What is asked: the predictions, the goal that they are compared on, and whether that needs the rows themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.significance_test import SignificanceTest, tests
from referee.engines import engine_of, summing_engine_of
from referee.errors import Notice, RefereeError, UndefinedError, UsageError
from referee.predictions import (
    ROWS_OF_IDS,
    Predictions,
    fold_scores,
    is_fold_scores,
    is_in_database,
    needs_positive,
    predictions_of,
    slice_names,
    with_told,
)
from referee.scoring import Metric, asked_metrics, goal_of, metrics, why_not_summed
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.comparing.contest import Contest
    from referee.predictions import Columns


SUMMED_TESTS = ("influence", "delong")
"""Tests that are made of sums over rows; those of decisions take counts of them."""


def why_rows(
    goal: str | Metric | None,
    roles: Mapping[str, Any],
    *,
    test: str | SignificanceTest | None = None,
    unit: str | None = None,
    subsets: int | None = None,
    ledger: Any = None,
    guards: Any = None,
    by: Any = (),
) -> str | None:
    """Why a comparison needs the rows; None where their sums are enough. `roles` are columns by what they are for."""
    if unit == "slice":  # one value for each data set
        return None
    reasons = (
        _of_roles(roles),
        "the ledger of a gate looks at each row" if ledger is not None else None,
        "subsets are drawn row by row" if subsets is not None else None,
        "folds of slices, for guards, are counted row by row" if guards is not None and by and unit == "fold" else None,
        None if unit == "fold" else _of_test(test),  # which takes one value for each fold
        *(_of_goal(name, roles) for name in (goal, *(guards if isinstance(guards, Mapping) else ()))),
    )
    return next((reason for reason in reasons if reason), None)


def _of_roles(roles: Mapping[str, Any]) -> str | None:
    if roles.get("time") is not None:
        return "rows are sorted by time"
    in_splits = roles.get("fold") is not None or roles.get("repeat") is not None
    return ROWS_OF_IDS if roles.get("id") is not None and in_splits else None


def _of_test(test: str | SignificanceTest | None) -> str | None:
    if test in (None, "auto"):
        return None
    chosen = tests[test] if isinstance(test, str) else test
    if not isinstance(chosen, SignificanceTest) or chosen.name in SUMMED_TESTS or chosen.takes == "decisions":
        return None
    if chosen.random:
        return f"{chosen.title} draws rows"
    return f"{chosen.title} looks at each {'row' if chosen.takes == 'rows' else 'fold'}"


def _of_goal(goal: str | Metric | None, roles: Mapping[str, Any]) -> str | None:
    try:
        metric = metrics[goal] if isinstance(goal, str) else goal
    except RefereeError:  # which will be said when the goal is looked for
        return None
    if not isinstance(metric, Metric):
        return None
    if (reason := why_not_summed(metric)) is not None:
        return f"{metric.shown_name}: {reason}"
    has_yardstick = roles.get("baseline") is not None or roles.get("fold") is not None
    if "baseline" in metric.row_arguments and not has_yardstick:
        return f"{metric.shown_name}: its yardstick is estimated from the same rows"
    return None


def refuse_without_rows(predictions: Predictions, metric: Metric, test: SignificanceTest | None, **design: Any) -> None:
    """Stop before anything is asked, where a comparison needs rows and these are not in memory."""
    if predictions.has_rows:
        return
    reason = "models are compared by --engine database, not in batches"
    if engine_of(predictions).SUMS_PAIRS:
        roles = {name: getattr(predictions, name) for name in ("time", "group", "fold", "repeat", "baseline")}
        why = why_rows(metric, roles, test=test, **design)
        why = why or summing_engine_of(predictions).why_lacking(predictions, metric)
        if why is None:
            return
        reason = why
    raise UsageError(
        "E_ROWS",
        f"this comparison needs the rows in memory, and these {predictions.rows:,} are summarised where they are: "
        f"{reason}",
        hint=engine_of(predictions).TO_HAVE_ROWS + (DATA_SETS if predictions.slices else ""),
    )


DATA_SETS = ", or compare data sets, which needs no rows: --by COL and --unit slice"


def with_notice(
    predictions: Predictions, sources: Sequence[Any], reason: str | None, engine: str | None = None
) -> Predictions:
    """Say that a database's rows were read, and why: the question, the engine that was asked for, or what was given."""
    if not predictions.has_rows or not any(map(is_in_database, sources)):
        return predictions
    reasons = {
        str(reason): reason is not None,
        "--engine memory asks for that": engine == "memory",
        "several sources are aligned row by row": len(sources) > 1,
        "they cannot be summarised there": True,
    }
    why = next(why for why, holds in reasons.items() if holds)
    notice = Notice("W_ROWSREAD", f"all {predictions.rows:,} rows were read from the database: {why}")
    return replace(predictions, notices=(*predictions.notices, notice))


MOST_LEFT_OUT = 5
NEGATIVES = {
    "rmse": "neg_root_mean_squared_error", "mse": "neg_mean_squared_error", "mae": "neg_mean_absolute_error",
    "median_ae": "neg_median_absolute_error", "mape": "neg_mean_absolute_percentage_error", "brier": "neg_brier_score",
}  # fmt: skip
"""What scikit-learn calls losses whose sign it turns."""
LONG = "is it a long table? Use --model-column COL --score-column COL; for a wide table, --models A,B"


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
    reason = why_rows(goal, columns, by=by, **design)
    asked = asked_metrics(goal, metrics)
    made = predictions_of(call, given, columns, by=by, metrics=asked, push_down=reason is None, why_rows=reason)
    return with_notice(made, given, reason, getattr(columns.get("options"), "engine", None)), goal


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
    raise UsageError("E_GOAL", "for scores of folds, the goal is the name of their scorer", hint="goal='accuracy'")


def refuse_losses(folds: Predictions) -> None:
    """Scores by a metric that is better if lower, where scikit-learn's are taken to be better if higher."""
    called = folds.scored.called if folds.scored else None
    if called is None or called.startswith("neg_") or called not in catalogue or catalogue[called].better == "higher":
        return
    if any(model.values is not None and np.any(model.values > 0) for model in folds.models):
        raise UsageError(
            "E_GOAL",
            f"lower values of {called} are better, but results of cross_validate are read as higher is better",
            hint=f"use scikit-learn's scorer {NEGATIVES.get(called, 'neg_' + called)}, or give the folds as a table: "
            '{"a": scores_a, "b": scores_b}, task="scores", rows="folds", better="lower"',
        )


def refuse_without_positive(predictions: Predictions, goal: Metric) -> None:
    """Of predictions whose positive class nobody has named, as those of a run of `select` may be."""
    if predictions.task == "binary" and predictions.positive is None and goal.of_one_class:
        raise needs_positive(predictions.source or "the predictions", predictions.truth_column, predictions.classes)


def refuse_pooled_ranks(contest: Contest) -> None:
    """Ranks among rows of all folds, where the models of the folds score on different scales."""
    if contest.apart_by_scale is not None:
        name, reason = contest.apart_by_scale
        hint = "use --unit fold" + (" and leave --time out" if contest.design.kind == "time" else "")
        raise UndefinedError("E_POOLED", f"{contest.goal} of {name!r}: {reason}", hint=hint)


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
        if value is not None and not (isinstance(value, Real) and 0 < value < float("inf")):
            shown = f"{value:g}" if isinstance(value, Real) else repr(value)
            raise UsageError("E_MARGIN", f"{name} {shown} must be a positive number, in units of the goal metric")
