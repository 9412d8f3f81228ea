"""Two classes from a thousand rows to ten million: one model on twelve metrics and on all, and two models compared."""

from __future__ import annotations

import referee
from benchmarks.examples import two_classes
from benchmarks.limit_kernel import compiler, twelve_at_the_limit
from benchmarks.measure import Workload, measured
from benchmarks.peers import (
    TWELVE,
    agreed,
    optional,
    shown_by_sklearn,
    ten_by_torchmetrics,
    twelve_by_numpy,
    twelve_by_polars,
    twelve_by_sklearn,
)

OF_TWELVE = {1_000: 2, 10_000: 3, 100_000: 4, 1_000_000: 5, 10_000_000: 5}
"""How many times less CPU than scikit-learn's twelve functions `evaluate` should need, by the rows."""
OF_LIMIT = {1_000_000: 1 / 10, 10_000_000: 1 / 10}
ALL_METRICS, ALL_METRICS_UP_TO = {100_000: 0.7}, 1_000_000
TORCHMETRICS, LIMIT = "torchmetrics, 10 of the 12", "limit kernel"
TWELVE_CALL = 'evaluate(y, {"m1": p}, metrics=[12 metrics])'


def twelve_metrics(rows):
    truth, models = two_classes(rows)
    scores = models["m1"]
    return Workload(
        TWELVE_CALL,
        f"{rows:,} rows",
        lambda: referee.evaluate(truth, models, metrics=TWELVE),
        {
            "scikit-learn": lambda: twelve_by_sklearn(truth, scores),
            "NumPy": lambda: twelve_by_numpy(truth, scores),
            "polars": lambda: twelve_by_polars(truth, scores),
            TORCHMETRICS: optional("torchmetrics", lambda: ten_by_torchmetrics(truth, scores)),
            LIMIT: (lambda: twelve_at_the_limit(truth, scores)) if compiler() else None,
        },
        {"scikit-learn": OF_TWELVE[rows]} | ({LIMIT: OF_LIMIT[rows]} if rows in OF_LIMIT else {}),
        agree=agreed,
        series=f"{TWELVE_CALL}, in rows",
        n=rows,
    )


def all_metrics(rows):
    truth, models = two_classes(rows)
    call = 'evaluate(y, {"m1": p})'
    return Workload(
        call,
        f"{rows:,} rows",
        lambda: referee.evaluate(truth, models),
        {"scikit-learn's 35 calls for the same": lambda: shown_by_sklearn(truth, models["m1"])},
        {"scikit-learn's 35 calls for the same": ALL_METRICS[rows]} if rows in ALL_METRICS else {},
        agree=agreed,
        series=f"{call}, in rows",
        n=rows,
    )


def two_models(rows):
    truth, models = two_classes(rows, 2)
    call = 'compare(y, {"m1": p, "m2": q}, goal="roc_auc")'
    return Workload(
        call,
        f"{rows:,} rows",
        lambda: referee.compare(truth, models, goal="roc_auc"),
        {"scikit-learn's 12 of both": lambda: [twelve_by_sklearn(truth, each) for each in models.values()]},
        {"scikit-learn's 12 of both": ALL_METRICS[rows]} if rows in ALL_METRICS else {},
        series=f"{call}, in rows",
        n=rows,
    )


def everything_said(rows):
    """A verdict makes what it says of other metrics when it is asked: all of it."""
    truth, models = two_classes(rows, 2)
    return Workload(
        'compare(y, {"m1": p, "m2": q}, goal="roc_auc").to_json()',
        f"{rows:,} rows",
        lambda: referee.compare(truth, models, goal="roc_auc").to_json(),
        {
            "scikit-learn's 35 calls of both": lambda: [shown_by_sklearn(truth, each) for each in models.values()],
        },
    )


def results():
    for rows in OF_TWELVE:
        yield from measured(twelve_metrics(rows))
        if rows <= ALL_METRICS_UP_TO:
            yield from measured(all_metrics(rows))
            yield from measured(two_models(rows))
        if rows in ALL_METRICS:
            yield from measured(everything_said(rows))
