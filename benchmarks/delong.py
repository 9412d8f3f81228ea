"""DeLong's test on a million rows, against MLstatkit and code with scipy.stats.rankdata."""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Workload
from benchmarks.two_models import two_models
from referee.comparing import Contender, Design, tests
from referee.predictions import Model, Predictions
from referee.scoring import metrics

ROWS = 1_000_000


def with_referee(truth, models):
    given = tuple(Model(name, scores=scores) for name, scores in zip("ab", models, strict=True))
    predictions = Predictions("binary", truth, given, ("0", "1"), 1)
    a, b = (Contender(predictions, model, metrics["roc_auc"]) for model in predictions.models)
    return tests["delong"].apply(a, b, Design("rows", "row")).statistic


def by_mid_ranks(truth, models, mid_ranks):
    """Sun and Xu (2014): placements from the ranks among all rows and among the rows of a class."""
    positive = truth == 1
    p, n = int(positive.sum()), int((~positive).sum())
    areas, above, below = [], [], []
    for scores in models:
        of_positives, of_negatives = scores[positive], scores[~positive]
        among_all = mid_ranks(np.concatenate([of_positives, of_negatives]))
        above.append((among_all[:p] - mid_ranks(of_positives)) / n)
        below.append(1 - (among_all[p:] - mid_ranks(of_negatives)) / p)
        areas.append(above[-1].mean())
    covariance = np.cov(above) / p + np.cov(below) / n
    return (areas[0] - areas[1]) / np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])


def with_scipy(truth, models):
    from scipy.stats import rankdata

    return by_mid_ranks(truth, models, rankdata)


def with_loops(truth, models):
    """The usual code: a loop over the sorted scores, as in MLstatkit, which is used itself if it is installed."""
    try:
        from MLstatkit.delong import Delong_test
    except ImportError:
        return by_mid_ranks(truth, models, mid_ranks_by_loop)
    # Its difference is the second less the first.
    return -Delong_test(truth, *models, return_ci=False, return_auc=False)[0]


def mid_ranks_by_loop(scores):
    order = np.argsort(scores, kind="mergesort")
    ranked, ranks = scores[order], np.empty(len(scores))
    first = 0
    while first < len(ranked):
        last = first
        while last < len(ranked) and ranked[last] == ranked[first]:
            last += 1
        ranks[first:last] = (first + last + 1) / 2
        first = last
    found = np.empty(len(scores))
    found[order] = ranks
    return found


def agree(answers):
    for name, statistic in answers.items():
        np.testing.assert_allclose(statistic, answers["referee"], rtol=1e-8, err_msg=name)


def workloads():
    truth, models = two_models(ROWS)
    return [
        Workload(
            f"DeLong's test, {ROWS:,} rows",
            {
                "referee": lambda: with_referee(truth, models),
                "MLstatkit": lambda: with_loops(truth, models),
                "scipy.stats.rankdata": lambda: with_scipy(truth, models),
            },
            {"MLstatkit": 10, "scipy.stats.rankdata": 3},
            agree=agree,
        )
    ]
