from __future__ import annotations

from typing import TYPE_CHECKING

from referee.metrics import roc_auc
from referee.scoring import MULTICLASS, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Ranking


def value(pairs: Sequence[Sequence[Ranking | None]]) -> Array:
    areas = [roc_auc.value(ranking) for row in pairs for ranking in row if ranking is not None]
    return sum(areas[1:], areas[0]) / len(areas)


metric = Metric(
    title="Hand and Till's M",
    question="How well does the model separate two classes, on average over all pairs of classes?",
    formula="mean over ordered class pairs (i, j) of the AUC of i's score, on the rows of i and j",
    needs="scores",
    tasks=MULTICLASS,
    better="higher",
    range=(0, 1),
    value=value,
    depends_on_prevalence=False,
    undefined_when="a class has no row",
    blind_to="calibration, the decision among all classes at once, and how common each class is",
    aliases=("auc_ovo", "roc_auc_ovo", "multiclass_auc"),
    related=("roc_auc", "top_k", "balanced_accuracy"),
    references=(
        "D. J. Hand and R. J. Till (2001). A simple generalisation of the area under the ROC curve for multiple class "
        "classification problems. Machine Learning 45, 171-186",
    ),
    examples=(
        Example(
            truth=[0, 0, 1, 1, 2, 2],
            prediction=[
                [0.7, 0.2, 0.1],
                [0.3, 0.5, 0.2],
                [0.4, 0.5, 0.1],
                [0.1, 0.6, 0.3],
                [0.3, 0.1, 0.6],
                [0.2, 0.3, 0.5],
            ],
            value=(3 / 4 + 3.5 / 4 + 3.5 / 4 + 1 + 1 + 1) / 6,
            source="by hand: A(0|1) 3/4, A(1|0) 3.5/4, A(0|2) 3.5/4, the other three 1",
        ),
    ),
)
