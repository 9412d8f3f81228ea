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
    truth: Sequence[Column],
    prediction: Sequence[Column],
    baseline: Sequence[Column],
    xp: Any,  # noqa: ARG001 (one protocol)
) -> dict[str, Column]:
    return {
        "squared_error": sum((p - y) ** 2 for y, p in zip(truth, prediction, strict=True)),
        "squared_baseline_error": sum((b - y) ** 2 for y, b in zip(truth, baseline, strict=True)),
    }


def value(sums: Sums) -> Array:
    return (sums.mean("squared_error") / nonzero(sums.mean("squared_baseline_error"))) ** 0.5


metric = Metric(
    title="Root relative squared error of probabilities",
    question="How large are the squared errors, compared with always predicting how common each class is?",
    formula="sqrt(sum of (p - y)² / sum of (b - y)²) over rows and classes, b the share of the class "
    "(of the training rows, with Laplace's correction, where folds are known)",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, inf),
    value=value,
    row_terms=row_terms,
    proper="strictly",
    depends_on_prevalence=True,
    undefined_when="always predicting how common each class is makes no error: only one class is present",
    blind_to="how large the errors are in themselves. It is a fraction; Weka prints a percentage",
    related=("rms", "brier", "probability_rae", "rrse"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=(0.15 / 1) ** 0.5,
            source="by hand: 0.01, 0.01, 0.04, 0.09 against four times 0.25",
        ),
    ),
)
