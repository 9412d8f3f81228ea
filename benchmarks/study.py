"""The paper's experiment, 15 cases x 100 repetitions, against a loop of scikit-learn's metrics over the subsets.

Both are measured on a slice and multiplied: the whole loop would take hours.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import Workload, measured
from referee.fitting import Rows
from referee.paper import run
from referee.paper.settings import FIVE, Settings
from referee.paper.subsets import compared, deal, decided

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "uci"
ROWS, CASES, REPETITIONS = 10_992, 15, 100
FEW, MORE = 1, 4
"""Repetitions of two runs, the difference of which has no start-up."""
MOST_SECONDS, TIMES_LESS = 150, 50
MOST_OF_METRICS = 0.2
"""The share of all CPU seconds that metrics and tests may take."""
LIMIT = "the limit of the share of metrics and tests"


def example():
    """The rows of the pen digits, and two models with ties as neighbours make them."""
    draw = np.random.default_rng(0)
    truth = (draw.random(ROWS) < 0.3).astype(np.int64)
    dealt = deal(Rows(ROWS, labels=truth), Settings(), 1)
    a, b = (np.clip(draw.normal(0.3 + 0.4 * truth, 0.25), 0.02, 0.98) for _ in range(2))
    others = dealt.others
    return truth[others], (a[others] * 50).round() / 50, (b[others] * 5).round().clip(1, 4) / 5, dealt


def with_referee(truth, a, b, dealt):
    """The values' differences on all subsets, and who is better by both tests."""
    found = compared(truth, a, b, 1, dealt, Settings().measured)["differences"]
    for test in ("t", "sign"):
        decided(np.moveaxis(found, 0, 1), test)
    return found


def with_sklearn(truth, a, b, dealt):
    from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, log_loss, roc_auc_score

    found = []
    for partition, units in dealt.places.values():
        for unit in range(units.start, units.stop):
            rows = dealt.codes[partition] == unit
            y = truth[rows]
            values = [
                (accuracy_score(y, s[rows] >= 0.5), roc_auc_score(y, s[rows]), f1_score(y, s[rows] >= 0.5),
                 brier_score_loss(y, s[rows]) ** 0.5, log_loss(y, s[rows]))
                for s in (a, b)
            ]  # fmt: skip
            found.append(np.subtract(*values))
    return np.array(found)


def agree(answers):
    np.testing.assert_allclose(answers["scikit-learn"], answers["referee"], atol=1e-12)


def results():
    given = example()
    subsets = measured(
        Workload(
            f"one of {CASES * REPETITIONS:,} repetitions of a case: {len(FIVE)} metrics of 2 models on 300 subsets",
            {"referee": lambda: with_referee(*given), "scikit-learn": lambda: with_sklearn(*given)},
            {"scikit-learn": 100},
            rounds=2,
            agree=agree,
        )
    )
    yield subsets
    if not DATA.is_dir():
        sys.stderr.write(f"the whole experiment was not measured: there is no folder {DATA}\n")
        return
    yield _whole(subsets["cpu_seconds"]["scikit-learn"] * CASES * REPETITIONS)


def _whole(of_the_loop):
    """Fits, metrics and tests of all cases, as `referee study` does them."""
    (few, few_measuring), (more, more_measuring) = (_cpu_of(repetitions) for repetitions in (FEW, MORE))
    total = (more - few) / (MORE - FEW) * REPETITIONS
    ratio, share = of_the_loop / total, (more_measuring - few_measuring) / (more - few)
    return {
        "title": f"referee study, all tables, {REPETITIONS} repetitions (from {MORE - FEW}) beyond start-up, "
        f"fits included, against the loop of metrics alone (extrapolated from 1 of {CASES * REPETITIONS:,})",
        "cpu_seconds": {"referee": total, "scikit-learn": of_the_loop},
        "share_of_metrics_and_tests": share,
        "times_less_cpu": {
            "scikit-learn": ratio, "the limit in seconds": MOST_SECONDS / total, LIMIT: MOST_OF_METRICS / share
        },
        "goals": {"scikit-learn": TIMES_LESS, "the limit in seconds": 1, LIMIT: 1},
        "met": {
            "scikit-learn": ratio >= TIMES_LESS, "the limit in seconds": total <= MOST_SECONDS,
            LIMIT: share <= MOST_OF_METRICS,
        },
    }  # fmt: skip


def _cpu_of(repetitions):
    """CPU seconds of all, and of metrics on the subsets, tests and tables."""
    started = time.process_time() + _of_children()
    study = run(DATA, repetitions=repetitions)
    fitted = time.process_time()
    study.to_dict()
    after = time.process_time() - fitted
    return time.process_time() + _of_children() - started, after + study.seconds["metrics"]


def _of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
