"""Public calls at the sizes that people have, 1,000 to 1,000,000 rows, beside scikit-learn's functions in the same run.

scikit-learn gives numbers only; referee also gives standard errors, intervals, a row for each class and what guessing
has. `python -m benchmarks.ordinary_sizes 1e3 1e5` prints some sizes only.
"""

from __future__ import annotations

import sys

import numpy as np

import referee
from benchmarks.binary_metrics import with_sklearn
from benchmarks.measure import Workload, measured

SIZES = (1_000, 10_000, 100_000, 1_000_000)
TWELVE = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "jaccard", "mcc", "kappa", "roc_auc",
          "average_precision", "log_loss", "brier")  # fmt: skip
OF_TWELVE = {1_000: 2, 10_000: 3, 100_000: 4, 1_000_000: 5}
"""How many times less CPU than scikit-learn's twelve functions `evaluate` should need."""
ALL_SHOWN, ALL_COMPARED = 0.7, 0.7


def examples(rows):
    """Two models that agree in much; 30 % of the rows are positive."""
    draw = np.random.default_rng(0)
    truth = (draw.random(rows) < 0.3).astype(np.int64)
    shared = draw.normal(size=rows)
    of_model = {"a": 1.5, "b": 1.4}
    return truth, {
        name: 1 / (1 + np.exp(1.2 - signal * truth - 0.8 * shared - 0.6 * draw.normal(size=rows)))
        for name, signal in of_model.items()
    }


def evaluated(truth, models, names=None):
    return referee.evaluate(referee.Predictions.from_arrays(truth, models, positive=1), metrics=names)


def compared(truth, models):
    return referee.compare(referee.Predictions.from_arrays(truth, models, positive=1), "roc_auc")


def shown_by_sklearn(truth, scores):
    """What scikit-learn has of all that `evaluate` shows: about 35 calls."""
    from sklearn import metrics as sk
    from sklearn.calibration import calibration_curve

    found, decided = with_sklearn(truth, scores), (scores >= 0.5).astype(np.int64)
    for score in (sk.precision_score, sk.recall_score, sk.f1_score, sk.jaccard_score):
        found[score.__name__] = [score(truth, decided, average=kind) for kind in ("macro", "micro", "weighted")]
        found[score.__name__].append(score(truth, decided, pos_label=0))
    found["other_class"] = sk.average_precision_score(1 - truth, -scores), sk.zero_one_loss(truth, decided)
    found["curves"] = sk.roc_auc_score(truth, scores, max_fpr=0.1), sk.roc_curve(truth, scores)
    found["more"] = sk.precision_recall_curve(truth, scores), calibration_curve(truth, scores, n_bins=10)
    return found


def agree(answers):
    """The twelve values are scikit-learn's."""
    found, expected = answers["referee"], answers["scikit-learn"]
    own = {row.metric: row.value for row in found if row.overall}
    for name in ("accuracy", "mcc", "roc_auc", "average_precision", "log_loss", "brier"):
        np.testing.assert_allclose(own[name], expected[name], rtol=1e-9, err_msg=name)


def workloads(sizes=SIZES):
    for rows in sizes:
        truth, models = examples(rows)
        first = {"a": models["a"]}
        rounds = 3 if rows <= 100_000 else 2
        yield Workload(
            f"referee.evaluate of 12 metrics, {rows:,} rows, 1 model",
            {
                "referee": lambda t=truth, m=first: evaluated(t, m, TWELVE),
                "scikit-learn": lambda t=truth, m=first: with_sklearn(t, m["a"]),
            },
            {"scikit-learn": OF_TWELVE[rows]} if rows in OF_TWELVE else {},
            rounds=rounds,
            agree=agree,
        )
        yield Workload(
            f"referee.evaluate of all metrics, {rows:,} rows, 1 model, against scikit-learn's calls for the same",
            {
                "referee": lambda t=truth, m=first: evaluated(t, m),
                "scikit-learn": lambda t=truth, m=first: shown_by_sklearn(t, m["a"]),
            },
            {"scikit-learn": ALL_SHOWN} if rows == 100_000 else {},
            rounds=rounds,
            agree=agree,
        )
        yield Workload(
            f"referee.compare of all metrics, {rows:,} rows, 2 models, against scikit-learn's 12 of both",
            {
                "referee": lambda t=truth, m=models: compared(t, m),
                "scikit-learn": lambda t=truth, m=models: [with_sklearn(t, scores) for scores in m.values()],
            },
            {"scikit-learn": ALL_COMPARED} if rows == 100_000 else {},
            rounds=rounds,
        )


if __name__ == "__main__":
    for workload in workloads([int(float(size)) for size in sys.argv[1:]] or SIZES):
        result = measured(workload)
        seconds = ", ".join(f"{name} {spent:.4f} s" for name, spent in result["cpu_seconds"].items())
        print(f"{workload.title}: {seconds}; ratio {result['times_less_cpu']['scikit-learn']:.3g}", flush=True)  # noqa: T201
