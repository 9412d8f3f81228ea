"""Facts about one model's columns in a database, in one query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.database_columns import FLOAT, fetch, fetch_row, lookup, number, table_of
from referee.facts import MANY_ROWS, Facts, Outside, narrow_ties, score_columns

if TYPE_CHECKING:
    from referee.arrays import Column
    from referee.predictions import Model, Predictions


def facts(predictions: Predictions, model: Model) -> Facts:
    """Look at the columns of one model."""
    rows = predictions.rows
    if predictions.task == "regression":
        if model.values is None:
            return Facts(rows)
        same = _counted(predictions, {"same": model.values == predictions.truth})
        return Facts(rows, is_truth=same["same"] == rows)
    columns: list[Any] = [column.cast(FLOAT) for column in score_columns(model)]  # type: ignore[attr-defined]
    of_truth = _probability_of_truth(predictions, columns)
    found = _counted(
        predictions,
        {"same": _same_as_truth(predictions, model)}
        | {f"outside{place}": (column < 0) | (column > 1) for place, column in enumerate(columns)}
        | {f"hard{place}": (column == 0) | (column == 1) for place, column in enumerate(columns)}
        | ({} if of_truth is None else {"impossible": of_truth <= 0, "certain": of_truth >= 1})
        | ({} if model.class_scores is None else {"not_summing": _off_one(columns) > 0}),
    )
    outside = _outside(predictions, model, columns, found)
    return Facts(
        rows,
        outside,
        found["same"] == rows,
        all(found[f"hard{place}"] == rows for place in range(len(columns))),
        0 if outside else found.get("impossible", 0),
        0 if outside else found.get("certain", 0),
        _narrow_ties(predictions, model.scores),
        None if outside else _not_summing(predictions, model, columns, found.get("not_summing", 0)),
    )


def _counted(predictions: Predictions, conditions: dict[str, Any]) -> dict[str, int]:
    """How many rows meet each condition."""
    rows = table_of(predictions.truth).select(**conditions)
    found = fetch_row(rows.aggregate(**{name: rows[name].sum() for name in conditions}))
    return {name: int(count or 0) for name, count in found.items()}


def _same_as_truth(predictions: Predictions, model: Model) -> Column:
    import ibis

    truth = predictions.truth
    if predictions.positive is not None and model.scores is not None:
        return model.scores == (truth == predictions.positive).ifelse(1.0, 0.0)
    return model.labels == truth if model.labels is not None and model.class_scores is None else ibis.literal(False)


def _probability_of_truth(predictions: Predictions, columns: list[Any]) -> Column | None:
    truth: Any = predictions.truth
    if len(columns) > 1:
        return truth.cases(*enumerate(columns))
    if not columns or predictions.positive is None:
        return None
    return lookup(truth, {predictions.positive: 1}).notnull().ifelse(columns[0], 1 - columns[0])


def _outside(predictions: Predictions, model: Model, columns: list[Any], found: dict[str, int]) -> Outside | None:
    names = model.columns if len(model.columns) >= len(columns) else (model.name,) * len(columns)
    for place, column in enumerate(columns):
        if rows := found[f"outside{place}"]:
            extremes = fetch_row(table_of(predictions.truth).aggregate(low=column.min(), high=column.max()))
            value = extremes["low"] if extremes["low"] < 0 else extremes["high"]
            return Outside(names[place], None, float(value), rows)
    return None


def _off_one(columns: list[Any]) -> Any:
    """How much further the sum of a row's probabilities is from 1 than rounding to two digits explains."""
    return (sum(columns[1:], columns[0]) - 1).abs() - number(0.005 * len(columns) + 1e-6)


def _not_summing(predictions: Predictions, model: Model, columns: list[Any], rows: int) -> Outside | None:
    if not rows:
        return None
    sums = table_of(predictions.truth).select(total=sum(columns[1:], columns[0]), off=_off_one(columns))
    worst = fetch_row(sums.order_by(sums.off.desc()).limit(1))
    return Outside(model.name, None, float(worst["total"]), rows)


def _narrow_ties(predictions: Predictions, scores: Any) -> int | None:
    if scores is None or not scores.type().is_float32() or predictions.rows > MANY_ROWS:
        return None
    distinct = fetch(table_of(predictions.truth).select(score=scores).distinct())["score"]
    return narrow_ties(np.unique(distinct.astype(np.float32)), predictions.rows)
