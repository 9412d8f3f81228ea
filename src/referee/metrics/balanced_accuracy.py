from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    # A class without rows has no recall and does not count.
    recalls = counts.diagonal / counts.true
    occurs = counts.true > 0
    return recalls.sum(axis=1, where=occurs) / occurs.sum(axis=1)


metric = Metric(
    title="Balanced accuracy",
    question="How often is the decision right if every class counts the same?",
    formula="({recall} + {specificity}) / 2 = mean of the recalls of the classes that occur",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    depends_on_prevalence=False,
    blind_to="how common the classes are in use: ten false alarms may weigh less than one missed positive",
    related=("accuracy", "informedness", "recall", "specificity"),
    references=(
        "K. H. Brodersen, C. S. Ong, K. E. Stephan and J. M. Buhmann (2010). The balanced accuracy and its posterior "
        "distribution. In ICPR, 3121-3124",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=2 / 3,
            source="the lecture's model test: (2/4 + 5/6) / 2",
        ),
    ),
)
