from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from referee.engines import nonzero
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(
    truth: Sequence[Column], prediction: Sequence[Column], baseline: Sequence[Column], xp: Any
) -> dict[str, Column]:
    return {
        "absolute_error": sum(xp.abs(p - y) for y, p in zip(truth, prediction, strict=True)),
        "baseline_error": sum(xp.abs(b - y) for y, b in zip(truth, baseline, strict=True)),
    }


def value(sums: Sums) -> Array:
    return sums.mean("absolute_error") / nonzero(sums.mean("baseline_error"))


metric = Metric(
    title="Relative absolute error of probabilities",
    question="How large are the errors, compared with always predicting how common each class is?",
    formula="sum of |p - y| / sum of |b - y| over rows and classes, b the share of the class "
    "(of the training rows, with Laplace's correction, where folds are known)",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, inf),
    value=value,
    row_terms=row_terms,
    proper="no",
    depends_on_prevalence=True,
    undefined_when="always predicting how common each class is makes no error: only one class is present",
    blind_to="honesty: it is best to predict 0 or 1 even when uncertain. It is a fraction; Weka prints a percentage",
    related=("probability_mae", "probability_rrse", "rae"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=0.7 / 2,
            source="by hand: 0.1, 0.1, 0.2, 0.3 against four times 0.5",
        ),
    ),
)
