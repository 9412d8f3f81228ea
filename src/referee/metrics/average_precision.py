from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking) -> Array:
    precision_at_hits = ranking.sum(lambda at: at.tp / (at.tp + at.fp) * at.positives) / ranking.P
    # With positives only every ranking would be perfect.
    return np.where(ranking.N > 0, precision_at_hits, np.nan)


metric = Metric(
    title="Average precision (PR AUC)",
    question="How pure is the top of the ranking, on average over the positives?",
    formula="{sum_of_precisions:sum over the positives of the precision at their score} / {positives} = "
    "sum over the distinct scores of precision x step in recall, no interpolation",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="only one class is present",
    blind_to="calibration, and the negatives that rank below every positive; chance is the share of positives, not 0.5",
    aliases=("pr_auc", "auprc"),
    related=("roc_auc", "precision", "recall", "recall_at_precision", "break_even_point"),
    references=(
        "J. Davis and M. Goadrich (2006). The relationship between precision-recall and ROC curves. In ICML, 233-240",
        "C. D. Manning, P. Raghavan and H. Schütze (2008). Introduction to Information Retrieval. Cambridge "
        "University Press, chapter 8",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=(1 / 1 + 2 / 2 + 3 / 4 + 4 / 5 + 5 / 7 + 6 / 10) / 6,
            source="the lecture's ROC table: TP / (TP + FP) at its six positives",
        ),
    ),
)
