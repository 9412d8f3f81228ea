"""10 x 10-fold of six estimators on 20,000 x 16 with five metrics, against scikit-learn's cross_validate.

`REFEREE_BENCH_SPLITS=10 python -m benchmarks select` runs the first splits only; the titles say so.
"""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from referee.fitting import DataSet, Split, Store, estimators_of, families, schemes, select
from referee.fitting.fit_runs import Limits, fit_all

ROWS, COLUMNS = 20_000, 16
SPLITS = int(os.environ.get("REFEREE_BENCH_SPLITS", "100"))
MODELS = ["tree", "tree(prune=true)", "naive_bayes", "knn(k=5)", "knn(k=50)", "logistic"]
METRICS = {
    "accuracy": "accuracy",
    "roc_auc": "roc_auc",
    "log_loss": "neg_log_loss",
    "f_beta": "f1",
    "brier": "neg_brier_score",
}
COMPARABLE = dict.fromkeys(("naive_bayes", "logistic"), METRICS) | {
    "knn": ("accuracy", "roc_auc", "f_beta", "brier"),
    "tree": ("accuracy", "roc_auc", "f_beta", "brier"),
    "knn(k=50)": ("roc_auc", "log_loss", "brier"),
}
"""scikit-learn prunes in another way, limits the loss of impossible rows, and decides ties of votes the other way."""


def table():
    draw = np.random.default_rng(0)
    x = draw.normal(size=(ROWS, COLUMNS))
    return x, (x[:, :4].sum(axis=1) + 2 * draw.normal(size=ROWS) > 0).astype(int)


class FirstSplits:
    """The same splits for everybody, as a splitter of scikit-learn."""

    def __init__(self, x, y):
        every = list(schemes["stratified_k_fold(k=10, repeats=10)"].split(x, y))
        self.splits = every[:SPLITS]

    def split(self, X, y=None, groups=None):  # noqa: ARG002, N803 (scikit-learn's protocol)
        return iter(self.splits)

    def get_n_splits(self, X=None, y=None, groups=None):  # noqa: ARG002, N803
        return len(self.splits)


@contextmanager
def measured():
    """CPU of this process and its workers, and wall clock."""
    used = SimpleNamespace()
    before, started = os.times(), time.perf_counter()
    yield used
    after = os.times()
    used.wall = time.perf_counter() - started
    used.cpu = sum(after[:4]) - sum(before[:4])


def with_sklearn(x, y, splitter, *, train):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.tree import DecisionTreeClassifier
    from threadpoolctl import threadpool_limits

    estimators = {
        "tree": DecisionTreeClassifier(criterion="entropy", random_state=0),
        "tree(prune=true)": DecisionTreeClassifier(criterion="entropy", random_state=0, ccp_alpha=1e-3),
        "naive_bayes": GaussianNB(),
        "knn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(5)),
        "knn(k=50)": make_pipeline(MinMaxScaler(), KNeighborsClassifier(50)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=0)),
    }
    with threadpool_limits(1):
        return {
            name: cross_validate(one, x, y, cv=splitter, scoring=list(METRICS.values()), return_train_score=train)
            for name, one in estimators.items()
        }


def agree(verdict, found):
    for name, comparable in COMPARABLE.items():
        for own in comparable:
            (value,) = [one.value for one in verdict.scores
                        if (one.model, one.metric, one.unit) == (name, own, "mean") and one.class_ is None]  # fmt: skip
            expected = abs(found[name][f"test_{METRICS[own]}"].mean())
            np.testing.assert_allclose(value, expected, rtol=1e-6, err_msg=f"{name}, {own}")


def result(title, own, peer, peer_name, goal, **more):
    ratio = peer / own
    return {
        "title": title,
        "cpu_seconds": {"referee": own, peer_name: peer},
        "times_less_cpu": {peer_name: ratio},
        "goals": {} if goal is None else {peer_name: goal},
        "met": {} if goal is None else {peer_name: ratio >= goal},
        **more,
    }


def results():
    x, y = table()
    splitter = FirstSplits(x, y)
    what = f"{len(splitter.splits)} of 100 splits (10 x 10-fold) of {len(MODELS)} models, {ROWS:,} x {COLUMNS}"
    with measured() as ours:
        verdict = select(MODELS, x, y, goal="roc_auc", scheme=splitter, metrics=[*METRICS])
    with measured() as theirs:
        found = with_sklearn(x, y, splitter, train=True)
    agree(verdict, found)
    with measured() as test_only:
        with_sklearn(x, y, splitter, train=False)
    title = f"select: {what}, five metrics, training scores of as many rows as are tested, against"
    yield result(f"{title} cross_validate", ours.cpu, test_only.cpu, "scikit-learn", 1.7)
    peer = "scikit-learn with training scores"
    yield result(f"{title} cross_validate with scores of all training rows", ours.cpu, theirs.cpu, peer, None)
    yield from parts_of_a_run(x, y, splitter, what, ours)


def parts_of_a_run(x, y, splitter, what, whole):
    data = DataSet.from_arrays(x, y)
    splits = [Split(*parts, place // 10 + 1, place % 10 + 1) for place, parts in enumerate(splitter.splits)]
    estimators = estimators_of(MODELS, data.features, data.task, 0)
    with tempfile.TemporaryDirectory() as folder, timed_store() as store, measured() as stored:
        records, _ = fit_all(data, splits, estimators, folder=folder)
    work = fitting_and_predicting(records, families(estimators), len(splits))
    yield result(f"select: {what}, against its fits and predictions alone", whole.cpu, work, "fit and predict", 0.95)
    without = stored.cpu - store.cpu
    more = {"store_wall_share": store.wall / stored.wall}
    yield result(f"select: {what}, with a store", stored.cpu, without, "without a store", 0.98, **more)
    with measured() as two:
        fit_all(data, splits, estimators, limits=Limits(jobs=2))
    with measured() as one:
        fit_all(data, splits, estimators)
    yield {
        "title": f"select: {what}, wall clock of 1 worker against 2 (on two idle cores)",
        "wall_seconds": {"2 workers": two.wall, "1 worker": one.wall},
        "times_less_cpu": {},
        "times_less_wall": {"1 worker": one.wall / two.wall},
        "goals": {"1 worker": 1.7},
        "met": {"1 worker": one.wall / two.wall >= 1.7},
    }


def fitting_and_predicting(records, groups, splits):
    """CPU in fits and predictions; what a family shares is counted once."""
    seconds = ("fit_seconds", "predict_seconds", "train_predict_seconds")
    return sum(
        max(records[name, split][kind] for name in group)
        for split in range(splits)
        for group in groups
        for kind in seconds
    )


@contextmanager
def timed_store():
    """How long saving takes."""
    used, save = SimpleNamespace(cpu=0.0, wall=0.0), Store.save

    def timed(self, key, record):
        started = time.process_time(), time.perf_counter()
        save(self, key, record)
        used.cpu += time.process_time() - started[0]
        used.wall += time.perf_counter() - started[1]

    Store.save = timed
    try:
        yield used
    finally:
        Store.save = save
