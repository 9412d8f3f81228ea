from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.correct / counts.total


metric = Metric(
    title="Accuracy",
    question="How often is the decision right?",
    formula="({TP} + {TN}) / ({TP} + {TN} + {FP} + {FN}) = {correct} / {all}",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    depends_on_prevalence=True,
    blind_to="which class the errors are in: with 1% positives, a model that never finds one is 99% accurate",
    aliases=("recognition_rate", "acc"),
    related=("error_rate", "balanced_accuracy", "kappa"),
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5",
    ),
    examples=(
        Example(
            truth=["Y", "Y", "N", "Y", "N", "N", "N", "Y", "N", "N"],
            prediction=["Y", "N", "N", "N", "N", "N", "Y", "Y", "N", "N"],
            value=7 / 10,
            source="the lecture's model test: 7 of 10",
        ),
    ),
)
