from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tn / counts.N


metric = Metric(
    title="Specificity",
    question="Of all the negatives, how many does the model leave alone?",
    formula="TN / N = {TN} / ({TN} + {FP})",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="there is no negative row",
    blind_to="missed positives: calling nothing positive is perfectly specific",
    aliases=("tnr", "true_negative_rate", "selectivity"),
    related=("recall", "false_positive_rate", "informedness", "balanced_accuracy"),
    references=(
        "J. Yerushalmy (1947). Statistical problems in assessing methods of medical diagnosis, with special reference "
        "to X-ray techniques. Public Health Reports 62, 1432-1449",
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5",
    ),
    examples=(
        Example(
            truth=[1] * 300 + [0] * 9700,
            prediction=[1] * 90 + [0] * 210 + [1] * 140 + [0] * 9560,
            value=9560 / 9700,
            source="the lecture's cancer example: 98.56%",
        ),
    ),
)
