"""Populations: what many models say of all rows that they were not fitted on, from which holdout sets are drawn."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import pooled_noise
from referee.errors import UndefinedError, UsageError
from referee.fitting import DataSet, Limits, Resampling, schemes
from referee.paper.candidates import CANDIDATES, LONGEST_K, SETS
from referee.paper.drawn_values import drawn_values, values_and_changes
from referee.records import dataclass
from referee.scoring import metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.arrays import Array
    from referee.paper.candidates import CandidateSet

MOST_TRAINED, MOST_ROWS = 1_500, 10_000
"""Rows of a training set, and of a population."""
SMALL = 3_000
"""Of fewer rows, more are trained on."""
SHARES = {True: 0.3, False: 0.15}
MADE = ((20, 6, 0.5, 0.05, 0.7), (30, 10, 0.85, 0.02, 0.8), (10, 4, 0.7, 0.15, 1.0))
"""Columns, those that tell something, share of the larger class, labels turned round, and how far classes are apart."""
LOOKED_AT = 4_000
"""Rows that the noise of a single row is taken from."""


@dataclass(frozen=True)
class Problem:
    """A data set with two classes, and where it comes from: related problems have one source."""

    data: DataSet
    source: str


@dataclass(frozen=True, eq=False)
class Population:
    """The rows of one split of one problem that no model was fitted on."""

    problem: str
    source: str
    split: int
    scores: Array
    """Each model's probability of the positive class: (row, model), in the order of `CANDIDATES`."""
    truth: Array

    @property
    def rows(self) -> int:
        return len(self.truth)

    @property
    def prevalence(self) -> float:
        """The share of the positive class."""
        return float(self.truth.mean())

    @cached_property
    def true_values(self) -> Array:
        """Of all models by all metrics, more is better."""
        return drawn_values(self.scores, self.truth)

    def true_covariances(self) -> Iterator[tuple[CandidateSet, Array]]:
        """Of true differences between the candidates of every set, in units of the standard deviation of a row."""
        _, changes = values_and_changes(self.scores[:LOOKED_AT], self.truth[:LOOKED_AT])
        for chosen in SETS:
            variances = np.diag(pooled_noise(changes[:, chosen.places()])) * len(changes)
            scale = np.maximum(np.sqrt(variances), 1e-6)
            yield chosen, np.cov(self.true_values[chosen.places()].T) / np.outer(scale, scale)

    def calibration_spread(self, chosen: CandidateSet) -> float:
        """How unlike the candidates are calibrated: the spread of Murphy's reliability over that of the Brier score.

        Reliability is taken in ten bins of equally many rows.
        """
        places = chosen.places()
        reliabilities = np.array([_reliability(self.scores[:, place], self.truth) for place in places])
        brier = ((self.scores[:, places] - self.truth[:, None]) ** 2).mean(axis=0)
        return float(reliabilities.std() / max(float(brier.std()), 1e-12))


def _reliability(scores: Array, truth: Array) -> float:
    bins = np.array_split(np.argsort(scores, kind="stable"), 10)
    return sum(len(rows) * float(scores[rows].mean() - truth[rows].mean()) ** 2 for rows in bins) / len(truth)


def bundled_problems() -> dict[str, Problem]:
    """What needs no file: two data sets of scikit-learn, and three that are made up."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification

    (cancer, benign), (diabetes, progress) = (load(return_X_y=True) for load in (load_breast_cancer, load_diabetes))
    known = {"wdbc": (cancer, benign == 0), "diabetes": (diabetes, progress > 140)}
    for number, (columns, telling, share, turned, apart) in enumerate(MADE):
        x, y = make_classification(
            12_000, columns, n_informative=telling, n_redundant=2, weights=[share], flip_y=turned, class_sep=apart,
            random_state=number, n_clusters_per_class=3,
        )  # fmt: skip
        known[f"made-{number + 1}"] = (x, y == 1)
    return {name: Problem(DataSet.from_arrays(x, y, positive=True), name) for name, (x, y) in known.items()}


def populations(
    problems: Mapping[str, Problem], splits: int, *, seed: int, folder: str | Path | None, limits: Limits
) -> Iterator[Population]:
    """Fit all candidates on `splits` training sets of every problem; with a folder, nothing is fitted twice."""
    for name, problem in problems.items():
        yield from _populations(name, problem, splits, seed, None if folder is None else Path(folder) / name, limits)


def _populations(
    name: str, problem: Problem, splits: int, seed: int, folder: Path | None, limits: Limits
) -> Iterator[Population]:
    data = problem.data
    share = min(SHARES[data.rows < SMALL], MOST_TRAINED / data.rows)
    _refuse(name, data, share)
    scheme = schemes["random_subsampling"](splits=splits, test=round(1 - share, 4))
    resampling = Resampling(data, list(CANDIDATES), scheme, metrics["accuracy"], seed, folder, limits)
    records, failures = resampling.fits()
    if failures:
        raise UndefinedError("E_MODEL", f"{name}: {failures[0].message}", hint="omit that data set")
    for number, split in enumerate(resampling.splits):
        kept = np.sort(np.random.default_rng([seed, number]).permutation(len(split.test))[:MOST_ROWS])
        scores = np.stack([records[model, number]["test_scores"][kept] for model in resampling.estimators], axis=1)
        truth = (data.target[split.test[kept]] == data.positive).astype(float)
        yield Population(name, problem.source, number, scores.astype(float), truth)


def _refuse(name: str, data: DataSet, share: float) -> None:
    if data.task != "binary" or data.positive is None:
        raise UsageError("E_TASK", f"{name}: the regret map is for two classes, one of them positive")
    if share * data.rows <= LONGEST_K:
        needed = int(LONGEST_K / share) + 1
        raise UndefinedError("E_TOOFEW", f"{name} has {data.rows:,} rows: the regret map needs {needed:,}")
