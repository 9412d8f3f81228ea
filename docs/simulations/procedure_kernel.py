"""Leave two groups out in plain NumPy: the fits of fast learners, what rows add to a metric, and the variance.

Written from the formulas alone, it shares no line with the product, and so checks it (tests/comparing) and simulates
many data sets at once (procedure_tests.py).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import t as student

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]

DOMINATED, MOST = 4.0, 2.5
"""Above so many row variances the training sets dominate; else the variance is at most so often the corrected one."""


class Estimate(NamedTuple):
    """The mean of a metric over all fits, its variance and degrees of freedom."""

    value: float
    variance: float
    df: float
    ratio: float
    """Of the variance with training sets to that of the rows alone."""

    @property
    def p(self) -> float:
        if not self.variance:
            return 1.0 if not self.value else 0.0
        return float(2 * student.sf(abs(self.value) / self.variance**0.5, self.df))


def pairs(groups: int) -> list[tuple[int, int]]:
    return list(combinations(range(groups), 2))


def estimate(values: Array, whole: Array, group: Array, strata: Array) -> Estimate:
    """`values` (deal, fit, row): what a tested row has, NaN elsewhere; `whole` (deal, fit): the metric of a fit.

    `group` (deal, row) says who was left out together; `strata` the class of a row where the metric compares classes.
    """
    deals, fits, rows = values.shape
    groups = int(group.max()) + 1
    classes = np.unique(strata)
    jack, fold, rest, row = (np.zeros(deals) for _ in range(4))
    every = []
    for deal in range(deals):
        cell = np.full((groups, groups), np.nan)
        for fit, (u, v) in enumerate(pairs(groups)):
            for tested, beside in ((u, v), (v, u)):
                inside = group[deal] == tested
                means = [values[deal, fit, inside & (strata == one)].mean() for one in classes]
                cell[tested, beside] = sum(means) - (len(classes) - 1) * whole[deal, fit]
        every.append(cell[~np.eye(groups, dtype=bool)].mean())
        beside_means, tested_means = np.nanmean(cell, axis=0), np.nanmean(cell, axis=1)
        jack[deal] = (groups - 1) / groups * ((beside_means - beside_means.mean()) ** 2).sum()
        fold[deal] = ((tested_means - tested_means.mean()) ** 2).sum() / (groups * (groups - 1))
        rest[deal] = _interaction(cell)
        mean = np.nanmean(values[deal], axis=0)
        row[deal] = sum(mean[strata == one].var(ddof=1) / (strata == one).sum() for one in classes)
    of_rows, raw = row.mean(), jack.mean() - fold.mean()
    wide = of_rows + max(0.0, raw - rest.mean())
    corrected = whole.var(ddof=1) * (1 / (deals * fits) + 2 / (groups - 2))
    capped = corrected if wide > DOMINATED * of_rows else min(wide, MOST * corrected)
    fewest = deals * (groups - 1)
    df = float(np.clip(fewest * (wide / raw) ** 2, fewest, rows - 1)) if raw > 0 else rows - 1.0
    return Estimate(float(np.mean(every)), float(max(capped, of_rows)), df, float(wide / of_rows) if of_rows else 1.0)


def _interaction(cell: Array) -> float:
    """The residual variance of the off-diagonal cells after both groups' effects."""
    groups = len(cell)
    tested, beside = np.where(~np.eye(groups, dtype=bool))
    design = np.zeros((len(tested), 2 * groups))
    design[np.arange(len(tested)), tested] = design[np.arange(len(tested)), groups + beside] = 1
    flat = cell[tested, beside]
    left = flat - design @ np.linalg.lstsq(design, flat, rcond=None)[0]
    return float((left**2).sum() / (groups * (groups - 1) - (2 * groups - 1)))


def accuracy(truth: Array, said: Array) -> tuple[float, Array]:
    return _mean((truth == _labels(said)).astype(float))


def brier(truth: Array, said: Array) -> tuple[float, Array]:
    if said.ndim == 1:
        return _mean((said - truth) ** 2)
    return _mean(((said - (truth[:, None] == np.arange(said.shape[1]))) ** 2).sum(axis=1))


def log_loss(truth: Array, said: Array) -> tuple[float, Array]:
    of_truth = np.where(truth == 1, said, 1 - said) if said.ndim == 1 else said[np.arange(len(truth)), truth]
    return _mean(-np.log(np.maximum(of_truth, np.finfo(float).eps)))


def roc_auc(truth: Array, said: Array) -> tuple[float, Array]:
    positive, negative = said[truth == 1], said[truth == 0]
    above = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    placed = np.empty(len(truth))
    placed[truth == 1], placed[truth == 0] = above.mean(axis=1), above.mean(axis=0)
    return float(above.mean()), placed


def f1(truth: Array, said: Array) -> tuple[float, Array]:
    """Of the positive class; of several classes the mean."""
    classes = [1] if said.ndim == 1 else range(said.shape[1])
    each = [_ratio(2.0 * ((truth == c) & (_labels(said) == c)), 1.0 * (truth == c) + (_labels(said) == c))
            for c in classes]  # fmt: skip
    return float(np.mean([whole for whole, _ in each])), np.mean([of_rows for _, of_rows in each], axis=0)


def _ratio(above: Array, below: Array) -> tuple[float, Array]:
    whole = float(above.sum() / below.sum()) if below.any() else 0.0
    return whole, whole + (above - whole * below) / (below.mean() or 1.0)


def rmse(truth: Array, said: Array) -> tuple[float, Array]:
    squares = (said - truth) ** 2
    whole = float(squares.mean() ** 0.5)
    return whole, whole + (squares - whole**2) / (2 * whole)


def mae(truth: Array, said: Array) -> tuple[float, Array]:
    return _mean(np.abs(said - truth))


def _mean(each: Array) -> tuple[float, Array]:
    return float(each.mean()), each


def _labels(said: Array) -> Array:
    return (said >= 0.5).astype(int) if said.ndim == 1 else said.argmax(axis=1)


METRICS: dict[str, Callable[[Array, Array], tuple[float, Array]]] = {
    "accuracy": accuracy, "roc_auc": roc_auc, "brier": brier, "log_loss": log_loss, "f1": f1, "rmse": rmse, "mae": mae,
}  # fmt: skip


def judged(metric: str, truth: Array, said: Array, group: Array) -> tuple[Array, Array]:
    """What `estimate` takes, from predictions (deal, fit, row[, class])."""
    deals, fits, rows = said.shape[:3]
    values, whole = np.full((deals, fits, rows), np.nan), np.empty((deals, fits))
    for deal in range(deals):
        for fit, (u, v) in enumerate(pairs(int(group.max()) + 1)):
            tested = (group[deal] == u) | (group[deal] == v)
            whole[deal, fit], values[deal, fit, tested] = METRICS[metric](truth[tested], said[deal, fit][tested])
    return values, whole


def strata_of(metric: str, truth: Array) -> Array:
    return truth if metric == "roc_auc" else np.zeros(len(truth), int)


def out_of_pairs(learner: Callable[..., Array], table: Array, truth: Array, group: Array) -> Array:
    """What a learner says of the rows of every two groups after learning from the others."""
    said: list[list[Array]] = []
    prepared = learner.prepare(table) if hasattr(learner, "prepare") else table
    for of_deal in group:
        fits = []
        for u, v in pairs(int(group.max()) + 1):
            tested = (of_deal == u) | (of_deal == v)
            some = learner(prepared, truth, np.flatnonzero(~tested), np.flatnonzero(tested))
            full = np.full((len(truth), *some.shape[1:]), np.nan)
            full[tested] = some
            fits.append(full)
        said.append(fits)
    return np.array(said)


class Neighbours:
    """The share of each class, or the mean, among the k nearest training rows."""

    def __init__(self, k: int, classes: int) -> None:
        self.k, self.classes = k, classes

    @staticmethod
    def prepare(table: Array) -> Array:
        apart = ((table[:, None] - table) ** 2).sum(axis=2)
        return np.argsort(apart, axis=1, kind="stable")

    def __call__(self, order: Array, truth: Array, train: Array, test: Array) -> Array:
        learned = np.zeros(len(truth), bool)
        learned[train] = True
        nearest = order[test]
        known = learned[nearest]
        nearest = nearest[known & (np.cumsum(known, axis=1) <= self.k)].reshape(len(test), self.k)
        if self.classes == 0:
            return np.asarray(truth[nearest].mean(axis=1))
        shares = np.stack([(truth[nearest] == c).mean(axis=1) for c in range(self.classes)], axis=1)
        return shares[:, 1] if self.classes == 2 else shares


def discriminant(table: Array, truth: Array, train: Array, test: Array) -> Array:
    """Linear discriminant analysis with the pooled covariance."""
    classes = int(truth.max()) + 1
    x, y = table[train], truth[train]
    means = np.stack([x[y == c].mean(axis=0) for c in range(classes)])
    centred = x - means[y]
    slope = np.linalg.solve(centred.T @ centred / (len(x) - classes), means.T)
    level = np.log(np.bincount(y, minlength=classes) / len(y)) - 0.5 * (means.T * slope).sum(axis=0)
    return _shares(table[test] @ slope + level)


def bayes(table: Array, truth: Array, train: Array, test: Array) -> Array:
    """Gaussian naive Bayes with scikit-learn's smoothing."""
    classes = int(truth.max()) + 1
    x, y = table[train], truth[train]
    more = 1e-9 * x.var(axis=0).max()
    means = np.stack([x[y == c].mean(axis=0) for c in range(classes)])
    spread = np.stack([x[y == c].var(axis=0) + more for c in range(classes)])
    level = np.log(np.bincount(y, minlength=classes) / len(y)) - 0.5 * np.log(spread).sum(axis=1)
    return _shares(level - 0.5 * ((table[test][:, None] - means) ** 2 / spread).sum(axis=2))


def logistic(table: Array, truth: Array, train: Array, test: Array) -> Array:
    """Logistic regression with scikit-learn's penalty of 1, by Newton's method."""
    x = np.column_stack([table[train], np.ones(len(train))])
    penalty = np.append(np.ones(table.shape[1]), 0.0)
    beta = np.zeros(x.shape[1])
    for _ in range(25):
        said = 1 / (1 + np.exp(-x @ beta))
        slope = x.T @ (said - truth[train]) + penalty * beta
        step = np.linalg.solve((x.T * (said * (1 - said))) @ x + np.diag(penalty), slope)
        beta -= step
        if np.abs(step).max() < 1e-10:
            break
    return np.asarray(1 / (1 + np.exp(-(table[test] @ beta[:-1] + beta[-1]))))


def ridge(table: Array, truth: Array, train: Array, test: Array) -> Array:
    """Ridge regression with a penalty of 1."""
    x, y = table[train], truth[train]
    centre = x.mean(axis=0)
    beta = np.linalg.solve((x - centre).T @ (x - centre) + np.eye(x.shape[1]), (x - centre).T @ (y - y.mean()))
    return np.asarray((table[test] - centre) @ beta + y.mean())


def _shares(logits: Array) -> Array:
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares[:, 1] if shares.shape[1] == 2 else np.asarray(shares)
