from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, precision: float = 0.9) -> Array:
    return ranking.highest(lambda at: at.tp / at.P, where=lambda at: at.tp / (at.tp + at.fp), at_least=precision)


metric = Metric(
    title="Recall at a precision",
    question="How many positives can be caught while alarms stay this reliable?",
    formula="largest recall over the thresholds whose precision is at least the one given; 0 if none reaches it",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is no positive row",
    blind_to="every other threshold; the threshold is chosen on the same rows that it is evaluated on, so on few "
    "rows the value is optimistic",
    related=("precision_at_recall", "average_precision", "recall", "precision"),
    references=("E. Eban et al. (2017). Scalable learning of non-decomposable objectives. In AISTATS, 832-840",),
    parameters={"precision": Parameter("the precision that is wanted", low=0, high=1)},
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=2 / 6,
            source="the lecture's ROC table: only its first two rows have precision 0.9",
        ),
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=4 / 6,
            source="the lecture's ROC table, fifth row: precision 4/5",
            settings={"precision": 0.8},
        ),
    ),
)
