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
MODELS, CLASSES, SLICES = (1, 2, 5, 20, 50), (2, 3, 10, 20, 40), (100, 1_000)


def evaluated_models(rows=10_000):
    """Each of many models on all metrics."""
    call = "evaluate(y, models)"
    for models in MODELS:
        truth, each = examples.two_classes(rows, models)
        yield Workload(
            call,
            f"{models} models x {rows:,} rows",
            lambda t=truth, e=each: referee.evaluate(t, e),
            series=f"{call}, in models",
            n=models,
        )


def compared_models(rows=10_000):
    """Every pair of many models on all metrics, and on the goal alone, as it is from 50 models on anyway."""
    alone = {"metrics": ["roc_auc"]}
    for more, call, sizes in (
        ({}, 'compare(y, models, goal="roc_auc")', (2, 5, 20)),
        (alone, 'compare(y, models, goal="roc_auc", metrics=["roc_auc"])', (2, 20, 200)),
    ):
        for models in sizes:
            truth, each = examples.two_classes(rows, models)
            first = {"m1": each["m1"]}
            yield Workload(
                call,
                f"{models} models x {rows:,} rows",
                lambda t=truth, e=each, m=more: referee.compare(t, e, goal="roc_auc", **m),
                {
                    "evaluate of one": lambda t=truth, f=first, m=more: referee.evaluate(t, f, **m),
                    "scikit-learn's 12 of each": lambda t=truth, e=each: [twelve_by_sklearn(t, s) for s in e.values()],
                },
                {"evaluate of one": TWENTY_MODELS} if models == 20 and not more else {},
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


def subsets(rows=27_000, how_many=100, partitions=5):
    """The test set dealt out again and again, as the paper does it."""
    truth, models = examples.two_classes(rows, 2)
    return Workload(
        f'compare(y, {{"m1": p, "m2": q}}, goal="roc_auc", metrics=["roc_auc"], subsets={how_many}, '
        f"partitions={partitions})",
        f"{rows:,} rows",
        lambda: referee.compare(
            truth, models, goal="roc_auc", metrics=["roc_auc"], subsets=how_many, partitions=partitions
        ),
        {"a loop of scikit-learn, as many subsets": lambda: auc_of_subsets(truth, models, how_many, partitions)},
    )


def auc_of_subsets(truth, models, how_many, partitions):
    from sklearn.metrics import roc_auc_score

    draw = np.random.default_rng(0)
    dealt = (np.array_split(draw.permutation(len(truth)), how_many) for _ in range(partitions))
    return [roc_auc_score(truth[part], s[part]) for parts in dealt for part in parts for s in models.values()]


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
