"""What others do for the same: scikit-learn, NumPy written by hand, polars, torchmetrics; numbers only, no errors.

`REFEREE_PEERS=folder` names a folder with further packages (`pip install --target folder torch torchmetrics
confidenceinterval MLstatkit`); a peer that is not there is left out, and the page says so.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version

import numpy as np

# Behind our own packages, so that those of the lock are used.
sys.path.extend(filter(None, [os.environ.get("REFEREE_PEERS")]))
PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "duckdb", "torchmetrics", "torch", "confidenceinterval",
            "MLstatkit")  # fmt: skip
TWELVE = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "jaccard", "mcc", "kappa", "roc_auc",
          "average_precision", "log_loss", "brier")  # fmt: skip


def versions():
    """Of all peers that are installed."""
    known = {}
    for package in PACKAGES:
        try:
            known[package] = version(package)
        except PackageNotFoundError:
            known[package] = None
    return known


def optional(package, run):
    """What runs a peer, or None where it is not installed."""
    try:
        import_module(package)
    except ImportError:
        return None
    return run


def twelve_of(cells, pairs, precision, squares, surprise):
    """The twelve metrics of what a pass over the rows has counted: ((tn, fp), (fn, tp)), and four sums."""
    (tn, fp), (fn, tp) = ((float(count) for count in row) for row in cells)
    rows, positives, negatives = tp + tn + fp + fn, tp + fn, tn + fp
    chance = positives * (tp + fp) + negatives * (tn + fn)
    spread = (tp + fp) * positives * (tn + fn) * negatives
    values = (
        (tp + tn) / rows, (tp / positives + tn / negatives) / 2, tp / (tp + fp), tp / positives,
        2 * tp / (2 * tp + fp + fn), tp / (tp + fp + fn), (tp * tn - fp * fn) / spread**0.5,
        (rows * (tp + tn) - chance) / (rows * rows - chance), pairs / (positives * negatives), precision / positives,
        surprise / rows, squares / rows,
    )  # fmt: skip
    return dict(zip(TWELVE, values, strict=True))


def twelve_by_sklearn(truth, scores, weight=None):
    from sklearn import metrics as sk

    decided = (scores >= 0.5).astype(np.int64)
    of_decisions = (sk.accuracy_score, sk.balanced_accuracy_score, sk.precision_score, sk.recall_score, sk.f1_score,
                    sk.jaccard_score, sk.matthews_corrcoef, sk.cohen_kappa_score)  # fmt: skip
    of_scores = (sk.roc_auc_score, sk.average_precision_score, sk.log_loss, sk.brier_score_loss)
    values = [score(truth, decided, sample_weight=weight) for score in of_decisions]
    values += [score(truth, scores, sample_weight=weight) for score in of_scores]
    return dict(zip(TWELVE, values, strict=True))


def twelve_by_numpy(truth, scores):
    """As one would write it with care: one sort, steps of equal scores, and sums."""
    positive = truth == 1
    cells = np.bincount(2 * truth + (scores >= 0.5), minlength=4).reshape(2, 2)
    order = np.argsort(-scores)
    ranked, hits = scores[order], np.cumsum(positive[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    tp, above = hits[last].astype(float), last + 1.0
    new, fp = np.diff(tp, prepend=0.0), above - tp
    pairs = (np.diff(fp, prepend=0.0) * (tp - new / 2)).sum()
    surprise = -np.log(np.where(positive, scores, 1 - scores)).sum()
    return twelve_of(cells, pairs, (new * tp / above).sum(), np.square(scores - truth).sum(), surprise)


def twelve_by_polars(truth, scores):
    """Counts, sums and one ranking as expressions."""
    import polars as pl

    frame = pl.DataFrame({"y": truth, "s": scores})
    s, y = pl.col("s"), pl.col("y")
    decided = s >= 0.5
    sums = frame.select(
        tp=(decided & (y == 1)).sum(), fp=(decided & (y == 0)).sum(), fn=(~decided & (y == 1)).sum(),
        tn=(~decided & (y == 0)).sum(), squares=((s - y) ** 2).sum(),
        surprise=-pl.when(y == 1).then(s).otherwise(1 - s).log().sum(),
    ).row(0, named=True)  # fmt: skip
    steps = frame.group_by("s").agg(new=y.sum(), rows=pl.len()).sort("s", descending=True)
    steps = steps.with_columns(tp=pl.col("new").cum_sum(), above=pl.col("rows").cum_sum())
    pairs, precision = steps.select(
        pairs=((pl.col("rows") - pl.col("new")) * (pl.col("tp") - pl.col("new") / 2)).sum(),
        precision=(pl.col("new") * (pl.col("tp") / pl.col("above"))).sum(),
    ).row(0)
    cells = (sums["tn"], sums["fp"]), (sums["fn"], sums["tp"])
    return twelve_of(cells, pairs, precision, sums["squares"], sums["surprise"])


def ten_by_torchmetrics(truth, scores):
    """All but log loss and Brier score, which it has not, in one collection that shares its states."""
    import torch
    from torchmetrics import MetricCollection
    from torchmetrics import classification as tm

    torch.set_num_threads(1)
    kinds = (tm.BinaryAccuracy, tm.BinaryPrecision, tm.BinaryRecall, tm.BinaryF1Score, tm.BinaryJaccardIndex,
             tm.BinaryMatthewsCorrCoef, tm.BinaryCohenKappa, tm.BinaryAUROC, tm.BinaryAveragePrecision)  # fmt: skip
    names = [name for name in TWELVE if name not in ("balanced_accuracy", "log_loss", "brier")]
    both = MetricCollection({name: kind() for name, kind in zip(names, kinds, strict=True)})
    values = both(torch.from_numpy(scores), torch.from_numpy(truth))
    balanced = tm.MulticlassAccuracy(num_classes=2, average="macro")
    decided = torch.from_numpy((scores >= 0.5).astype(np.int64))
    values["balanced_accuracy"] = balanced(decided, torch.from_numpy(truth))
    return {name: float(value) for name, value in values.items()}


def shown_by_sklearn(truth, scores):
    """What scikit-learn has of all that `evaluate` shows: about 35 calls."""
    from sklearn import metrics as sk
    from sklearn.calibration import calibration_curve

    shown, decided = twelve_by_sklearn(truth, scores), (scores >= 0.5).astype(np.int64)
    for score in (sk.precision_score, sk.recall_score, sk.f1_score, sk.jaccard_score):
        more = [score(truth, decided, average=kind) for kind in ("macro", "micro", "weighted")]
        shown[score.__name__] = [*more, score(truth, decided, pos_label=0)]
    shown["other_class"] = sk.average_precision_score(1 - truth, -scores), sk.zero_one_loss(truth, decided)
    shown["curves"] = sk.roc_auc_score(truth, scores, max_fpr=0.1), sk.roc_curve(truth, scores)
    shown["more"] = sk.precision_recall_curve(truth, scores), calibration_curve(truth, scores, n_bins=10)
    return shown


def classes_by_sklearn(truth, shares):
    from sklearn import metrics as sk

    report = sk.classification_report(truth, shares.argmax(axis=1), output_dict=True, zero_division=0)
    area = sk.roc_auc_score(truth, shares, multi_class="ovo")
    return {"accuracy": report["accuracy"], "hand_till": area, "log_loss": sk.log_loss(truth, shares)}


FIVE_OF_NUMBERS = ("mse", "mae", "median_ae", "r2", "mape")


def numbers_by_sklearn(truth, guess):
    from sklearn import metrics as sk

    functions = (sk.mean_squared_error, sk.mean_absolute_error, sk.median_absolute_error, sk.r2_score,
                 sk.mean_absolute_percentage_error)  # fmt: skip
    return {name: score(truth, guess) for name, score in zip(FIVE_OF_NUMBERS, functions, strict=True)}


def agreed(answers):
    """Every value of every peer is referee's to 1e-9; to 1e-4 where a peer sums in 32 bits."""
    own = values_of(answers["referee"])
    for peer, values in answers.items():
        within = 1e-4 if peer.startswith(("torchmetrics", "confidenceinterval")) else 1e-9
        for name in set(values) & set(own) if isinstance(values, dict) else ():
            np.testing.assert_allclose(own[name], values[name], rtol=within, err_msg=f"{peer}, {name}")


def values_of(scores):
    """The overall value of each metric, by the name that was asked for."""
    values = {row.metric: row.value for row in scores if row.overall}
    return values | ({"f1": values["f_beta"]} if "f_beta" in values else {})
