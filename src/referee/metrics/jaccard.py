from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.tp / (counts.tp + counts.fp + counts.fn)


metric = Metric(
    title="Jaccard index",
    question="Of all rows that are positive or called so, how many are both?",
    formula="{TP} / ({TP} + {FP} + {FN}) = F / (2 - F)",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is neither a positive row nor a row predicted positive",
    blind_to="true negatives, and every threshold except the one it was computed at; it orders models as F1 does",
    aliases=("intersection_over_union", "iou", "threat_score"),
    related=("f_beta", "precision", "recall"),
    references=("P. Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11, 37-50",),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=2 / 5,
            source="the lecture's model test: TP 2, FP 1, FN 2",
        ),
    ),
)
