"""ROC, precision-recall and all optimal thresholds of ten million rows, from the sort that the metrics make anyway."""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.binary_metrics import examples
from benchmarks.measure import Workload, measured
from referee.curve_points import curve_of_ranking, kinds
from referee.engines import summarise
from referee.predictions import Model, Predictions
from referee.scoring import metrics, values
from referee.thresholds import Objective
from referee.thresholds.choice import best_step

ROWS = 10_000_000
RANKING = (
    "roc_auc",
    "average_precision",
    "ks",
    "lift",
    "break_even_point",
    "recall_at_precision",
    "precision_at_recall",
)
OBJECTIVES = (
    Objective.of("f_beta"),
    Objective.of("accuracy"),
    Objective.of("youden"),
    Objective.of("expected_cost(fp=1, fn=5)"),
    Objective.of("recall_at_precision(precision=0.9)"),
    Objective.of("precision_at_recall(recall=0.8)"),
    Objective.of("recall", capacity=50),
)


def summary_of(truth, scores):
    predictions = Predictions("binary", truth, (Model("m", scores=scores),), ("0", "1"), 1)
    return summarise(predictions, predictions.models[0])


def ranking_metrics(summary):
    return {name: float(values(metrics[name], summary, 2, 1)[0]) for name in RANKING}


def everything(truth, scores):
    """The metrics, both curves and all optima of one ranking."""
    summary = summary_of(truth, scores)
    found = ranking_metrics(summary)
    ranking = summary.ranking(1)
    areas = [curve_of_ranking(ranking, kinds[kind]).area for kind in ("roc", "precision_recall")]
    return found | {
        "areas": areas,
        "best": [one.worth for one in (best_step(ranking, objective) for objective in OBJECTIVES)],
    }


def agree(answers):
    ours, alone = answers["referee"], answers["ranking metrics alone"]
    np.testing.assert_allclose(ours["areas"], [alone["roc_auc"], alone["average_precision"]], rtol=1e-12)
    np.testing.assert_allclose(ours["best"][4], alone["recall_at_precision"], rtol=1e-9)


def workloads(rows=ROWS):
    for kind, (truth, scores) in examples(rows).items():
        yield Workload(
            f"{len(RANKING)} ranking metrics, two curves and {len(OBJECTIVES)} optima, {rows:,} {kind} scores",
            {
                "referee": lambda t=truth, s=scores: everything(t, s),
                "ranking metrics alone": lambda t=truth, s=scores: ranking_metrics(summary_of(t, s)),
            },
            {"ranking metrics alone": 1 / 1.5},
            agree=agree,
        )


if __name__ == "__main__":
    for workload in workloads(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS):
        result = measured(workload)
        ratio = 1 / result["times_less_cpu"]["ranking metrics alone"]
        print(f"{result['title']}: {ratio:.2f} x the CPU of the metrics alone", result["cpu_seconds"])  # noqa: T201
