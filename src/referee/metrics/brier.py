from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Sequence[Column], prediction: Sequence[Column], xp: Any) -> dict[str, Column]:  # noqa: ARG001
    squares = sum((p - y) ** 2 for y, p in zip(truth, prediction, strict=True))
    # Of two classes both have the same error, and by custom only one is counted.
    return {"squared_error": squares / 2 if len(truth) == 2 else squares}


def value(sums: Sums) -> Array:
    return sums.mean("squared_error")


metric = Metric(
    title="Brier score",
    question="How far are the probabilities from what happened, in mean squared error?",
    formula="two classes: mean of (p - y)²; more: mean of the sum over the classes of (p - y)²",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 2),
    range_of_two=(0, 1),
    value=value,
    row_terms=row_terms,
    proper="strictly",
    depends_on_prevalence=True,
    blind_to="the difference between rare and very rare: 0.01 and 0.0001 score nearly the same",
    aliases=("brier_score",),
    related=("log_loss", "rms", "murphy_reliability", "murphy_resolution", "calibration_error"),
    references=(
        "G. W. Brier (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, "
        "1-3",
        "T. Gneiting and A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102, 359-378",
    ),
    examples=(
        Example(
            truth=[0, 1, 1, 0],
            prediction=[0.1, 0.9, 0.8, 0.3],
            value=0.0375,
            source="scikit-learn's example of brier_score_loss",
        ),
        Example(
            truth=["eggs", "ham", "spam"],
            prediction=[[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]],
            value=(0.06 + 0.14 + 0.24) / 3,
            source="scikit-learn's example of brier_score_loss with three classes: 0.146...",
        ),
    ),
)
