from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tn / (counts.tn + counts.fn)


metric = Metric(
    title="Negative predictive value",
    question="When the model says negative, how often is it right?",
    formula="{TN} / ({TN} + {FN})",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="no row was predicted negative",
    blind_to="false alarms; and where positives are rare, it is near 1 whatever the model predicts",
    aliases=("npv",),
    related=("precision", "specificity", "recall"),
    references=("D. G. Altman and J. M. Bland (1994). Diagnostic tests 2: predictive values. BMJ 309, 102",),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=5 / 7,
            source="the lecture's model test: 5 of the 7 rows called N are N",
        ),
    ),
)
