from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, recall: float = 0.9) -> Array:
    best = ranking.highest(lambda at: at.tp / (at.tp + at.fp), where=lambda at: at.tp / at.P, at_least=recall)
    return np.where(ranking.P > 0, best, np.nan)


metric = Metric(
    title="Precision at a recall",
    question="How reliable are the alarms if this share of the positives must be caught?",
    formula="largest precision over the thresholds whose recall is at least the one given",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    cut_at="recall",
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is no positive row",
    blind_to="every other threshold; the threshold is chosen on the same rows that it is evaluated on, so on few "
    "rows the value is optimistic",
    related=("recall_at_precision", "average_precision", "precision", "recall"),
    references=("E. Eban et al. (2017). Scalable learning of non-decomposable objectives. In AISTATS, 832-840",),
    parameters={"recall": Parameter("the recall that is wanted", low=0, high=1)},
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=6 / 10,
            source="the lecture's ROC table: only its last row has recall 0.9",
        ),
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=5 / 7,
            source="the lecture's ROC table, seventh row: recall 5/6, precision 5/7",
            settings={"recall": 0.8},
        ),
    ),
)
