"""Facts about columns: what a careful reader would want to know of them, and what was read as what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.arrays import Array
    from referee.predictions.model import Model
    from referee.predictions.predictions import Predictions
    from referee.scoring import Metric

MANY_ROWS = 1_000_000
"""Beyond, ties of 32-bit scores are not looked at."""


@dataclass(frozen=True)
class Outside:
    """Scores that are no probabilities: the first of them, and how many there are."""

    column: str
    row: int | None
    """None where the source has no order: then the value is the most extreme one."""
    value: float
    rows: int


@dataclass(frozen=True)
class Facts:
    rows: int
    outside: Outside | None = None
    is_truth: bool = False
    """The predictions are the truth itself."""
    decisions_only: bool = False
    """No scores, or none but 0 and 1."""
    impossible: int = 0
    """Rows whose true class was given probability 0."""
    certain: int = 0
    """Rows whose true class was given probability 1."""
    narrow_ties: int | None = None
    """Distinct scores of few bits, where rounding to these may have made ties."""
    narrow_type: str = "float32"
    """How many bits: float16 or float32."""
    not_summing: Outside | None = None
    """Rows whose class probabilities do not add up to 1: the first, and its sum."""
    lacking: Callable[[Metric], str | None] | None = None
    """Why summaries that were made earlier do not give a metric."""

    def merge(self, later: Facts) -> Facts:
        return Facts(
            self.rows + later.rows,
            _joined(self.rows, self.outside, later.outside),
            self.is_truth and later.is_truth,
            self.decisions_only and later.decisions_only,
            self.impossible + later.impossible,
            self.certain + later.certain,
            not_summing=_joined(self.rows, self.not_summing, later.not_summing),
        )


def facts_of_arrays(predictions: Predictions, model: Model, *, ties: bool = True) -> Facts:
    """Look at the columns of one model in memory; ties can be told only where these are all rows."""
    if not predictions.classes:
        has_truth = predictions.task == "regression" and model.values is not None
        same = has_truth and np.array_equal(np.asarray(model.values), predictions.truth)
        return Facts(predictions.rows, is_truth=bool(same))
    columns = score_columns(model)
    beyond = outside(model)
    narrow = _narrow_type(model.scores) if ties else None
    of_truth = None if beyond else _probability_of_truth(predictions, model)
    return Facts(
        predictions.rows,
        beyond,
        _is_truth(predictions, model),
        all(_zero_or_one(column) for column in columns),
        0 if of_truth is None else int(np.count_nonzero(of_truth <= 0)),
        0 if of_truth is None else int(np.count_nonzero(of_truth >= 1)),
        None
        if narrow is None or model.scores is None
        else narrow_ties(_as_stored(model.scores, narrow), len(columns[0])),
        narrow or "float32",
        not_summing=None if beyond else _not_summing(model),
    )


def score_columns(model: Model) -> list[Array]:
    return [model.scores] if model.scores is not None else list(model.class_scores or ())


def _joined(rows: int, first: Outside | None, later: Outside | None) -> Outside | None:
    if first is None and later is not None:
        return replace(later, row=rows + (later.row or 0))
    return first and replace(first, rows=first.rows + (later.rows if later else 0))


def _not_summing(model: Model) -> Outside | None:
    """Class probabilities are written with few digits, so their sum may be off by half of the second one each."""
    if model.class_scores is None:
        return None
    total = sum(np.asarray(column, float) for column in model.class_scores)
    off = np.abs(total - 1) > 0.005 * len(model.class_scores) + 1e-6
    if not off.any():
        return None
    row = int(np.argmax(off))
    return Outside(model.name, model.row_in_source(row), float(np.asarray(total)[row]), int(off.sum()))


def outside(model: Model) -> Outside | None:
    """The first score that is no probability."""
    columns = score_columns(model)
    names = model.columns if len(model.columns) >= len(columns) else (model.name,) * len(columns)
    for name, column in zip(names, columns, strict=False):
        if len(column) and not (column.min() >= 0 and column.max() <= 1):
            beyond = (column < 0) | (column > 1)
            row = int(np.argmax(beyond))
            return Outside(name, model.row_in_source(row), float(column[row]), int(beyond.sum()))
    return None


def _is_truth(predictions: Predictions, model: Model) -> bool:
    truth = predictions.truth
    if predictions.positive is not None and model.scores is not None:
        first = slice(0, 1000)  # nearly always enough to tell
        positive = truth[first] == predictions.positive
        return np.array_equal(model.scores[first], positive) and np.array_equal(
            model.scores, truth == predictions.positive
        )
    return model.labels is not None and model.class_scores is None and np.array_equal(model.labels, truth)


def _zero_or_one(column: Array) -> bool:
    first = column[:1000]
    return bool(np.all((first == 0) | (first == 1)) and np.all((column == 0) | (column == 1)))


def _probability_of_truth(predictions: Predictions, model: Model) -> Array | None:
    """What each row's true class was given; None if the model gives no probabilities."""
    truth = predictions.truth
    if model.class_scores is not None:
        return np.select([truth == code for code in range(len(model.class_scores))], model.class_scores)
    if model.scores is None or predictions.positive is None:
        return None
    if model.scores.min(initial=1) > 0 and model.scores.max(initial=0) < 1:
        return None
    return np.where(truth == predictions.positive, model.scores, 1 - model.scores)


def _narrow_type(scores: Array | None) -> str | None:
    """The type of few bits that scores are stored in, or that holds each of them without loss."""
    if scores is None or len(scores) > MANY_ROWS:
        return None
    if _are_halves(scores):
        return "float16"
    return "float32" if scores.dtype == np.float32 else None


def _are_halves(scores: Array) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.all(scores.astype(np.float16) == scores)) and bool(np.any(scores != np.floor(scores)))


def _as_stored(scores: Array, kind: str) -> Array:
    return np.unique(scores).astype(kind)


def narrow_ties(distinct: Array, rows: int) -> int | None:
    near = np.diff(distinct) <= 2 * np.spacing(np.abs(distinct[:-1]))
    return len(distinct) if len(distinct) < rows and near.any() else None
