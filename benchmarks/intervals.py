"""Intervals and tests: confidenceinterval, MLstatkit, SciPy and loops of scikit-learn, with as many draws each."""

from __future__ import annotations

import numpy as np

import referee
from benchmarks.examples import two_classes
from benchmarks.measure import Workload, measured
from benchmarks.peers import agreed, optional

WITH_INTERVALS = ("accuracy", "precision", "recall", "roc_auc")
DRAWS = 1_000


def intervals_by_confidenceinterval(truth, scores):
    """Values with their intervals: Wilson's and DeLong's."""
    import confidenceinterval as ci

    decided = (scores >= 0.5).astype(np.int64)
    of_decisions = {"accuracy": ci.accuracy_score, "precision": ci.ppv_score, "recall": ci.tpr_score}
    values = {name: score(truth, decided, method="wilson")[0] for name, score in of_decisions.items()}
    return values | {"roc_auc": ci.roc_auc_score(truth, scores)[0]}


def with_intervals(rows):
    truth, models = two_classes(rows)
    run = optional("confidenceinterval", lambda: intervals_by_confidenceinterval(truth, models["m1"]))
    return Workload(
        f'evaluate(y, {{"m1": p}}, metrics=[{", ".join(WITH_INTERVALS)}])',
        f"{rows:,} rows, values and intervals",
        lambda: referee.evaluate(truth, models, metrics=WITH_INTERVALS),
        {"confidenceinterval": run},
        agree=agreed,
    )


def compared(rows, test, peers, agree=None):
    """Two models on AUC alone, by a test; the peers are given the truth and both scores."""
    truth, models = two_classes(rows, 2)
    return Workload(
        f'compare(y, {{"m1": p, "m2": q}}, goal="roc_auc", metrics=["roc_auc"], test="{test}")',
        f"{rows:,} rows",
        lambda: referee.compare(truth, models, goal="roc_auc", metrics=["roc_auc"], test=test),
        {name: run and (lambda run=run: run(truth, *models.values())) for name, run in peers.items()},
        agree=agree,
    )


def delong_by_mlstatkit(truth, *scores):
    from MLstatkit import Delong_test

    return float(Delong_test(truth, *scores, return_ci=False, return_auc=False)[1])


def delong_by_ranks(truth, *scores):
    """Sun and Xu (2014): placements from the ranks among all rows and among the rows of a class; p."""
    from scipy.stats import norm, rankdata

    positive = truth == 1
    p, n = int(positive.sum()), int((~positive).sum())
    areas, above, below = [], [], []
    for each in scores:
        among_all = rankdata(np.concatenate([each[positive], each[~positive]]))
        above.append((among_all[:p] - rankdata(each[positive])) / n)
        below.append(1 - (among_all[p:] - rankdata(each[~positive])) / p)
        areas.append(above[-1].mean())
    covariance = np.cov(above) / p + np.cov(below) / n
    spread = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    return float(2 * norm.sf(abs(areas[0] - areas[1]) / spread))


def same_p(answers):
    """The test's own p, to the digits that p values of rank tests share."""
    own = answers["referee"].comparisons[0].p
    for peer in answers.keys() - {"referee"}:
        np.testing.assert_allclose(answers[peer], own, rtol=1e-6, atol=1e-300, err_msg=peer)


def permuted(truth, a, b):
    """The two models of a row change places or not."""
    from sklearn.metrics import roc_auc_score

    draw, differences = np.random.default_rng(0), np.empty(DRAWS)
    for place in range(DRAWS):
        kept = draw.random(len(truth)) < 0.5
        first, second = np.where(kept, a, b), np.where(kept, b, a)
        differences[place] = roc_auc_score(truth, first) - roc_auc_score(truth, second)
    return differences


def drawn_again(truth, a, b):
    from sklearn.metrics import roc_auc_score

    draw, differences = np.random.default_rng(0), np.empty(DRAWS)
    for place in range(DRAWS):
        rows = draw.integers(0, len(truth), len(truth))
        differences[place] = roc_auc_score(truth[rows], a[rows]) - roc_auc_score(truth[rows], b[rows])
    return differences


def workloads():
    mlstatkit = optional("MLstatkit", delong_by_mlstatkit)
    for rows in (10_000, 1_000_000):
        yield with_intervals(rows)
        yield compared(rows, "delong", {"MLstatkit": mlstatkit, "scipy.stats.rankdata": delong_by_ranks}, same_p)
    loop = f"a loop of scikit-learn, as many ({DRAWS:,})"
    yield compared(2_000, f"permutation(permutations={DRAWS})", {loop: permuted})
    yield compared(2_000, f"bootstrap(replicates={DRAWS})", {loop: drawn_again})


def results():
    for workload in workloads():
        yield from measured(workload)
