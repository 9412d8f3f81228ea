"""Which metrics apply to predictions, and the guessing that every score must be read against."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from referee.catalogue import letters_of, split_list
from referee.engines import engine_of
from referee.errors import InputError, MissingGoalError, UndefinedError, UsageError, listed
from referee.predictions import Lists, Model, are_numbers
from referee.scoring.forecast_intervals import interval_ends
from referee.scoring.metric import SCORES, Metric, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Facts, Predictions, RowKind, ScoredRows
    from referee.scoring.metric import Task

USUAL_GOALS: dict[Task, tuple[str, ...]] = {
    "binary": ("roc_auc", "log_loss", "f1"),
    "multiclass": ("accuracy", "log_loss", "f1_macro"),
    "regression": ("rmse", "mae"),
    "ranking": ("ndcg", "mean_average_precision", "mean_reciprocal_rank"),
    "multilabel": ("hamming_loss", "multilabel_f1"),
}
USUAL_OF_SCORES: dict[RowKind, tuple[str, ...]] = {
    "items": ("mean", "median"),
    "folds": ("mean",),
    "datasets": ("mean",),
}
"""A limit for share_above is the user's to name; of folds and data sets the mean alone is compared."""
IN_WORDS: dict[Task, str] = {
    "binary": "two classes",
    "multiclass": "several classes",
    "regression": "numbers",
    "ranking": "rankings",
    "multilabel": "labels",
}


def goal_of(asked: str | Metric | None, task: Task | None = None) -> Metric:
    """The metric that decides; nobody but the user can name it, and what is the same for all models cannot.

    >>> goal_of("AUC").full_name
    'roc_auc'
    """
    if asked is not None:
        return _that_compares(metrics[asked] if isinstance(asked, str) else asked)
    if task == "scores":
        return metrics["mean"]
    usual = [f"{_either(USUAL_GOALS[kind])} for {IN_WORDS[kind]}" for kind in USUAL_GOALS if task in (None, kind)]
    raise MissingGoalError(
        "E_NOGOAL",
        "which metric should decide? A goal is needed",
        hint=f"use --goal METRIC; common choices are {'; '.join(usual)}; `referee advise` helps you choose",
    )


def _that_compares(metric: Metric) -> Metric:
    if metric.compares_models:
        return metric
    raise UsageError(
        "E_GOAL",
        f"{metric.full_name} ({metric.title}) is a property of the data: every model has the same value on the same "
        "rows, so it cannot be the goal",
        hint="choose a goal on which models can differ, such as "
        f"{metric.related[-1] if metric.related else 'accuracy'}; "
        "`referee advise` helps you choose",
    )


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]])


def chosen_metrics(predictions: Predictions, asked: str | Metric | Sequence[str | Metric] | None) -> tuple[Metric, ...]:
    """The metrics that were asked for, each once, or all that fit the task and at least one model."""
    if asked is not None:
        chosen = each_once(asked)
        for metric in chosen:
            _refuse_other_task(metric, predictions)
        return tuple(_of_scores(metric, predictions.scored) if predictions.scored else metric for metric in chosen)
    if predictions.scored is not None:
        usual = ("mean",) if predictions.has_seeds else USUAL_OF_SCORES[predictions.scored.kind]
        return tuple(_of_scores(metrics[name], predictions.scored) for name in usual)
    fitting = (metric for metric in metrics.values() if predictions.task in metric.tasks)
    # Numbers may be names of classes, too; whoever means their order asks for such a metric by name.
    fitting = (metric for metric in fitting if predictions.order_said or not metric.ordinal)
    return tuple(m for m in fitting if any(has_kind(m, model) for model in predictions.models))


def asked_metrics(
    goal: str | Metric | None, metrics: str | Metric | Sequence[str | Metric] | None = None
) -> tuple[Metric, ...]:
    """The metrics that were named, before any data are read: none without a goal."""
    if goal is None:
        return ()
    return (goal_of(goal), *(() if metrics is None or _is_goal_only(metrics) else each_once(metrics)))


def in_our_words(goal: str | Metric | None, metric: Metric) -> str | None:
    """What a goal became that was named as in scikit-learn; None if it has that name here.

    >>> in_our_words("neg_log_loss", metrics["log_loss"]), in_our_words("AUC", metrics["roc_auc"])
    ('goal: neg_log_loss is log_loss here, and lower is better', None)
    """
    if not isinstance(goal, str):
        return None
    ours = {letters_of(name) for name in (metric.name, *metric.aliases)}
    if letters_of(goal.partition("(")[0]) in ours:
        return None
    return f"goal: {goal} is {metric.shown_name} here, and {metric.better} is better"


def metrics_beside(predictions: Predictions, goal: Metric, metrics: Any) -> list[Metric]:
    """The metrics to show beside the goal."""
    every = () if _is_goal_only(metrics) else chosen_metrics(predictions, metrics)
    return [metric for metric in every if metric.full_name != goal.full_name]


def _is_goal_only(metrics: Any) -> bool:
    """Whether no metric but the goal was asked for: "goal", or an empty list."""
    return metrics == "goal" or (isinstance(metrics, list | tuple) and list(metrics) in ([], ["goal"]))


def _of_scores(metric: Metric, scored: ScoredRows) -> Metric:
    """In the direction of the scores, and by the name that they have; wins are good whatever the direction."""
    if "others" in metric.row_arguments:
        return metric
    if scored.called is None or metric.name != "mean":
        return replace(metric, better=scored.better)
    return replace(metric, better=scored.better, name=scored.called, title=f"Mean {scored.called}")


def each_once(asked: str | Metric | Sequence[str | Metric]) -> tuple[Metric, ...]:
    """The metrics that are named, each once."""
    names = split_list(asked) if isinstance(asked, str) else [asked] if isinstance(asked, Metric) else asked
    chosen: dict[str, Metric] = {}
    for metric in (metrics[given] if isinstance(given, str) else given for given in names):
        if chosen.setdefault(metric.full_name, metric) != metric:
            raise UsageError("E_DUPMETRIC", f"two different metrics are called {metric.full_name!r}")
    if not chosen:
        raise UsageError("E_NOMETRIC", "no metric was named", hint="name one, or leave `metrics` out to get all")
    return tuple(chosen.values())


def why_not(metric: Metric, model: Model, facts: Facts) -> str | None:
    """Why the metric says nothing about this model, or None if it does."""
    if not has_kind(metric, model):
        return f"needs {metric.needs}, which the model does not give"
    if facts.lacking is not None and (reason := facts.lacking(metric)):
        return reason
    if _has_no_interval(metric, model):
        level = metric.settings.get("level")
        ends = "two quantiles" if level is None else f"the quantiles {(1 - level) / 2:g} and {(1 + level) / 2:g}"
        return (
            f"needs {ends}, and the model gives {' and '.join(f'{quantile:g}' for quantile in model.quantiles or ())}"
        )
    if metric.needs == "probabilities" and (outside := facts.outside):
        place = f"column {outside.column!r}" + (f", row {outside.row}" if outside.row else "")
        return f"needs probabilities, and {place} is {outside.value:.12g}, outside [0, 1] ({outside.rows:,} such rows)"
    if metric.needs == "probabilities" and (wrong := facts.not_summing):
        place = f"row {wrong.row}" if wrong.row else "one row"
        return f"needs probabilities, and those of {place} add up to {wrong.value:g} ({wrong.rows:,} such rows)"
    return None


def _has_no_interval(metric: Metric, model: Model) -> bool:
    is_interval = metric.needs == "quantiles" and "level" in metric.defaults
    return is_interval and interval_ends(tuple(model.quantiles or ()), metric.settings.get("level")) is None


HINTS = {
    "quantiles": "quantiles are columns such as NAME:0.05 and NAME:0.95, or NAME:lower and NAME:upper with --interval "
    "0.9; --model 'NAME=prefix_{bound}' names others",
}


def refuse_unless_applicable(metric: Metric, model: Model, facts: Facts) -> None:
    """Stop where a metric that was asked for by name cannot be computed for a model."""
    if facts.lacking is not None and has_kind(metric, model) and (reason := facts.lacking(metric)):
        raise InputError("E_STATE", reason, hint="or give the rows that the state was made of")
    if reason := why_not(metric, model, facts):
        code = "E_PROBRANGE" if facts.outside else "E_PROBSUM"
        raise InputError(
            "E_NOSCORE" if not has_kind(metric, model) or _has_no_interval(metric, model) else code,
            f"{model.place}: {metric.name} {reason}",
            hint=HINTS.get(
                metric.needs, "choose a metric that uses what the model gives: `referee metrics --needs scores`"
            ),
        )


def has_kind(metric: Metric, model: Model) -> bool:
    """Whether a model gives what the metric is made from."""
    if metric.needs == "values":
        return model.values is not None
    if metric.needs == "quantiles":
        return model.quantiles is not None
    if metric.needs == "probabilities":
        return model.scores is not None or model.class_scores is not None
    return model.scores is not None or model.class_scores is not None or model.labels is not None


def _refuse_other_task(metric: Metric, predictions: Predictions) -> None:
    if predictions.scored is not None:
        _refuse_without_truth(metric, predictions.scored)
        return
    if predictions.task in metric.tasks:
        _refuse_without_order(metric, predictions)
        return
    if metric.tasks == SCORES:
        raise UsageError(
            "E_TASK",
            f"{metric.name} is for tables of scores without a truth, but column {predictions.truth_column!r} is a "
            "truth",
            hint="omit --truth and use --task scores if the columns hold scores, not predictions",
        )
    column = f"column {predictions.truth_column!r}"
    if predictions.task == "ranking":
        raise UsageError(
            "E_TASK",
            f"{metric.name} does not rank the items of a query ({predictions.query_column!r})",
            hint="goals for rankings are ndcg, mean_average_precision and mean_reciprocal_rank; for any other goal "
            "use --group instead of --query: the rows of a group belong together",
        )
    if predictions.task == "multilabel":
        raise UsageError(
            "E_TASK",
            f"{metric.name} is not for rows with several labels ({predictions.truth_column!r})",
            hint="goals for several labels are hamming_loss, subset_accuracy and multilabel_f1; for a single label, "
            "name its column with --truth",
        )
    if predictions.task == "regression":
        raise UndefinedError(
            "E_CONTINUOUS",
            f"{metric.name} is for classes, but {column} holds numbers: a regression truth",
            hint="choose a metric for numbers, such as rmse or mae, or use --task binary or --task multiclass",
        )
    raise UsageError(
        "E_TASK",
        f"{metric.name} is for {' or '.join(metric.tasks)}, but {column} has the classes {listed(predictions.classes)}",
        hint="--task says what kind of truth it is; --positive turns several classes into two",
    )


def _refuse_without_order(metric: Metric, predictions: Predictions) -> None:
    if metric.ordinal and not (predictions.order_said or are_numbers(predictions.classes)):
        raise UsageError(
            "E_ORDER",
            f"{metric.name} depends on the order of the classes, and column {predictions.truth_column!r} has "
            f"{listed(predictions.classes)}: which is the lowest?",
            hint="list all of them with --classes, from the lowest to the highest, or write them as numbers",
        )


def _refuse_without_truth(metric: Metric, scored: ScoredRows) -> None:
    if metric.tasks != SCORES:
        raise UsageError(
            "E_TASK",
            f"{metric.name} is computed from predictions and a truth, and a table of scores has neither",
            hint="its goals are mean, median, share_above(x) and win_rate, which use the scores as they are; if the "
            "table holds predictions, omit --task scores",
        )
    if "others" in metric.row_arguments and len(scored.of_models) < 2:
        raise UsageError("E_ONEMODEL", f"{metric.name} compares a model with others, and there is only one model")
    if (scored.kind != "items" or scored.seeds is not None) and metric.name not in ("mean", scored.called):
        several = " with several seeds" if scored.seeds is not None else ""
        raise UsageError(
            "E_GOAL",
            f"{scored.unit}s{several} are compared by their mean, not by their {metric.name}",
            hint="--goal mean; the median and the share above a limit need one score per item",
        )


def rows_to_guess(predictions: Predictions, class_weights: Array | None) -> Predictions:
    """The rows that guessing is judged on: one of each class, seen as often, where nothing else tells rows apart."""
    weight = predictions.weight if predictions.weight_kind == "probability" else None
    columns = (weight, predictions.clusters, predictions.time, predictions.fold, predictions.baseline)
    if class_weights is None or engine_of(predictions).IN_BATCHES or any(column is not None for column in columns):
        return predictions
    present = np.flatnonzero(class_weights)
    return replace(
        predictions,
        truth=present,
        engine="memory",
        row_count=None,
        weight=class_weights[present].astype(float) / predictions.row_weight,
        weight_kind="frequency",
        weight_scale=1.0,
        train_rows=None,
        slices={},
    )


def guess(predictions: Predictions, class_weights: Array | None, label: int | None = None) -> Model:
    """Say the majority class (or the one that is named), each class's share, or the mean, of every row."""
    engine = engine_of(predictions)
    if isinstance(predictions.truth, Lists):
        return Model("guessing", scores=cast("Array", _guessed_lists(predictions, predictions.truth)))
    if class_weights is None:
        levels = sorted({level for model in predictions.models for level in model.quantiles or ()})
        mean, quantiles = engine.mean_and_quantiles(predictions, levels)
        columns = {level: engine.constant(predictions, value) for level, value in quantiles.items()}
        return Model("guessing", values=engine.constant(predictions, mean), quantiles=columns or None)
    shares = (class_weights / class_weights.sum()).tolist()
    return Model(
        "guessing",
        class_scores=tuple(engine.constant(predictions, share) for share in shares),
        labels=engine.constant(predictions, shares.index(max(shares)) if label is None else label),
    )


def _guessed_lists(predictions: Predictions, truth: Lists) -> Lists:
    """The same score for all items of a query, so that every order is as likely; the share of each label."""
    if predictions.task == "ranking":
        return truth.with_values(np.zeros(1))
    shares = np.average(np.stack(truth.columns), axis=1, weights=predictions.weight)
    return truth.with_values(np.tile(shares, len(truth)))


GUESSING = "\0guessing"
