"""Out-of-fold files by the question of their verdict: which of these fitted models is better on the population?

Equal procedures give fitted models that differ, by an amount that new rows tell. The interval of the verdict should
hold that very amount in 95% of the files: then between fitted models that are equal a winner is named in 5%.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import referee
from benchmarks.validity.cell import CLAIM, FITTED, HOLDS, Cell, Look
from benchmarks.validity.learners import LEARNERS, Sample, repeated_folds
from referee.errors import UndefinedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.validity.decided import Judge
    from referee.arrays import Array

ROWS, FOLDS = 200, 10
NEW = 4000
"""Rows that stand for the population, twenty times those of a file: their own chance adds 5% to the variance."""


def look(learner: str, metric: str, generator: np.random.Generator, _: int, judge: Judge) -> Look:
    sample = Sample.drawn(generator, ROWS + NEW)
    folds = repeated_folds(sample.truth[:ROWS], FOLDS, 1, generator)
    tested = np.concatenate([folds, np.full((FOLDS, NEW), True)], axis=1)
    scores = {
        name: LEARNERS[learner](half, sample.truth, tested) for name, half in zip("ab", sample.halves, strict=True)
    }
    fold, row = np.nonzero(folds)
    of_file = {name: each[fold, row] for name, each in scores.items()}
    try:
        verdict = judge(sample.truth[row], of_file, goal=metric, fold=fold, positive=1, classes=[0, 1])
    except UndefinedError:
        return {}
    pair = verdict.comparisons[0]
    if pair.low is None or pair.high is None:
        return {}
    a, b = (_on_new_rows(metric, sample.truth[ROWS:], scores[name][:, ROWS:]) for name in (pair.a, pair.b))
    better = pair.a if (a > b) == (referee.metrics[metric].better == "higher") else pair.b
    return {"influence": {HOLDS: pair.low <= a - b <= pair.high, CLAIM: pair.winner not in (None, better)}}


def _on_new_rows(metric: str, truth: Array, scores: Array) -> float:
    """What the value of the file estimates: every row may be met by the model of any fold."""
    return float(referee.metrics[metric](np.tile(truth, FOLDS), scores.reshape(-1), positive=1))


def cells() -> Iterator[Cell]:
    for learner in ("naive Bayes", "decision tree", "decision stump", "3 nearest neighbours"):
        for metric in ("accuracy", "roc_auc", "brier"):
            look_at = partial(look, learner, metric)
            yield Cell(FITTED, f"{learner}, {ROWS} rows", "these fitted models", metric, look_at, 500, False)
