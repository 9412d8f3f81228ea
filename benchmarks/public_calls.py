"""Public calls at the sizes that people have, beside what their peers do in the same run; each title is the call.

scikit-learn and polars give numbers only; referee also gives standard errors, intervals, a row for each class and what
guessing has. The limit is a fixed small kernel (limit_kernel.py). `python -m benchmarks.public_calls 1e3 1e5` prints
some sizes only.
"""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np

import referee
from benchmarks.binary_metrics import with_polars, with_sklearn
from benchmarks.limit_kernel import twelve_metrics
from benchmarks.measure import Workload, measured

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
TWELVE = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "jaccard", "mcc", "kappa", "roc_auc",
          "average_precision", "log_loss", "brier")  # fmt: skip
FIVE = ("accuracy", "f1", "roc_auc", "log_loss", "brier")
OF_TWELVE = {1_000: 2, 10_000: 3, 100_000: 4, 1_000_000: 5, 10_000_000: 5}
"""How many times less CPU than scikit-learn's twelve functions `evaluate` should need."""
OF_LIMIT = {1_000_000: 1 / 10, 10_000_000: 1 / 10}
GOALS = {"scikit-learn": OF_TWELVE, "limit kernel": OF_LIMIT}
ALL_METRICS_UP_TO = 1_000_000
"""Rows up to which all metrics are run, too."""
ALL_SHOWN, ALL_COMPARED, SLICED, TWENTY_MODELS, TEN_CLASSES = 0.7, 0.7, 1 / 3, 1 / 30, 1 / 5
MOST_GROWTH, MOST_PER_ROW = 1.2, 1.5


def examples(rows, models=2):
    """Models that agree in much; 30% of the rows are positive."""
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
    return referee.evaluate(given, metrics=names, by=tuple(by))


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
    """The values are scikit-learn's, and the limit's."""
    expected, limit = answers["scikit-learn"], answers.get("limit kernel", {})
    own = {row.metric: row.value for row in answers["referee"] if row.overall}
    for name in ("accuracy", "mcc", "roc_auc", "average_precision", "log_loss", "brier"):
        np.testing.assert_allclose(own[name], expected[name], rtol=1e-9, err_msg=name)
    for name, value in limit.items():
        np.testing.assert_allclose(own[name], value, rtol=1e-9, err_msg=f"{name}, limit")


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
            "limit kernel": lambda: twelve_metrics(truth, scores),
        },
        {peer: goals[rows] for peer, goals in GOALS.items() if rows in goals},
        rounds=rounds,
        agree=agree,
    )
    if rows > ALL_METRICS_UP_TO:
        return
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


def slices(rows=1_000_000):
    truth, models = examples(rows)
    first = {"a": models["a"]}
    for places in (100, 1_000):
        where = np.random.default_rng(1).integers(0, places, rows)
        yield Workload(
            f"evaluate(predictions, [5 metrics], by='site') of {rows:,} rows, {places:,} sites, against no slices",
            {
                "referee": lambda where=where: evaluated(truth, first, FIVE, positive=1, by={"site": where}),
                "no slices": lambda: evaluated(truth, first, FIVE, positive=1),
            },
            {"no slices": SLICED},
            rounds=2,
        )


def of_classes(rows, classes):
    draw = np.random.default_rng(0)
    truth = draw.integers(0, classes, rows)
    scores = draw.dirichlet(np.ones(classes), rows) + 0.5 * np.eye(classes)[truth]
    return truth, scores / scores.sum(axis=1, keepdims=True)


def many_classes(rows=2_000):
    for classes in (3, 10, 40):
        truth, shares = of_classes(rows, classes)
        yield Workload(
            f"evaluate(predictions) of 1 model x {rows:,} rows, {classes} classes",
            {
                "referee": lambda t=truth, s=shares: evaluated(t, {"a": s}),
                "scikit-learn": lambda t=truth, s=shares: of_classes_by_sklearn(t, s),
            },
            {"scikit-learn": TEN_CLASSES} if classes == 10 else {},
            rounds=2,
        )


def growth(title, contestants, goal):
    """The exponent of CPU seconds in a size: contestants by their sizes, the goal as the most that it may be."""
    spent = {size: measured(Workload(title, {"referee": run}, rounds=2)) for size, run in contestants.items()}
    seconds = {size: result["cpu_seconds"]["referee"] for size, result in spent.items()}
    sizes = np.log(list(seconds))
    exponent = float(np.polyfit(sizes, np.log(list(seconds.values())), 1)[0])
    return {
        "title": f"{title}: CPU grows with the power {exponent:.2f}",
        "cpu_seconds": {f"{size:,}": spent for size, spent in seconds.items()},
        "times_less_cpu": {"growth allowed": goal / exponent},
        "goals": {"growth allowed": 1.0},
        "met": {"growth allowed": exponent <= goal},
    }


def growth_in_classes(rows=2_000, classes=(10, 20, 40)):
    """Without hand_till, which compares all pairs of classes."""
    names = [
        name
        for name, metric in referee.metrics.items()
        if name != "hand_till" and "multiclass" in metric.tasks and metric.needs != "quantiles"
    ]
    tables = {size: of_classes(rows, size) for size in classes}
    runs = {size: lambda t=t, s=s: evaluated(t, {"a": s}, names) for size, (t, s) in tables.items()}
    title = f"evaluate(predictions, [all metrics but hand_till]) of 1 model x {rows:,} rows, {listed(classes)} classes"
    return growth(title, runs, MOST_GROWTH)


def growth_in_rows(sizes=(10_000, 100_000, 1_000_000)):
    """Cost per row at any size at most half as much again as at a tenth of it."""
    tables = {size: examples(size) for size in sizes}
    runs = {
        size: lambda truth=truth, each=each: evaluated(truth, {"a": each["a"]}, positive=1)
        for size, (truth, each) in tables.items()
    }
    allowed = 1 + np.log10(MOST_PER_ROW)
    result = growth(f"evaluate(predictions) of 1 model x {listed(sizes)} rows", runs, allowed)
    spent = list(result["cpu_seconds"].values())
    per_row = [b / size_b / (a / size_a) for (a, size_a), (b, size_b) in pairwise(zip(spent, sizes, strict=True))]
    return result | {"per_row_against_a_tenth": per_row}


def memory_per_row(rows=1_000_000):
    """The most bytes that `evaluate` holds at once, beyond what it is given."""
    import tracemalloc

    truth, models = examples(rows)
    tracemalloc.start()
    evaluated(truth, {"a": models["a"]}, TWELVE, positive=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    title = f"evaluate(predictions, [12 metrics]) of 1 model x {rows:,} rows: {peak / rows:.0f} bytes a row at most"
    return {"title": title, "bytes_per_row": peak / rows, "times_less_cpu": {}, "goals": {}, "met": {}}


def listed(sizes):
    return ", ".join(f"{size:,}" for size in sizes)


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


def results(sizes=SIZES):
    """Ratios, and then growth and memory."""
    yield from map(measured, workloads(sizes))
    yield growth_in_classes()
    yield growth_in_rows()
    yield memory_per_row()


if __name__ == "__main__":
    chosen = [int(float(size)) for size in sys.argv[1:]]
    for result in map(measured, (each for rows in chosen for each in two_classes(rows))) if chosen else results():
        seconds = ", ".join(f"{name} {spent:.4f} s" for name, spent in result.get("cpu_seconds", {}).items())
        ratios = ", ".join(f"{name} {ratio:.3g}" for name, ratio in result["times_less_cpu"].items())
        print(f"{result['title']}: {seconds}; ratios: {ratios}", flush=True)  # noqa: T201
