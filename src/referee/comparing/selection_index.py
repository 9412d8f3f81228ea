"""The selection index: what a model is expected to be worth on new rows, by all that these rows say of it.

Differences of several metrics are weighed by how much true differences of each tell about the goal (a prior that the
study learns from other data) and how much these rows blur them: Smith (1936) and Hazel (1943) chose plants and animals
so.
"""

from __future__ import annotations

import json
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array

FLAT, ALMOST_FLAT = 1e-14, 1e-8
"""A variance below the first tells no candidates apart; the second stands for it."""
RIDGE = 0.02
"""Added to the variances: accuracy, balanced accuracy and cost are nearly collinear."""
FARTHEST = 8
"""Standard deviations, of prior and noise together, beyond which a difference is not believed: the prior was learned
from no such candidate, and negative weights would make anything of it."""
FEWEST_OF_CLASS, RAREST_SHARE = 10, 0.1
"""Rows of the rarer class, and its share: the prior was learned from no rarer one, and fails with fewer rows."""
INDEX_GOALS = ("accuracy", "f_beta", "roc_auc", "balanced_accuracy")
"""For which there is an expectation in a tie, beside that of a winner. For which of them the index also chooses, the
study decides by what it measured (`Prior.advised`)."""
INDEX_COSTS = (0.2, 0.5, 2.0, 5.0, 10.0)
"""What a miss costs in false alarms, where the prior knows it."""
SCORES = ("accuracy", "f_beta", "roc_auc", "balanced_accuracy", "log_loss(clip=1e-06)", "brier")
INDEX_METRICS = (*SCORES, *(f"expected_cost(fn={cost:g})" for cost in INDEX_COSTS))
USUAL_COST = INDEX_METRICS.index("expected_cost(fn=5)")
SIGNS = np.array([1.0, 1, 1, 1, -1, -1, *[-1] * len(INDEX_COSTS)])
"""Of values, so that more is better."""
PRIOR_FILE = Path(__file__).parent / "prior.json"


class Index(NamedTuple):
    """How the differences of metrics are added up, each over its scale; for one set of candidates or many at once."""

    scale: Array
    """Of each metric: the standard deviation of a single row, of a candidate among the others."""
    weights: Array
    columns: tuple[int, ...]
    """Their places among `INDEX_METRICS`; `goal` is the goal's own place among these."""
    goal: int
    bounds: Array
    """The largest difference of each metric, over its scale, that is believed."""

    def expected(self, values: Array) -> Array:
        """Each candidate's goal above their mean, on new rows, from its values (..., candidate, metric)."""
        centred = (values - values.mean(axis=-2, keepdims=True))[..., list(self.columns)]
        believed = np.clip(centred / self.scale[..., None, :], -self.bounds[..., None, :], self.bounds[..., None, :])
        sums = (believed * self.weights[..., None, :]).sum(axis=-1)
        return np.asarray(sums * self.scale[..., self.goal, None])


def columns_for(goal: int) -> tuple[int, ...]:
    """The seven metrics that speak of a goal: six, and the cost, which is the goal's own if it is one.

    >>> columns_for(0), columns_for(10)
    ((0, 1, 2, 3, 4, 5, 9), (0, 1, 2, 3, 4, 5, 10))
    """
    return (*range(len(SCORES)), goal if goal >= len(SCORES) else USUAL_COST)


def pooled_noise(changes: Array) -> Array:
    """The covariance of the metrics between candidates that chance in the rows makes: (metric, metric).

    `changes` are what each row adds to each value: (row, candidate, metric).

    >>> pooled_noise(np.array([[[1.0], [3.0]], [[0.0], [4.0]]])).tolist()
    [[10.0]]
    """
    centred = changes - changes.mean(axis=1, keepdims=True)
    flat = centred.reshape(-1, centred.shape[2])
    return np.asarray(flat.T @ flat / (changes.shape[1] - 1))


def index_of(noise: Array, rows: int, prior: Array, goal: int) -> Index:
    """The weights by which the differences of the metrics make the posterior mean of the goal's.

    `noise` is the pooled covariance (..., metric, metric), `prior` the covariance of true differences in units of the
    rows' standard deviations. With ever more rows the goal's weight goes to 1 and the others' to 0.

    >>> noise = np.eye(len(INDEX_METRICS)) / 1e7
    >>> index_of(noise, 10**7, 0.04 * (np.eye(len(INDEX_METRICS)) + 0.5), 0).weights.round(4).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    columns = columns_for(goal)
    places = list(columns)
    some, known = noise[..., places, :][..., places], prior[np.ix_(places, places)]
    variances = np.einsum("...ii->...i", some)
    lifted = np.where(variances < FLAT, ALMOST_FLAT - variances, 0.0)
    some = some + lifted[..., None] * np.eye(len(columns))
    scale = np.sqrt(rows * np.einsum("...ii->...i", some))
    relative = some / (scale[..., :, None] * scale[..., None, :])
    relative = relative + RIDGE * relative * np.eye(len(columns))
    place = columns.index(goal)
    weights = np.linalg.solve(known + relative, np.broadcast_to(known[:, place, None], (*scale.shape, 1)))[..., 0]
    bounds = FARTHEST * np.sqrt(np.diag(known) + np.einsum("...ii->...i", relative))
    return Index(scale, weights, columns, place, bounds)


@dataclass(frozen=True)
class Prior:
    """What is known of true differences before any row is seen, learned by the study from other data."""

    metrics: tuple[str, ...]
    sources: tuple[str, ...]
    covariances: Mapping[str, Array]
    """By kind of candidates, `any` where that is unknown: in units of the standard deviation of a row."""
    tested_on: tuple[str, ...] = ()
    """Sources that it was tried on, each without what was learned from it."""
    advised: tuple[str, ...] = ()
    """Goals for which choosing by the index is better than choosing the best value, on these sources."""
    regret: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """Of each of these goals and number of rows: what choosing the best value and by the index lost there."""

    def of(self, kind: str) -> Array:
        return self.covariances[kind if kind in self.covariances else "any"]

    def to_dict(self) -> dict[str, Any]:
        covariances = {kind: np.round(matrix, 6).tolist() for kind, matrix in self.covariances.items()}
        return {
            "metrics": list(self.metrics),
            "sources": list(self.sources),
            "tested_on": list(self.tested_on),
            "advised": list(self.advised),
            "covariances": covariances,
            "regret": {goal: {rows: list(pair) for rows, pair in by.items()} for goal, by in self.regret.items()},
        }


@cache
def published_prior() -> Prior:
    """The prior that the study has published."""
    held = json.loads(PRIOR_FILE.read_text(encoding="utf-8"))
    covariances = {kind: np.array(matrix) for kind, matrix in held["covariances"].items()}
    metrics, sources, tested_on, advised = (tuple(held[key]) for key in ("metrics", "sources", "tested_on", "advised"))
    return Prior(metrics, sources, covariances, tested_on, advised, held["regret"])
