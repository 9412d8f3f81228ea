"""Public calls at the sizes that people have, beside what their peers do in the same run; each title is the call.

scikit-learn and polars give numbers only; referee also gives standard errors, intervals, a row for each class and what
guessing has. `python -m benchmarks.public_calls 1e3 1e5` prints some sizes only.
"""

from __future__ import annotations

import sys

import numpy as np

import referee
from benchmarks.binary_metrics import with_polars, with_sklearn
from benchmarks.measure import Workload, measured

SIZES = (1_000, 10_000, 100_000, 1_000_000)
TWELVE = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "jaccard", "mcc", "kappa", "roc_auc",
          "average_precision", "log_loss", "brier")  # fmt: skip
FIVE = ("accuracy", "f1", "roc_auc", "log_loss", "brier")
OF_TWELVE = {1_000: 2, 10_000: 3, 100_000: 4, 1_000_000: 5}
"""How many times less CPU than scikit-learn's twelve functions `evaluate` should need."""
ALL_SHOWN, ALL_COMPARED, SLICED, TWENTY_MODELS, TEN_CLASSES = 0.7, 0.7, 1 / 3, 1 / 30, 1 / 5


def examples(rows, models=2):
    """Models that agree in much; 30 % of the rows are positive."""
    draw = np.random.default_rng(0)
    truth = (draw.random(rows) < 0.3).astype(np.int64)
    shared = draw.normal(size=rows)
    return truth, {
        chr(ord("a") + place): 1
        / (1 + np.exp(1.2 - (1.5 - place / 10) * truth - 0.8 * shared - 0.6 * draw.normal(size=rows)))
        for place in range(models)
    }


def evaluated(truth, models, names=None, *, by=(), **more):
    given = referee.Predictions.from_arrays(truth, models, by=by, **more)
    return referee.evaluate(given, metrics=names, by=by)


def compared(truth, models):
    return referee.compare(referee.Predictions.from_arrays(truth, models, positive=1), "roc_auc")


def shown_by_sklearn(truth, scores):
    """What scikit-learn has of all that `evaluate` shows: about 35 calls."""
    from sklearn import metrics as sk
    from sklearn.calibration import calibration_curve

    shown, decided = with_sklearn(truth, scores), (scores >= 0.5).astype(np.int64)
    for score in (sk.precision_score, sk.recall_score, sk.f1_score, sk.jaccard_score):
        shown[score.__name__] = [score(truth, decided, average=kind) for kind in ("macro", "micro", "weighted")]
        shown[score.__name__].append(score(truth, decided, pos_label=0))
    shown["other_class"] = sk.average_precision_score(1 - truth, -scores), sk.zero_one_loss(truth, decided)
    shown["curves"] = sk.roc_auc_score(truth, scores, max_fpr=0.1), sk.roc_curve(truth, scores)
    shown["more"] = sk.precision_recall_curve(truth, scores), calibration_curve(truth, scores, n_bins=10)
    return shown


def agree(answers):
    """The twelve values are scikit-learn's."""
    expected = answers["scikit-learn"]
    own = {row.metric: row.value for row in answers["referee"] if row.overall}
    for name in ("accuracy", "mcc", "roc_auc", "average_precision", "log_loss", "brier"):
        np.testing.assert_allclose(own[name], expected[name], rtol=1e-9, err_msg=name)


def two_classes(rows):
    """One model on twelve metrics and on all, and two models compared."""
    truth, models = examples(rows)
    first, scores, rounds = {"a": models["a"]}, models["a"], 5 if rows <= 100_000 else 2
    yield Workload(
        f"evaluate(predictions, [12 metrics]) of 1 model x {rows:,} rows",
        {
            "referee": lambda: evaluated(truth, first, TWELVE, positive=1),
            "scikit-learn": lambda: with_sklearn(truth, scores),
            "polars, 5 of the 12": lambda: with_polars(truth, scores),
        },
        {"scikit-learn": OF_TWELVE[rows]} if rows in OF_TWELVE else {},
        rounds=rounds,
        agree=agree,
    )
    yield Workload(
        f"evaluate(predictions) of 1 model x {rows:,} rows, against scikit-learn's 35 calls for the same",
        {
            "referee": lambda: evaluated(truth, first, positive=1),
            "scikit-learn": lambda: shown_by_sklearn(truth, scores),
        },
        {"scikit-learn": ALL_SHOWN} if rows == 100_000 else {},
        rounds=rounds,
        agree=agree,
    )
    yield Workload(
        f"compare(predictions, 'roc_auc') of 2 models x {rows:,} rows, against scikit-learn's 12 of both",
        {
            "referee": lambda: compared(truth, models),
            "scikit-learn": lambda: [with_sklearn(truth, each) for each in models.values()],
        },
        {"scikit-learn": ALL_COMPARED} if rows == 100_000 else {},
        rounds=rounds,
    )


def many_models(models=20, rows=10_000):
    truth, each = examples(rows, models)
    return Workload(
        f"compare(predictions, 'roc_auc') of {models} models x {rows:,} rows, against evaluate of one",
        {
            "referee": lambda: compared(truth, each),
            "evaluate of one": lambda: evaluated(truth, {"a": each["a"]}, positive=1),
        },
        {"evaluate of one": TWENTY_MODELS},
    )


def slices(rows=200_000):
    truth, models = examples(rows)
    first = {"a": models["a"]}
    for places in (100, 1_000):
        where = np.random.default_rng(1).integers(0, places, rows).astype(str)
        yield Workload(
            f"evaluate(predictions, [5 metrics], by='site') of {rows:,} rows, {places:,} sites, against no slices",
            {
                "referee": lambda where=where: evaluated(truth, first, FIVE, positive=1, by="site", site=where),
                "no slices": lambda: evaluated(truth, first, FIVE, positive=1),
            },
            {"no slices": SLICED},
            rounds=2,
        )


def many_classes(rows=2_000):
    for classes in (3, 10, 40):
        draw = np.random.default_rng(0)
        truth = draw.integers(0, classes, rows)
        scores = draw.dirichlet(np.ones(classes), rows) + 0.5 * np.eye(classes)[truth]
        shares = scores / scores.sum(axis=1, keepdims=True)
        yield Workload(
            f"evaluate(predictions) of 1 model x {rows:,} rows, {classes} classes",
            {
                "referee": lambda t=truth, s=shares: evaluated(t, {"a": s}),
                "scikit-learn": lambda t=truth, s=shares: of_classes_by_sklearn(t, s),
            },
            {"scikit-learn": TEN_CLASSES} if classes == 10 else {},
            rounds=2,
        )


def of_classes_by_sklearn(truth, shares):
    from sklearn import metrics as sk

    report = sk.classification_report(truth, shares.argmax(axis=1), output_dict=True, zero_division=0)
    return report, sk.roc_auc_score(truth, shares, multi_class="ovo"), sk.log_loss(truth, shares)


def numbers(rows=100_000):
    draw = np.random.default_rng(0)
    truth = draw.normal(size=rows)
    guess = truth + draw.normal(size=rows)
    return Workload(
        f"evaluate(predictions) of 1 model of numbers x {rows:,} rows, against 5 functions of scikit-learn",
        {
            "referee": lambda: evaluated(truth, {"a": guess}),
            "scikit-learn": lambda: of_numbers_by_sklearn(truth, guess),
        },
    )


def of_numbers_by_sklearn(truth, guess):
    from sklearn import metrics as sk

    functions = (sk.mean_squared_error, sk.mean_absolute_error, sk.median_absolute_error, sk.r2_score,
                 sk.mean_absolute_percentage_error)  # fmt: skip
    return [function(truth, guess) for function in functions]


def workloads(sizes=SIZES):
    for rows in sizes:
        yield from two_classes(rows)
    yield many_models()
    yield from slices()
    yield from many_classes()
    yield numbers()


if __name__ == "__main__":
    chosen = [int(float(size)) for size in sys.argv[1:]]
    for workload in (each for rows in chosen for each in two_classes(rows)) if chosen else workloads():
        result = measured(workload)
        seconds = ", ".join(f"{name} {spent:.4f} s" for name, spent in result["cpu_seconds"].items())
        ratios = ", ".join(f"{name} {ratio:.3g}" for name, ratio in result["times_less_cpu"].items())
        print(f"{workload.title}: {seconds}; ratios: {ratios}", flush=True)  # noqa: T201
