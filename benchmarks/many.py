"""Many models, classes, slices and subsets; weights, groups and numbers."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks import examples
from benchmarks.measure import Workload, measured
from benchmarks.peers import (
    FIVE_OF_NUMBERS,
    TWELVE,
    agreed,
    classes_by_sklearn,
    numbers_by_sklearn,
    twelve_by_sklearn,
)

FIVE = ("accuracy", "f1", "roc_auc", "log_loss", "brier")
TWENTY_MODELS, SLICED, TEN_CLASSES = 1 / 30, 1 / 3, 1 / 5
MODELS, CLASSES, SLICES = (1, 2, 5, 20, 50, 200), (2, 3, 10, 20, 40), (100, 1_000)


def evaluated_models(rows=10_000):
    """Each of many models on all metrics."""
    call = "evaluate(y, models)"
    for models in MODELS[:-1]:
        truth, each = examples.two_classes(rows, models)
        yield Workload(
            call,
            f"{models} models x {rows:,} rows",
            lambda t=truth, e=each: referee.evaluate(t, e),
            series=f"{call}, in models",
            n=models,
        )


def compared_models(rows=10_000):
    """Every pair of many models; from 50 on only the goal is judged."""
    call = 'compare(y, models, goal="roc_auc")'
    for models in MODELS[1:]:
        truth, each = examples.two_classes(rows, models)
        first = {"m1": each["m1"]}
        yield Workload(
            call,
            f"{models} models x {rows:,} rows",
            lambda t=truth, e=each: referee.compare(t, e, goal="roc_auc"),
            {
                "evaluate of one": lambda t=truth, f=first: referee.evaluate(t, f),
                "scikit-learn's 12 of each": lambda t=truth, e=each: [twelve_by_sklearn(t, s) for s in e.values()],
            },
            {"evaluate of one": TWENTY_MODELS} if models == 20 else {},
            series=f"{call}, in models",
            n=models,
        )


def classes(rows=2_000):
    """All metrics, and all but hand_till, which compares every pair of classes."""
    names = [
        name
        for name, metric in referee.metrics.items()
        if name != "hand_till" and "multiclass" in metric.tasks and metric.needs != "quantiles"
    ]
    for how_many in CLASSES:
        truth, shares = examples.many_classes(rows, how_many)
        peers = {"scikit-learn's report, ovo AUC, log loss": lambda t=truth, s=shares: classes_by_sklearn(t, s)}
        yield Workload(
            'evaluate(y, {"m1": p})',
            f"{how_many} classes x {rows:,} rows",
            lambda t=truth, s=shares: referee.evaluate(t, {"m1": s}),
            peers if how_many > 2 else {},
            dict.fromkeys(peers, TEN_CLASSES) if how_many == 10 else {},
            agree=agreed,
        )
        if how_many > 2:
            yield Workload(
                'evaluate(y, {"m1": p}, metrics=[all but hand_till])',
                f"{how_many} classes x {rows:,} rows",
                lambda t=truth, s=shares: referee.evaluate(t, {"m1": s}, metrics=names),
                series="evaluate, all metrics but hand_till, in classes",
                n=how_many,
            )


def slices(rows=1_000_000):
    truth, models = examples.two_classes(rows)
    for how_many in SLICES:
        site = examples.places(rows, how_many)
        yield Workload(
            'evaluate(y, {"m1": p}, metrics=[5 metrics], by={"site": site})',
            f"{how_many:,} sites, {rows:,} rows",
            lambda s=site: referee.evaluate(truth, models, metrics=FIVE, by={"site": s}),
            {"without slices": lambda: referee.evaluate(truth, models, metrics=FIVE)},
            {"without slices": SLICED},
        )


def weighted(rows=100_000):
    truth, models = examples.two_classes(rows)
    weight = examples.weights(rows)
    return Workload(
        'evaluate(y, {"m1": p}, metrics=[12 metrics], weight=w)',
        f"{rows:,} rows",
        lambda: referee.evaluate(truth, models, metrics=TWELVE, weight=weight),
        {"scikit-learn": lambda: twelve_by_sklearn(truth, models["m1"], weight)},
        agree=agreed,
    )


def grouped(rows=100_000, groups=1_000):
    truth, models = examples.two_classes(rows, 2)
    group = examples.places(rows, groups)
    return Workload(
        'compare(y, {"m1": p, "m2": q}, goal="roc_auc", group=g)',
        f"{groups:,} groups, {rows:,} rows",
        lambda: referee.compare(truth, models, goal="roc_auc", group=group),
        {"without groups": lambda: referee.compare(truth, models, goal="roc_auc")},
    )


def subsets(rows=27_000, how_many=100):
    """The test set dealt out again and again, as the paper does it, against one deal of scikit-learn's AUC."""
    truth, models = examples.two_classes(rows, 2)
    return Workload(
        'compare(y, {"m1": p, "m2": q}, goal="roc_auc", metrics=["roc_auc"], subsets=100, partitions=25)',
        f"{rows:,} rows",
        lambda: referee.compare(truth, models, goal="roc_auc", metrics=["roc_auc"], subsets=how_many, partitions=25),
        {"a loop of scikit-learn, 1 of 25 partitions": lambda: auc_of_subsets(truth, models, how_many)},
    )


def auc_of_subsets(truth, models, how_many):
    from sklearn.metrics import roc_auc_score

    parts = np.array_split(np.random.default_rng(0).permutation(len(truth)), how_many)
    return [roc_auc_score(truth[rows], scores[rows]) for scores in models.values() for rows in parts]


def of_numbers(rows):
    truth, guess = examples.numbers(rows)
    five = ", ".join(FIVE_OF_NUMBERS)
    yield Workload(
        f'evaluate(y, {{"m1": p}}, metrics=[{five}])',
        f"numbers, {rows:,} rows",
        lambda: referee.evaluate(truth, {"m1": guess}, metrics=FIVE_OF_NUMBERS),
        {"scikit-learn": lambda: numbers_by_sklearn(truth, guess)},
        agree=agreed,
    )
    yield Workload(
        'evaluate(y, {"m1": p})',
        f"numbers, {rows:,} rows",
        lambda: referee.evaluate(truth, {"m1": guess}),
        {"scikit-learn's 5": lambda: numbers_by_sklearn(truth, guess)},
        agree=agreed,
    )


def workloads():
    yield from evaluated_models()
    yield from compared_models()
    yield from classes()
    yield from slices()
    yield weighted()
    yield grouped()
    yield subsets()
    yield from of_numbers(10_000)
    yield from of_numbers(1_000_000)


def results():
    for workload in workloads():
        yield from measured(workload)
