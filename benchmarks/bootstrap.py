"""Paired bootstrap of four metrics for two models on 100,000 rows, against loops of scikit-learn and NumPy."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Workload
from benchmarks.two_models import two_models
from referee.predictions import Model, Predictions
from referee.scoring import bootstrap_values, metrics
from referee.scoring.random_draws import Streams, multiplicities

ROWS, REPLICATES = 100_000, 2_000
METRICS = ("roc_auc", "log_loss", "accuracy", "f_beta")
WITH_SKLEARN, WITH_NUMPY = 4, 60
"""Replicates that the slow ways are run with; their CPU grows in proportion."""


def with_referee(truth, models, replicates):
    given = tuple(Model(str(place), scores=scores) for place, scores in enumerate(models))
    predictions = Predictions("binary", truth, given, ("0", "1"), 1)
    chosen = [metrics[name] for name in METRICS]
    found = bootstrap_values(predictions, predictions.models, chosen, seed=0, replicates=replicates)
    return np.moveaxis(found.values, 2, 0)


def replicates_of(rows, replicates):
    """How often each row is drawn in the first replicates of referee, so that all contestants see the same."""
    return multiplicities(Streams.numbered(0, replicates), rows).T


def drawn_again(rows, replicates, times):
    """The rows of each replicate, drawn as usual; or repeated as often as they were drawn elsewhere."""
    draw = np.random.default_rng(0)
    for replicate in range(replicates):
        yield draw.integers(0, rows, rows) if times is None else np.repeat(np.arange(rows), times[replicate])


def with_sklearn(truth, models, replicates, times=None):
    from sklearn.metrics import accuracy_score, f1_score, log_loss, roc_auc_score

    found = np.empty((replicates, len(METRICS), len(models)))
    for replicate, rows in enumerate(drawn_again(len(truth), replicates, times)):
        y = truth[rows]
        for place, scores in enumerate(models):
            s = scores[rows]
            decided = s >= 0.5
            found[replicate, :, place] = (
                roc_auc_score(y, s), log_loss(y, s), accuracy_score(y, decided), f1_score(y, decided),
            )  # fmt: skip
    return found


class SortedOnce:
    """What NumPy code that sorts once knows of a model before the loop."""

    def __init__(self, truth, scores):
        self.order = np.argsort(-scores, kind="stable")
        ranked = scores[self.order]
        self.first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
        self.positive = truth[self.order].astype(float)
        decided = scores >= 0.5
        # One product of matrices for all that is a sum over rows.
        self.terms = np.stack([-np.log(np.where(truth == 1, scores, 1 - scores)), decided == truth,
                               decided & (truth == 1), decided, truth], axis=1).astype(float)  # fmt: skip

    def values(self, weight):
        surprise, right, hits, found, positives = weight @ self.terms
        ranked = weight[self.order]
        above = np.add.reduceat(ranked * self.positive, self.first)
        all_rows = np.add.reduceat(ranked, self.first)
        pairs = ((all_rows - above) * (np.cumsum(above) - above / 2)).sum()
        rows = len(weight)
        return (
            pairs / (positives * (rows - positives)),
            surprise / rows,
            right / rows,
            2 * hits / (found + positives),
        )


def with_numpy(truth, models, replicates, times=None):
    """Sort once; then each replicate is a weight for every row."""
    ready = [SortedOnce(truth, scores) for scores in models]
    draw = np.random.default_rng(0)
    found = np.empty((replicates, len(METRICS), len(models)))
    for replicate in range(replicates):
        drawn = np.bincount(draw.integers(0, len(truth), len(truth)), minlength=len(truth))
        weight = (drawn if times is None else times[replicate]).astype(float)
        for place, one in enumerate(ready):
            found[replicate, :, place] = one.values(weight)
    return found


def agree_on_the_same_replicates(truth, models):
    """Before anything is timed: all contestants find the same in the same replicates."""
    times = replicates_of(len(truth), 3)
    own = with_referee(truth, models, REPLICATES)[:3]
    for peer in (with_sklearn, with_numpy):
        np.testing.assert_allclose(peer(truth, models, 3, times), own, rtol=1e-10)


def workloads():
    truth, models = two_models(ROWS)
    title = f"bootstrap of {len(METRICS)} metrics, 2 models, {ROWS:,} rows, {REPLICATES:,} replicates, against"
    for peer, name, some, goal in (
        (with_sklearn, "scikit-learn", WITH_SKLEARN, 150),
        (with_numpy, "numpy", WITH_NUMPY, 15),
    ):
        yield Workload(
            f"{title} {some} replicates of {name}",
            {
                "referee": lambda: with_referee(truth, models, REPLICATES),
                name: lambda peer=peer, some=some: peer(truth, models, some),
            },
            {name: goal * some / REPLICATES},
            agree=lambda _: agree_on_the_same_replicates(truth, models),
        )
