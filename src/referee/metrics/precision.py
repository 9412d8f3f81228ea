from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tp / (counts.tp + counts.fp)


metric = Metric(
    title="Precision",
    question="When the model says positive, how often is it right?",
    formula="{TP} / ({TP} + {FP})",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="no row was predicted positive",
    blind_to="the positives that were missed: a single certain hit is perfect",
    aliases=("positive_predictive_value", "ppv"),
    related=("recall", "f_beta", "average_precision", "recall_at_precision"),
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=2 / 3,
            source="the lecture's model test: 2 of the 3 rows called Y are Y",
        ),
    ),
)
