"""Whether the models of different folds score on different scales: then rows of all folds have no common order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.predictions import score_columns

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Model, Predictions

BY_CHANCE, HARMFUL = 0.001, 0.05
"""Folds differ where chance would seldom do that, and they explain so much of the variance of ranks within a class: a
smaller share lowers the AUC of normal scores from 0.8 by at most 0.006."""
REASON = "the folds score on different scales, so that their rows cannot be ranked together: the mean over folds counts"


def why_not_pooled(predictions: Predictions, model: Model) -> str | None:
    """Why metrics of ranks have no value on the rows of all folds; None if they have one."""
    if predictions.fold is None or not predictions.classes or not predictions.has_rows:
        return None
    truth, folds = np.asarray(predictions.truth), predictions.fold.codes
    repeats = [slice(None)] if predictions.repeat is None else _rows_of_each(predictions.repeat.codes)
    columns = [np.asarray(column) for column in score_columns(model)]
    differ = any(_differ(column[rows], truth[rows], folds[rows]) for column in columns for rows in repeats)
    return REASON if differ else None


def _rows_of_each(repeats: Array) -> list[Array]:
    """A repeat is looked at by itself, as the same rows come again in the next."""
    return [np.flatnonzero(repeats == code) for code in np.unique(repeats)]


def _differ(scores: Array, truth: Array, folds: Array) -> bool:
    """By the rank test of Kruskal and Wallis within each class, added up."""
    from scipy.stats import chi2

    parts = [_explained(scores[rows], folds[rows]) for rows in (truth == code for code in np.unique(truth))]
    between, whole, statistic, df = (sum(column) for column in zip(*parts, strict=True))
    return bool(whole and df and between > HARMFUL * whole and chi2.sf(statistic, df) < BY_CHANCE)


def _explained(scores: Array, folds: Array) -> tuple[float, float, float, int]:
    """Variance of the ranks between folds and in all, with the statistic and its degrees of freedom."""
    from scipy.stats import rankdata

    ranks = rankdata(scores) - (len(scores) + 1) / 2
    sizes = np.bincount(folds)
    seen = sizes > 0
    whole = float((ranks**2).sum())
    between = float((np.bincount(folds, ranks)[seen] ** 2 / sizes[seen]).sum())
    return between, whole, (len(scores) - 1) * between / whole if whole else 0.0, int(seen.sum()) - 1 if whole else 0
