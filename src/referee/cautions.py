"""What a careful reader would point out about these scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import Notice
from referee.metric import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.predictions import Model, Predictions
    from referee.scores import Score, Scores

RARE = 0.1
"""A class with a smaller share makes accuracy misleading."""


def cautions(scores: Scores) -> list[Notice]:
    """All cautions, each once, in the order of the models."""
    predictions = scores.predictions
    found = list(_about_truth(scores))
    for model in predictions.models:
        found += _about_model(scores, model)
    return list(dict.fromkeys(found))


def _about_truth(scores: Scores) -> Iterator[Notice]:
    predictions = scores.predictions
    if predictions.task == "regression":
        return
    shares = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    shares = shares / shares.sum()
    present = np.flatnonzero(shares)
    if len(present) == 1:
        yield Notice(
            "W_ONECLASS",
            f"column {predictions.truth_column!r} holds only one class, {predictions.classes[present[0]]!r}: "
            "metrics that compare classes are undefined",
        )
    elif shares[present].min() < RARE and any(metric.name in ("accuracy", "error_rate") for metric in scores.metrics):
        rare = present[np.argmin(shares[present])]
        yield Notice(
            "W_IMBALANCE",
            f"class {predictions.classes[rare]!r} is rare ({shares[rare]:.2%} of the rows): always saying "
            f"{predictions.classes[int(np.argmax(shares))]!r} has accuracy {shares.max():.4g}; "
            "read balanced_accuracy, f_beta, average_precision or log_loss beside it",
        )


def _about_model(scores: Scores, model: Model) -> Iterator[Notice]:
    yield from _leak(scores.predictions, model)
    yield from _precision(model)
    yield from _hard_labels(scores, model)
    yield from _clipped(scores, model)
    for row in scores:
        if row.model == model.name and row.overall:
            yield from _about_score(row, model)


def _about_score(row: Score, model: Model) -> Iterator[Notice]:
    metric = metrics[row.metric]
    if row.undefined and row.undefined == metric.undefined_when and "average" not in metric.settings:
        yield Notice("W_ZERODIV", f"{model.place}: {row.metric} is undefined: {row.undefined}")
    if metric.name == "roc_auc" and row.value is not None and row.value < 0.5:
        yield Notice(
            "W_REVERSED",
            f"{model.place}: AUC {row.value:.4g} is below 0.5, worse than guessing: are the scores reversed, "
            "or is the positive class another one? Nothing was flipped",
        )


def _leak(predictions: Predictions, model: Model) -> Iterator[Notice]:
    """A prediction that is the truth itself."""
    if predictions.task == "regression":
        same = model.values is not None and np.array_equal(model.values, predictions.truth)
    elif predictions.positive is not None and model.scores is not None:
        same = np.array_equal(model.scores, predictions.truth == predictions.positive)
    else:
        same = model.labels is not None and np.array_equal(model.labels, predictions.truth)
    if same and len(np.unique(predictions.truth)) > 1:
        yield Notice(
            "W_LEAK",
            f"{model.place} is identical to the truth column {predictions.truth_column!r}: is it a prediction?",
        )


def _precision(model: Model) -> Iterator[Notice]:
    """Ties that storing in 32 bits may have made: tied values whose neighbours are the next numbers there are."""
    scores = model.scores
    if scores is None or scores.dtype != np.float32:
        return
    distinct = np.unique(scores)
    close = np.diff(distinct) <= 2 * np.spacing(np.abs(distinct[:-1]))
    if len(distinct) < len(scores) and close.any():
        yield Notice(
            "W_PRECISION",
            f"{model.place} is stored as float32 and has ties between scores that 64 bits may tell apart "
            f"({len(distinct):,} distinct values in {len(scores):,} rows)",
        )


def _hard_labels(scores: Scores, model: Model) -> Iterator[Notice]:
    """Decisions where a ranking metric wants scores."""
    if scores.predictions.task == "regression" or not any(metric.ranks_only for metric in scores.metrics):
        return
    given = [model.scores] if model.scores is not None else list(model.class_scores or ())
    if not given or all(_two_valued(column) for column in given):
        yield Notice(
            "W_HARDLABELS",
            f"{model.place} gives decisions, not scores: AUC and the other ranking metrics see one threshold only",
        )


def _two_valued(column: Array) -> bool:
    return bool(np.all((column == 0) | (column == 1)))


def _clipped(scores: Scores, model: Model) -> Iterator[Notice]:
    """Probabilities of exactly 0 or 1, which log loss cannot take as they are where they are wrong."""
    asked = [metric for metric in scores.metrics if "clip" in metric.defaults]
    of_truth = _probability_of_truth(scores.predictions, model) if asked else None
    if of_truth is None:
        return
    wrong, certain = np.count_nonzero(of_truth <= 0), np.count_nonzero(of_truth == 1)
    if wrong:
        clip = (asked[0].defaults | dict(asked[0].settings))["clip"]
        yield Notice(
            "W_CLIPPED",
            f"{model.place}: {wrong:,} rows give probability 0 to the class that came true; {asked[0].name} "
            + (f"takes {clip:.3g} instead (clip=0 gives the exact infinity)" if clip else "is infinite"),
        )
    elif certain:
        yield Notice(
            "W_CERTAIN", f"{model.place}: {certain:,} rows have probability 0 or 1; few models can be that sure"
        )


def _probability_of_truth(predictions: Predictions, model: Model) -> Array | None:
    """What each row's true class was given; None if the model gives no probabilities."""
    truth = predictions.truth
    if model.class_scores is not None:
        columns = model.class_scores
        of_truth = np.select([truth == code for code in range(len(columns))], columns)
    elif model.scores is not None and predictions.positive is not None:
        of_truth = np.where(truth == predictions.positive, model.scores, 1 - model.scores)
    else:
        return None
    return of_truth if ((of_truth >= 0) & (of_truth <= 1)).all() else None
