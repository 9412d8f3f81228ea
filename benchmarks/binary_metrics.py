"""Twelve metrics of one model on ten million rows by the public call, against scikit-learn and polars."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks.measure import Workload

ROWS = 10_000_000
SHARED = ("accuracy", "balanced_accuracy", "precision", "recall", "f_beta", "jaccard", "mcc", "kappa", "roc_auc",
          "average_precision", "log_loss", "brier")  # fmt: skip
"""The metrics that scikit-learn has too: what is compared."""


def examples(rows):
    draw = np.random.default_rng(0)
    truth = (draw.random(rows) < 0.3).astype(np.int32)
    smooth = np.clip(draw.beta(2, 2, rows) * 0.7 + 0.2 * truth, 1e-9, 1 - 1e-9)
    tied = np.clip(smooth.round(3), 0.001, 0.999)
    skewed = np.clip(draw.random(rows) ** 8 * 0.7 + 0.2 * truth * draw.random(rows), 1e-9, 1 - 1e-9)
    return {name: (truth, scores) for name, scores in (("smooth", smooth), ("tied", tied), ("skewed", skewed))}


def with_referee(truth, scores):
    given = referee.Predictions.from_arrays(truth, {"m": scores}, positive=1)
    return {row.metric: row.value for row in referee.evaluate(given, metrics=SHARED) if row.overall}


def with_sklearn(truth, scores):
    from sklearn import metrics as sk

    decided = (scores >= 0.5).astype(np.int32)
    return {
        "accuracy": sk.accuracy_score(truth, decided),
        "balanced_accuracy": sk.balanced_accuracy_score(truth, decided),
        "precision": sk.precision_score(truth, decided),
        "recall": sk.recall_score(truth, decided),
        "f_beta": sk.f1_score(truth, decided),
        "jaccard": sk.jaccard_score(truth, decided),
        "mcc": sk.matthews_corrcoef(truth, decided),
        "kappa": sk.cohen_kappa_score(truth, decided),
        "roc_auc": sk.roc_auc_score(truth, scores),
        "average_precision": sk.average_precision_score(truth, scores),
        "log_loss": sk.log_loss(truth, scores),
        "brier": sk.brier_score_loss(truth, scores),
    }


def with_polars(truth, scores):
    """Counts, sums and one ranking as expressions, which is the best that polars can do."""
    import polars as pl

    frame = pl.DataFrame({"y": truth, "s": scores})
    s, y = pl.col("s"), pl.col("y")
    decided = s >= 0.5
    sums = frame.select(
        tp=(decided & (y == 1)).sum(), fp=(decided & (y == 0)).sum(), fn=(~decided & (y == 1)).sum(),
        tn=(~decided & (y == 0)).sum(), brier=((s - y) ** 2).mean(),
        log_loss=-pl.when(y == 1).then(s).otherwise(1 - s).log().mean(),
    ).row(0, named=True)  # fmt: skip
    steps = frame.group_by("s").agg(positives=y.sum(), rows=pl.len()).sort("s", descending=True)
    steps = steps.with_columns(tp=pl.col("positives").cum_sum(), above=pl.col("rows").cum_sum())
    negatives = pl.col("rows") - pl.col("positives")
    areas = steps.select(
        pairs=(negatives * (pl.col("tp") - pl.col("positives") / 2)).sum(),
        average_precision=(pl.col("positives") * (pl.col("tp") / pl.col("above"))).sum(),
    ).row(0, named=True)
    positives = sums["tp"] + sums["fn"]
    return {
        "accuracy": (sums["tp"] + sums["tn"]) / len(truth),
        "brier": sums["brier"],
        "log_loss": sums["log_loss"],
        "roc_auc": areas["pairs"] / positives / (len(truth) - positives),
        "average_precision": areas["average_precision"] / positives,
    }


def agree(answers):
    own = answers["referee"]
    for name, found in answers.items():
        for metric, value in (found or {}).items():
            np.testing.assert_allclose(value, own[metric], rtol=1e-9, err_msg=f"{name}: {metric}")


def workloads(rows=ROWS):
    for kind, (truth, scores) in examples(rows).items():
        yield Workload(
            f"evaluate(predictions, [{len(SHARED)} metrics]) of 1 model x {rows:,} rows, {kind} scores",
            {
                "referee": lambda t=truth, s=scores: with_referee(t, s),
                "scikit-learn": lambda t=truth, s=scores: with_sklearn(t, s),
                "polars, 5 of the 12": lambda t=truth, s=scores: with_polars(t, s),
            },
            {"scikit-learn": 5},
            rounds=2,
            agree=agree,
        )
