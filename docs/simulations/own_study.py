"""Whether `referee study --on` advises another metric than the goal where it should, and only there.

Writes own_study.md beside it: `python own_study.py [data sets a cell] [folder to go on in] [packages]`.
Data sets of a user are drawn from large data sets; what is true of a cell is the mean over all of them. The rule for
few rows was chosen on the draws of one seed; the page says how it does on those of another one.
"""

from __future__ import annotations

import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from referee.advice import USUAL, cost_of, cost_of_a_coin, preferred, values_by_unit
from referee.paper.own_contest import DEALS, different_fits
from referee.paper.own_study import by_repetition
from referee.predictions import Predictions
from referee.scoring import metrics

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.paper import Problem

HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "../shared/data"
FITS = 30
FEWEST_ROWS = 10
"""Of the rarer class in a part: with fewer the study says itself that nothing can be said."""
ADVISABLE = USUAL["binary"]
"""The metrics that the command may advise unless some are named."""
GOALS = (*ADVISABLE, "balanced_accuracy", "mcc", "expected_cost(fn=5)")
CHOOSING, FRESH = 5, 11
"""Seeds: of the data sets that the rule for few rows was chosen on, and of those that it is judged on."""
SCENARIOS = (
    ("letter-a-to-j", "neighbours"), ("letter-a-to-j", "unlike"), ("pen-012", "logistic"), ("adult", "logistic"),
    ("made-3", "neighbours"), ("made-2", "unlike"), ("spam", "logistic"), ("spam", "unlike"),
    ("satellite", "neighbours"), ("ticdata", "logistic"), ("abalone-9", "neighbours"), ("abalone-9", "unlike"),
)  # fmt: skip
SIZES = ((300, 0.5), (600, 0.5), (1000, 0.5), (1000, 0.2), (3000, 0.5))
"""Rows, and the share that is trained on; the rest is halved into holdout and test part."""


class Cell(NamedTuple):
    problem: str
    kind: str
    rows: int
    train: float
    seed: int

    def __str__(self) -> str:
        return f"{self.problem}-{self.kind}-{self.rows}-{self.train:g}-{self.seed}"


def logistic(x: Array, y: Array, penalty: float) -> Array:
    """Weights by six steps of Newton's method; the first is the intercept."""
    x = np.c_[np.ones(len(x)), x]
    weights, penalties = np.zeros(x.shape[1]), np.full(x.shape[1], penalty)
    penalties[0] = 1e-6
    for _ in range(6):
        p = squashed(x @ weights)
        curvature = (x * (p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(penalties)
        weights = weights + np.linalg.solve(curvature, x.T @ (y - p) - penalties * weights)
    return weights


def squashed(z: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(z, -30, 30))))


def naive_bayes(x: Array, y: Array, new: Array) -> Array:
    total = np.zeros(len(new))
    for label, sign in ((1, 1), (0, -1)):
        rows = x[y == label]
        mean, variance = rows.mean(axis=0), rows.var(axis=0) + 1e-3
        likelihood = -0.5 * (np.log(variance) + (new - mean) ** 2 / variance).sum(axis=1)
        total += sign * (np.log((y == label).mean()) + likelihood)
    return squashed(total)


def said(kind: str, x: Array, y: Array, new: Array) -> Array:
    """What all candidates of a kind say of new rows: (row, model)."""

    def by_logistic(penalty: float) -> Array:
        return squashed(np.c_[np.ones(len(new)), new] @ logistic(x, y, penalty))

    if kind == "logistic":
        return np.stack([by_logistic(penalty) for penalty in (0.1, 3, 30, 200, 1000)], axis=1)
    distances = (new**2).sum(axis=1)[:, None] + (x**2).sum(axis=1) - 2 * new @ x.T
    most = min(50, len(x) - 1)
    near = np.argpartition(distances, most, axis=1)[:, :most]
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(distances, near, axis=1), axis=1), axis=1)

    def by_neighbours(k: int) -> Array:
        k = min(k, most)
        return np.asarray((y[near[:, :k]].sum(axis=1) + 0.5) / (k + 1))

    if kind == "neighbours":
        return np.stack([by_neighbours(k) for k in (3, 6, 12, 25, 50)], axis=1)
    return np.stack([by_neighbours(1), by_neighbours(15), by_logistic(1), naive_bayes(x, y, new)], axis=1)


def savings_of(cell: Cell, problem: Problem, data_sets: int) -> dict[str, Array]:
    """What choosing by each advisable metric saves over choosing by the goal, and what a coin costs.

    (data set, fit, by, goal), nan where undefined; and the fits in which the two choose differently.
    """
    random = np.random.default_rng([cell.seed, *str(cell).encode()])
    columns, truth = standardised(problem)
    shape = data_sets, FITS, len(ADVISABLE), len(GOALS)
    saved, coins = np.full((2, *shape), np.nan, np.float32)
    apart = np.zeros((data_sets, *shape[2:]), int)
    for number in range(data_sets):
        rows = random.choice(len(truth), cell.rows, replace=False)
        seen, worth = parts_of(cell, columns[rows], truth[rows], random)
        chosen = [preferred(seen[..., by]) for by in range(len(GOALS))]
        for by, goal in product(range(len(ADVISABLE)), range(len(GOALS))):
            coin = cost_of_a_coin(worth[..., goal]) + 0 * (chosen[by] + chosen[goal]).sum(axis=-1)
            cost = [cost_of(chosen[way], worth[..., goal]) for way in (goal, by)]
            own, other, chance = by_repetition(np.stack([*cost, coin]))
            saved[number, : len(own), by, goal], coins[number, : len(own), by, goal] = own - other, chance
            apart[number, by, goal] = different_fits(chosen[by], chosen[goal])
    return {"saved": saved, "coins": coins, "apart": apart}


def parts_of(cell: Cell, x: Array, y: Array, random: np.random.Generator) -> Array:
    """The values on the holdout and the test part of every deal of every fit: (part, fit, deal, model, goal)."""
    values = np.empty((2, FITS, DEALS, 4 if cell.kind == "unlike" else 5, len(GOALS)))
    for fit in range(FITS):
        order = random.permutation(cell.rows)
        cut = round(cell.train * cell.rows)
        scores = said(cell.kind, x[order[:cut]], y[order[:cut]], x[order[cut:]])
        masks = np.stack([halves(random, y[order[cut:]]) for _ in range(DEALS)])
        values[:, fit] = values_of_parts(scores, y[order[cut:]], np.stack([masks, ~masks]))
    must_be_the_catalogues(scores, y[order[cut:]], masks[-1], values[0, -1, -1])
    return values


def standardised(problem: Problem) -> tuple[Array, Array]:
    """The numeric columns, with mean 0 and standard deviation 1 where nothing is missing, and the classes."""
    data = problem.data
    columns = data.X[:, [place for place, one in enumerate(data.features) if not one.categories]]
    columns = np.nan_to_num((columns - np.nanmean(columns, axis=0)) / (np.nanstd(columns, axis=0) + 1e-9))
    return columns, (data.target == data.positive).astype(float)


def halves(random: np.random.Generator, y: Array) -> Array:
    """Which rows are in the first half: of each class an equal share."""
    first = np.zeros(len(y), bool)
    for label in (0, 1):
        rows = random.permutation(np.flatnonzero(y == label))
        first[rows[: len(rows) // 2]] = True
    return first


def values_of_parts(scores: Array, y: Array, parts: Array) -> Array:
    """Of each model by each goal, more is better, on many parts of the rows at once: (..., model, goal)."""
    y, decided = y[:, None], scores >= 0.5
    rows = parts.sum(axis=-1)[..., None]
    own = np.where(y > 0, scores, 1 - scores)
    terms = [
        decided == y,
        y * decided,
        decided,
        *(np.log(np.maximum(own, metrics[name].defaults["clip"])) for name in ("log_loss", "paper_average")),
        (scores - y) ** 2,
    ]
    right, hits, called, surprise, clipped, squares = ((parts @ term.astype(float)) / rows for term in terms)
    share = (parts @ y) / rows
    f1, rms = 2 * hits / (called + share), np.sqrt(squares)
    auc = np.stack([ranked(scores[:, model], y[:, 0], parts) for model in range(scores.shape[1])], axis=-1)
    average = (right + auc + f1 + 2 - rms + clipped) / 5
    alarms, misses = called - hits, share - hits
    balanced = (hits / share + 1 - alarms / (1 - share)) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        mcc = (hits - called * share) / np.sqrt(called * (1 - called) * share * (1 - share))
    return np.stack([right, auc, f1, -rms, surprise, average, balanced, mcc, -5 * misses - alarms], axis=-1)


def must_be_the_catalogues(scores: Array, y: Array, part: Array, found: Array) -> None:
    """What the command itself computes of these rows."""
    said_of = {str(model): scores[part, model] for model in range(scores.shape[1])}
    predictions = Predictions.from_arrays(y[part].astype(int), said_of)
    (known,) = values_by_unit(predictions, [metrics[name] for name in GOALS], np.zeros(part.sum(), np.int64), 1)
    assert np.allclose(known, found, atol=1e-9, equal_nan=True)


def ranked(score: Array, y: Array, parts: Array) -> Array:
    """AUC on each part: the share of pairs of both classes that are in order, ties half, by counting from below."""
    order = np.argsort(score, kind="stable")
    last = np.searchsorted(score[order], score[order], side="right") - 1
    first = np.searchsorted(score[order], score[order], side="left")
    negative = parts[..., order] * (1 - y[order])
    below = np.concatenate([np.zeros((*negative.shape[:-1], 1)), np.cumsum(negative, axis=-1)], axis=-1)
    positive = parts[..., order] * y[order]
    pairs = (positive * (below[..., first] + below[..., last + 1]) / 2).sum(axis=-1)
    return np.asarray(pairs / (positive.sum(axis=-1) * negative.sum(axis=-1)))


def rarer_rows(problem: Problem, rows: float) -> float:
    """How many rows of the rarer class so many rows have, on average."""
    share = float((problem.data.target == problem.data.positive).mean())
    return rows * min(share, 1 - share)


def main() -> None:
    data_sets = int(sys.argv[1]) if sys.argv[1:] else 24
    folder = Path(sys.argv[2]) if sys.argv[2:] else Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    sys.path[:0] = [str(HERE.parent / "study"), str(HERE)]
    from own_study_report import report
    from problems import problems

    every, _ = problems(SHARED, Path(sys.argv[3]) if sys.argv[3:] else None)
    results: dict[Cell, dict[str, Array]] = {}
    for seed, sizes in ((CHOOSING, SIZES[:1]), (FRESH, SIZES)):
        for rows, train in sizes:
            for name, kind in SCENARIOS:
                if every[name].data.rows < 3 * rows or rarer_rows(every[name], rows * (1 - train) / 2) < FEWEST_ROWS:
                    continue
                cell = Cell(name, kind, rows, train, seed)
                kept = folder / f"{cell}-{data_sets}.npz"
                if not kept.exists():
                    with threadpool_limits(1):
                        np.savez(kept, **savings_of(cell, every[name], data_sets))
                with np.load(kept) as held:
                    results[cell] = dict(held)
    (HERE / "own_study.md").write_text(report(results, data_sets))


if __name__ == "__main__":
    main()
