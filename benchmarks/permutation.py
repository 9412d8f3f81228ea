"""Permutation test of a difference of two AUCs: 100,000 rows, 10,000 permutations, against a scikit-learn loop."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Workload
from benchmarks.two_models import two_models
from referee.comparing import Contender, Design, tests
from referee.predictions import Model, Predictions
from referee.scoring import metrics, permuted_differences
from referee.scoring.random_draws import Streams, kept
from referee.scoring.sampled_rows import mid_ranks

ROWS, PERMUTATIONS, WITH_SKLEARN = 100_000, 10_000, 10
"""The slow way is run with a few permutations; its CPU grows in proportion."""


def predictions_of(truth, models):
    given = tuple(Model(name, scores=scores) for name, scores in zip("ab", models, strict=True))
    return Predictions("binary", truth, given, ("0", "1"), 1)


def with_referee(truth, models):
    predictions = predictions_of(truth, models)
    a, b = (Contender(predictions, model, metrics["roc_auc"]) for model in predictions.models)
    return tests["permutation"].bind(permutations=PERMUTATIONS).apply(a, b, Design("rows", "row")).p


def with_sklearn(truth, models, permutations, swaps=None):
    from sklearn.metrics import roc_auc_score

    draw = np.random.default_rng(0)
    a, b = (mid_ranks(scores) for scores in models)
    found = np.empty(permutations)
    for permutation in range(permutations):
        as_is = draw.random(len(truth)) < 0.5 if swaps is None else swaps[:, permutation] == 1
        found[permutation] = roc_auc_score(truth, np.where(as_is, a, b)) - roc_auc_score(truth, np.where(as_is, b, a))
    return found


def agree_on_the_same_swaps(truth, models):
    predictions, few = predictions_of(truth, models), 3
    own = permuted_differences(predictions, predictions.models, metrics["roc_auc"], seed=0, permutations=PERMUTATIONS)
    peer = with_sklearn(truth, models, few, kept(Streams.numbered(0, few), len(truth)))
    np.testing.assert_allclose(own[:few], peer, atol=1e-13)


def workloads():
    truth, models = two_models(ROWS)
    return [
        Workload(
            f"permutation test of an AUC difference, {ROWS:,} rows, {PERMUTATIONS:,} permutations, against "
            f"{WITH_SKLEARN} of a scikit-learn loop",
            {
                "referee": lambda: with_referee(truth, models),
                "scikit-learn": lambda: with_sklearn(truth, models, WITH_SKLEARN),
            },
            {"scikit-learn": 60 * WITH_SKLEARN / PERMUTATIONS},
            agree=lambda _: agree_on_the_same_swaps(truth, models),
        )
    ]
