from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.fp / counts.N


metric = Metric(
    title="False positive rate",
    question="Of all the negatives, how many raise a false alarm?",
    formula="FP / N = {FP} / ({FP} + {TN}) = 1 - specificity",
    needs="labels",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="there is no negative row",
    blind_to="missed positives: a model that never raises an alarm has no false one",
    aliases=("fpr", "fall_out", "false_alarm_rate"),
    related=("specificity", "recall", "roc_auc"),
    references=("T. Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27, 861-874",),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
            value=1 / 4,
            source="the lecture's ROC table, fourth row: FPR = 1/4",
        ),
    ),
)
