"""Whether the models of different folds score on different scales: then rows of all folds have no common order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import one_line
from referee.engines import engine_of
from referee.errors import Notice, UndefinedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import RankSums
    from referee.predictions import Model, Predictions, Units

BY_CHANCE, HARMFUL = 0.001, 0.05
"""Folds differ where chance would seldom do that, and they explain so much of the variance of ranks within a class: a
smaller share lowers the AUC of normal scores from 0.8 by at most 0.006."""
APART = "the folds score on different scales, so that their rows cannot be ranked together"
REASON = f"{APART}: the mean over folds counts"
HINT = (
    "`referee evaluate --fold` scores each fold by itself; where the rows differ from fold to fold and not the scales, "
    "leave --fold out"
)
FOLDS, KNOWN = "_folds_of_repeats", "_why_not_pooled"
"""What predictions keep: their folds, and the answer for each model."""


def folds_of(predictions: Predictions) -> Units | None:
    """The folds of every repeat, which are looked for once."""
    if FOLDS not in vars(predictions):
        several = [units for units in (predictions.repeat, predictions.fold) if units is not None]
        vars(predictions)[FOLDS] = engine_of(predictions).crossed(several)
    units: Units | None = vars(predictions)[FOLDS]
    return units


def why_not_pooled(predictions: Predictions, model: Model, by_fold: Any = None) -> str | None:
    """Why metrics of ranks have no value on the rows of all folds; None if they have one.

    `by_fold` are the model's summaries, where somebody has them.
    """
    if predictions.fold is None or not predictions.classes:
        return None
    known: dict[Model, str | None] = vars(predictions).setdefault(KNOWN, {})
    if model not in known:
        engine = engine_of(predictions)
        summary = engine.summarise(predictions, model, folds_of(predictions)) if by_fold is None else by_fold
        differ = any(_differ(predictions, of_classes) for of_classes in engine.rank_sums(summary))
        known[model] = REASON if differ else None
    return known[model]


def with_one_scale(predictions: Predictions) -> Predictions:
    """Without the models whose rows of all folds have no common order; E_POOLED if no other is left."""
    apart = [model.name for model in predictions.models if why_not_pooled(predictions, model)]
    if not apart:
        return predictions
    others = tuple(model for model in predictions.models if model.name not in apart)
    if not others:
        refuse_scales(predictions, predictions.models[0])
    notices = (Notice("W_POOLED", f"{one_line(name)} is left out: {APART}; {HINT}") for name in apart)
    return replace(predictions, models=others, notices=(*predictions.notices, *notices))


def refuse_scales(predictions: Predictions, model: Model) -> None:
    """Stop where the rows of all folds would be taken for rows of one model."""
    if why_not_pooled(predictions, model):
        raise UndefinedError("E_POOLED", f"{model.place}: {APART}", hint=HINT)


def _differ(predictions: Predictions, of_classes: Sequence[RankSums]) -> bool:
    """By the rank test of Kruskal and Wallis within each class, added up."""
    from scipy.stats import chi2

    tested = [(sums, _rows(predictions, sums)) for sums in of_classes if sums.seen.any() and sums.within > 0]
    between, within = (
        sum(rows.sum() * getattr(sums, variance) for sums, rows in tested) for variance in ("between", "within")
    )
    df = sum(len(rows) - 1 for _, rows in tested)
    statistic = sum(_kruskal_wallis(sums, rows) for sums, rows in tested)
    return bool(tested and between > HARMFUL * within and chi2.sf(statistic, df) < BY_CHANCE)


def _rows(predictions: Predictions, sums: RankSums) -> Array:
    """Of each fold that has some; where they stand for more or less, as many as Kish counts."""
    weight = sums.weight[sums.seen]
    if predictions.weight is None or predictions.weight_kind == "frequency":
        return np.asarray(weight / predictions.weight_scale)
    with np.errstate(all="ignore"):  # squares of next to nothing: no fold is told from another
        return np.asarray(weight**2 / sums.squares[sums.seen])


def _kruskal_wallis(sums: RankSums, rows: Array) -> float:
    off = sums.means - np.average(sums.means, weights=rows)
    return float((1 - 1 / rows.sum()) * (rows * off**2).sum() / sums.within)
