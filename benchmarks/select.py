"""10 x 10-fold of six estimators on 20,000 x 16 with five metrics, against scikit-learn's cross_validate.

`REFEREE_BENCH_REPEATS=1 python -m benchmarks select` runs fewer repeats; the rows say so.
"""

from __future__ import annotations

import os

import numpy as np

import referee
from benchmarks.measure import Workload, children_clock, figure, rows_of, whole_clock

ROWS, COLUMNS, FOLDS = 20_000, 16, 10
REPEATS = int(os.environ.get("REFEREE_BENCH_REPEATS", "10"))
MODELS = ["tree", "tree(prune=true)", "naive_bayes", "knn(k=5)", "knn(k=50)", "logistic"]
METRICS = {"accuracy": "accuracy", "roc_auc": "roc_auc", "log_loss": "neg_log_loss", "f_beta": "f1",
           "brier": "neg_brier_score"}  # fmt: skip
WITHOUT_LOSS = ("accuracy", "roc_auc", "f_beta", "brier")
COMPARABLE = {
    "naive_bayes": tuple(METRICS), "logistic": tuple(METRICS), "knn": WITHOUT_LOSS, "tree": WITHOUT_LOSS,
    "knn(k=50)": ("roc_auc", "log_loss", "brier"),
}  # fmt: skip
"""scikit-learn prunes in another way, limits the loss of impossible rows, and decides ties of votes the other way."""
PEER, TARGET, MOST_START = "cross_validate", 1.7, 0.03
FEW_ROWS = 200


def table(rows):
    draw = np.random.default_rng(0)
    x = draw.normal(size=(rows, COLUMNS))
    return x, (x[:, :4].sum(axis=1) + 2 * draw.normal(size=rows) > 0).astype(int)


def splitter():
    """The same splits for both; scikit-learn draws them."""
    from sklearn.model_selection import RepeatedStratifiedKFold

    return RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)


def with_sklearn(x, y):
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_validate
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    estimators = {
        "tree": DecisionTreeClassifier(criterion="entropy", random_state=0),
        "tree(prune=true)": DecisionTreeClassifier(criterion="entropy", random_state=0, ccp_alpha=1e-3),
        "naive_bayes": GaussianNB(),
        "knn": make_pipeline(MinMaxScaler(), KNeighborsClassifier(5)),
        "knn(k=50)": make_pipeline(MinMaxScaler(), KNeighborsClassifier(50)),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000, random_state=0)),
    }
    return {
        name: cross_validate(estimator, x, y, cv=splitter(), scoring=list(METRICS.values()))
        for name, estimator in estimators.items()
    }


def spent(run, clock=whole_clock):
    started = clock()
    answer = run()
    return answer, clock() - started


def agree(verdict, values):
    means = {(row.model, row.metric): row.value for row in verdict.scores if row.unit == "mean" and row.class_ is None}
    for name, comparable in COMPARABLE.items():
        for metric in comparable:
            expected = abs(values[name][f"test_{METRICS[metric]}"].mean())
            # Splits of a tree that are equally good are chosen by a seed, and the seeds of fits are not the same.
            near = 1e-3 if name == "tree" else 1e-6
            np.testing.assert_allclose(means[name, metric], expected, rtol=near, err_msg=f"{name}, {metric}")


def selected(x, y, scheme):
    return referee.select(MODELS, x, y, goal="roc_auc", scheme=scheme, metrics=[*METRICS])


def results():
    """One run each; the start of a worker is what the same models take of a few rows."""
    x, y = table(ROWS)
    verdict, own = spent(lambda: selected(x, y, splitter()))
    values, theirs = spent(lambda: with_sklearn(x, y))
    agree(verdict, values)
    call = 'select([6 learners], X, y, goal="roc_auc", metrics=[5 metrics], scheme=RepeatedStratifiedKFold(...))'
    size = f"{FOLDS * REPEATS} fits of each on {ROWS:,} x {COLUMNS}"
    yield from rows_of(Workload(call, size, None, {PEER: None}, {PEER: TARGET}), {"referee": own, PEER: theirs})
    few = table(FEW_ROWS)
    _, start = spent(lambda: selected(*few, "stratified_k_fold(k=2)"), children_clock)
    yield figure(call, f"{size}, the start of a worker", "of all CPU", start / own, MOST_START)
