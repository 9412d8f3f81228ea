from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Sequence[Column], prediction: Sequence[Column], xp: Any) -> dict[str, Column]:  # noqa: ARG001
    squares = sum((p - y) ** 2 for y, p in zip(truth, prediction, strict=True))
    return {"squared_error": squares / len(truth)}


def value(sums: Sums) -> Array:
    return sums.mean("squared_error") ** 0.5


metric = Metric(
    title="RMS error of probabilities",
    question="How far are the probabilities from what happened, as a root mean square?",
    formula="sqrt({sum_squared_error:sum of the rows' mean (p - y)²} / {rows:n}); "
    "for two classes, the root of the Brier score",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    proper="strictly",
    depends_on_prevalence=True,
    blind_to="the difference between rare and very rare; and its mean over folds is not its value on all rows",
    aliases=("probability_rmse", "root_mean_square_of_probabilities"),
    related=("brier", "log_loss", "probability_mae", "probability_rrse"),
    references=(
        "J. Huang, C. X. Ling, H. Zhang and S. Matwin (2008). Proper model selection with significance test. In ECML "
        "PKDD, 536-547",
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=0.0375**0.5,
            source="the paper's formula by hand: squares 0.01, 0.01, 0.04, 0.09",
        ),
    ),
)
