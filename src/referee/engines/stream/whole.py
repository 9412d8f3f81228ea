"""Where few numbers stand for all rows, or where all rows must be in memory at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.memory.summary import Summary
from referee.engines.ranked_scores import Ranking
from referee.engines.stream.passes import cells_by, has_folds, model_in, survey_of, units_in
from referee.predictions import Units

if TYPE_CHECKING:
    from collections.abc import Callable

    from referee.engines.stream.passes import Cells
    from referee.engines.summaries import Counts
    from referee.predictions import Layout, Model, Predictions

COPIES = 4
"""Columns of all rows, their order, and the steps made of them."""


def decisions_ranked(counts: Counts, positive: int) -> Ranking:
    """Decisions as scores: those for the class above all others."""
    against_rest = counts.against_rest(positive)
    positives = np.stack([against_rest.tp, against_rest.fn], axis=1)
    negatives = np.stack([against_rest.fp, against_rest.tn], axis=1)
    filled = positives + negatives > 0
    scores = np.broadcast_to([1.0, 0.0], filled.shape)
    starts = np.concatenate([[0], np.cumsum(filled.sum(axis=1))])
    return Ranking(scores[filled], positives[filled], negatives[filled], starts)


def in_memory(layout: Layout, model: Model, by: Units | None, claim: Callable[[int], None]) -> Summary:
    """All rows of one model at once, if they fit."""
    columns = len(model.given_columns()) + 4
    claim(COPIES * 8 * columns * layout.rows)
    pieces = list(layout.pieces([model.name] if _has_columns(model) else []))
    joined: dict[str, Any] = {
        name: _joined([getattr(piece, name) for piece in pieces])
        for name in ("truth", "weight", "baseline", "fold", "repeat")
    }
    whole = replace(
        pieces[0], models=(_joined_model([model_in(piece, model) for piece in pieces]),), slices={}, **joined
    )
    return Summary(whole, whole.models[0], _joined([units_in(piece, by) for piece in pieces]))


def _has_columns(model: Model) -> bool:
    return any(column.constant is None for column in model.given_columns())  # type: ignore[attr-defined]


def _joined(parts: list[Any]) -> Any:
    """Columns or units of all pieces as one; None where there are none."""
    if isinstance(parts[0], Units):
        return Units(np.concatenate([units.codes for units in parts]), parts[0].names)
    return None if parts[0] is None else np.concatenate(parts)


def _joined_model(parts: list[Model]) -> Model:
    first = parts[0]
    alone = {kind: _joined([getattr(part, kind) for part in parts]) for kind in ("scores", "labels", "values")}
    classes = None if first.class_scores is None else tuple(
        np.concatenate(columns) for columns in zip(*(part.class_scores or () for part in parts), strict=True)
    )  # fmt: skip
    levels = first.quantiles and {
        q: np.concatenate([(part.quantiles or {})[q] for part in parts]) for q in first.quantiles
    }
    return replace(first, **alone, class_scores=classes, quantiles=levels)


class Condensed(Summary):
    """A model that says the same of all rows: one row for each group and class stands for all of them."""

    def __init__(self, layout: Layout, predictions: Predictions, model: Model) -> None:
        known = survey_of(layout).cells if not has_folds(predictions) else None
        small = _one_row_per_cell(layout, predictions, known or cells_by(layout, None, folds=True))
        super().__init__(small, _constant_model(model, small.rows), None)


def _one_row_per_cell(layout: Layout, predictions: Predictions, cells: Cells) -> Predictions:
    groups, classes = cells.weight.shape
    group, truth = (place.reshape(-1) for place in np.indices((groups, classes)))
    fold, repeat = (layout.template.fold, layout.template.repeat) if has_folds(predictions) else (None, None)
    folds = len(fold) if fold else 1
    return replace(
        predictions,
        truth=truth,
        models=(),
        weight=cells.weight.reshape(-1).astype(float),
        weight_kind="frequency",
        fold=Units(group % folds, fold.names) if fold else None,
        repeat=Units(group // folds, repeat.names) if repeat else None,
        group=None,
        slices={},
        engine="memory",
        row_count=None,
    )


def _constant_model(model: Model, rows: int) -> Model:
    def column(streamed: Any) -> Any:
        return None if streamed is None else np.broadcast_to(np.asarray(streamed.constant), rows)

    classes = model.class_scores and tuple(column(each) for each in model.class_scores)
    return replace(model, scores=column(model.scores), labels=column(model.labels), class_scores=classes)
