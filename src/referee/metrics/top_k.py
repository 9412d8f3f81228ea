from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.scoring import MULTICLASS, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(
    truth: Sequence[Column], prediction: Sequence[Column], order: Sequence[int], xp: Any, *, k: int = 2
) -> dict[str, Column]:
    of_true_class = sum(is_class * p for is_class, p in zip(truth, prediction, strict=True))
    true_place = sum(truth[code] * place for place, code in enumerate(order))
    ahead: Column = 0
    for place, code in enumerate(order):
        tied_and_earlier = xp.where(prediction[code] == of_true_class, xp.where(place < true_place, 1, 0), 0)
        ahead = ahead + xp.where(prediction[code] > of_true_class, 1, tied_and_earlier)
    return {"hit": xp.where(ahead < k, 1, 0)}


def value(sums: Sums) -> Array:
    return sums.mean("hit")


metric = Metric(
    title="Top-k accuracy",
    question="How often is the true class among the k most probable ones?",
    formula="share of rows with fewer than k classes ahead of the true one; "
    "among equal classes, the one whose column comes first is ahead",
    # Probabilities, as classes are compared with each other; scores need only be comparable within one class.
    needs="probabilities",
    tasks=MULTICLASS,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="the order inside the first k and the size of the probabilities; with k classes or fewer it is always 1. "
    "Logits become probabilities by softmax, which keeps their order",
    aliases=("top_k_accuracy",),
    related=("accuracy", "hand_till", "log_loss"),
    references=(
        "O. Russakovsky et al. (2015). ImageNet large scale visual recognition challenge. International Journal of "
        "Computer Vision 115, 211-252",
    ),
    parameters={"k": Parameter("how many of the most probable classes count", low=1, whole=True)},
    examples=(
        Example(
            truth=[0, 1, 2, 2],
            prediction=[[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.5, 0.3], [0.7, 0.2, 0.1]],
            value=3 / 4,
            source="by hand: only the last row has its class in third place",
        ),
        Example(
            truth=[0, 1, 2, 2],
            prediction=[[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.5, 0.3], [0.7, 0.2, 0.1]],
            value=2 / 4,
            source="by hand: the first two rows have their class in first place",
            settings={"k": 1},
        ),
    ),
)
