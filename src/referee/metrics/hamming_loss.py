from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import MULTILABEL, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Sums


def row_terms(truth: Sequence[Array], prediction: Sequence[Array]) -> dict[str, Array]:
    wrong = [(label != decided) * 1.0 for label, decided in zip(truth, prediction, strict=True)]
    return {"wrong": sum(wrong[1:], wrong[0]) / len(wrong)}


def value(sums: Sums) -> Array:
    return sums.mean("wrong")


metric = Metric(
    title="Hamming loss",
    question="How many of the labels are wrong, over all rows?",
    formula="wrong decisions about labels / all decisions (rows x labels)",
    needs="labels",
    tasks=MULTILABEL,
    better="lower",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    blind_to="whether a row's labels are all right together. Where labels are rare, predicting no label at all "
    "already scores low",
    aliases=("hamming",),
    related=("subset_accuracy", "multilabel_f1", "error_rate"),
    references=(
        "R. E. Schapire and Y. Singer (2000). BoosTexter: a boosting-based system for text categorization. Machine "
        "Learning 39, 135-168",
    ),
    examples=(
        Example(
            truth=[[0, 1], [1, 1]],
            prediction=[[0, 0], [0, 0]],
            value=0.75,
            source="scikit-learn's example of hamming_loss",
        ),
    ),
)
