"""The paper's workload: 100 partitions into 100 subsets, 2 models, 5 metrics on each subset, 27,000 rows."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Workload
from referee.predictions import Model, Predictions
from referee.scoring import metrics, values_by_partition

ROWS, SUBSETS, PARTITIONS = 27_000, 100, 100
METRICS = ("accuracy", "roc_auc", "f_beta", "rms", "log_loss")
CLIP = 2.220446049250313e-16


def example():
    draw = np.random.default_rng(0)
    truth = (draw.random(ROWS) < 0.25).astype(np.int32)
    models = [np.clip(draw.normal(0.3 + 0.3 * truth, 0.2), 0.001, 0.999).round(3) for _ in range(2)]
    order = np.argsort(truth, kind="stable")
    partitions = []
    for _ in range(PARTITIONS):
        codes = np.empty(ROWS, np.int32)
        for label in (0, 1):
            rows = draw.permutation(order[truth[order] == label])
            codes[rows] = np.arange(len(rows)) % SUBSETS
        partitions.append(codes)
    return truth, models, partitions


def with_referee(truth, models, partitions):
    predictions = Predictions(
        "binary", truth, tuple(Model(str(i), scores=s) for i, s in enumerate(models)), ("0", "1"), 1
    )
    chosen = [metrics[name] for name in METRICS]
    found = [
        values_by_partition(predictions, model, chosen, np.stack(partitions), SUBSETS) for model in predictions.models
    ]
    each = [[of_model[metric.full_name] for metric in chosen] for of_model in found]
    return np.moveaxis(np.array(each), 2, 0)


def with_numpy(truth, models, partitions):
    """The plain way: pick each subset's rows, formulas in NumPy, AUC by ranks."""
    found = np.empty((len(partitions), 2, len(METRICS), SUBSETS))
    for p, codes in enumerate(partitions):
        for subset in range(SUBSETS):
            rows = codes == subset
            y = truth[rows]
            for m, scores in enumerate(models):
                found[p, m, :, subset] = _numpy_metrics(y, scores[rows])
    return found


def _numpy_metrics(y, s):
    decided = s >= 0.5
    tp, wrong = np.sum(decided & (y == 1)), np.sum(decided != y)
    _, place, counts = np.unique(s, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    positives = y.sum()
    auc = (ranks[y == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(y) - positives))
    of_truth = np.where(y == 1, s, 1 - s)
    return (
        1 - wrong / len(y),
        auc,
        2 * tp / (2 * tp + wrong),
        np.sqrt(np.mean((s - y) ** 2)),
        -np.mean(np.log(of_truth)),
    )


def with_sklearn(truth, models, partitions):
    from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score

    found = np.empty((len(partitions), 2, len(METRICS), SUBSETS))
    for p, codes in enumerate(partitions):
        for subset in range(SUBSETS):
            rows = codes == subset
            y = truth[rows]
            for m, scores in enumerate(models):
                s = scores[rows]
                decided = s >= 0.5
                found[p, m, :, subset] = (
                    accuracy_score(y, decided), roc_auc_score(y, s), f1_score(y, decided),
                    brier_score_loss(y, s) ** 0.5, log_loss(y, s),
                )  # fmt: skip
    return found


def agree(answers):
    own = answers["referee"]
    for name, values_of_peer in answers.items():
        np.testing.assert_allclose(values_of_peer, own[: len(values_of_peer)], rtol=1e-9, err_msg=name)


def workloads():
    truth, models, partitions = example()
    few = 2
    return [
        Workload(
            f"{PARTITIONS} x {SUBSETS} subsets x 2 models x 5 metrics, {ROWS:,} rows, against plain NumPy",
            {
                "referee": lambda: with_referee(truth, models, partitions),
                "numpy": lambda: with_numpy(truth, models, partitions),
            },
            {"numpy": 30},
            agree=agree,
        ),
        Workload(
            f"the same, {few} partitions, against a scikit-learn loop",
            {
                "referee": lambda: with_referee(truth, models, partitions),
                "scikit-learn": lambda: with_sklearn(truth, models, partitions[:few]),
            },
            {"scikit-learn": 1000 * few / PARTITIONS},
            rounds=2,
            agree=agree,
        ),
    ]
