from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Sequence[Column], prediction: Sequence[Column], xp: Any) -> dict[str, Column]:
    return {"absolute_error": sum(xp.abs(p - y) for y, p in zip(truth, prediction, strict=True)) / len(truth)}


def value(sums: Sums) -> Array:
    return sums.mean("absolute_error")


metric = Metric(
    title="Mean absolute error of probabilities",
    question="How far are the probabilities from what happened, on average?",
    formula="mean over rows and classes of |p - y|",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    proper="no",
    depends_on_prevalence=True,
    blind_to="honesty: it is best to predict 0 or 1 even when uncertain, so it rewards overconfidence. "
    "Offered because Weka prints it",
    related=("probability_rae", "rms", "brier", "log_loss"),
    references=(
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
        "T. Gneiting and A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102, 359-378. Why the linear score is not proper",
    ),
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=0.7 / 4,
            source="by hand: 0.1, 0.1, 0.2, 0.3",
        ),
    ),
)
