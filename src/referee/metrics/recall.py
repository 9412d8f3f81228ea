from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tp / counts.P


metric = Metric(
    title="Recall (sensitivity)",
    question="Of all the positives, how many does the model catch?",
    formula="TP / P = {TP} / ({TP} + {FN})",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="there is no positive row",
    blind_to="false alarms: calling everything positive catches every positive",
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate"),
    related=("precision", "specificity", "f_beta", "recall_at_precision"),
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5",
    ),
    examples=(
        Example(
            truth=[1] * 300 + [0] * 9700,
            prediction=[1] * 90 + [0] * 210 + [1] * 140 + [0] * 9560,
            value=90 / 300,
            source="the lecture's cancer example: 30.00%",
        ),
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=2 / 4,
            source="the lecture's model test: 2 of the 4 rows that are Y are called Y",
        ),
    ),
)
