from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tp / counts.P - counts.fp / counts.N


metric = Metric(
    title="Informedness (Youden's J)",
    question="How far is the decision from a blind guess, whatever the share of positives?",
    formula="{recall} + {specificity} - 1 = TPR - FPR",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(-1, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="only one class is present",
    blind_to="how rare the positives are: with 1% positives, a good value still leaves most alarms false",
    aliases=("youden", "youden_j", "bookmaker_informedness"),
    related=("balanced_accuracy", "recall", "specificity", "ks"),
    references=(
        "W. J. Youden (1950). Index for rating diagnostic tests. Cancer 3, 32-35",
        "D. M. W. Powers (2011). Evaluation: from precision, recall and F-measure to ROC, informedness, markedness "
        "and correlation. Journal of Machine Learning Technologies 2, 37-63",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=2 / 4 + 5 / 6 - 1,
            source="the lecture's model test: sensitivity 2/4, specificity 5/6",
        ),
    ),
)
