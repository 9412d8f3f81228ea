from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.engines import nonzero
from referee.scoring import REGRESSION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(truth: Column, prediction: Column, xp: Any) -> dict[str, Column]:  # noqa: ARG001 (one protocol)
    return {"truth": truth, "prediction": prediction}


def value(sums: Sums) -> Array:
    of_truth, of_prediction = nonzero(sums.variance("truth")), nonzero(sums.variance("prediction"))
    # A ratio of variances, as their product would underflow or round 1 away.
    slope = sums.covariance("truth", "prediction") / of_truth
    return (slope * (of_truth / of_prediction) ** 0.5).clip(-1, 1)


metric = Metric(
    title="Correlation coefficient",
    question="How closely do predictions and truth move together along a line?",
    formula="{products_prediction_truth:S_PA} / sqrt({products_prediction_prediction:S_P} x "
    "{products_truth_truth:S_A}), the covariance over the product of the standard deviations (Pearson)",
    needs="values",
    tasks=REGRESSION,
    better="higher",
    range=(-1, 1),
    value=value,
    of_chance=0.0,
    row_terms=row_terms,
    undefined_when="all true values, or all predictions, are the same",
    blind_to="bias and scale: predictions ten times too large, or all 100 too high, are perfect",
    aliases=("pearson", "correlation_coefficient", "pearson_r"),
    related=("r2", "rrse", "rmse"),
    references=(
        "K. Pearson (1895). Note on regression and inheritance in the case of two parents. Proceedings of the Royal "
        "Society of London 58, 240-242",
        "I. H. Witten and E. Frank (2005). Data Mining: Practical Machine Learning Tools and Techniques, 2nd edition. "
        "Morgan Kaufmann, pages 176-179",
    ),
    examples=(
        Example(
            truth=[1, 2, 3, 4],
            prediction=[2, 1, 4, 3],
            value=3 / 5,
            source="the lecture's formula by hand: 3 / sqrt(5 x 5)",
        ),
    ),
)
