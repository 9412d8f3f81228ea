from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return (counts.total - counts.correct) / counts.total


metric = Metric(
    title="Error rate",
    question="How often is the decision wrong?",
    formula="({FP} + {FN}) / ({TP} + {TN} + {FP} + {FN}) = {wrong} / {all} = 1 - accuracy",
    needs="labels",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    depends_on_prevalence=True,
    blind_to="which class the errors are in, and what each kind of error costs",
    aliases=("zero_one_loss", "misclassification_rate"),
    related=("accuracy", "expected_cost", "balanced_accuracy"),
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=3 / 10,
            source="the lecture's model test: FP 1 and FN 2 of 10",
        ),
    ),
)
