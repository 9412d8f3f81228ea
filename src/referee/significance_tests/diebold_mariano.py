"""Diebold-Mariano test: which of two forecasts is better, with the correction of Harvey, Leybourne and Newbold."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import SignificanceTest, TestExample, by_student_t, no_difference, undefined, why_undefined
from referee.scoring import in_time_order

if TYPE_CHECKING:
    from referee.comparing import Comparison, Contender, Design


def compare(a: Contender, b: Contender, design: Design, *, horizon: int = 1) -> Comparison:
    if reason := why_undefined(a, b):
        return undefined(reason)
    added = in_time_order(a.weighted_rows, a.metric).sums(a.changes - b.changes)
    moments, difference = len(added), a.value - b.value
    if moments <= horizon:
        return undefined(f"{moments:,} rows in time cannot be tested at a horizon of {horizon:,} steps")
    if not added.any() and not difference:
        return no_difference(design, units=moments)
    # The autocovariances up to the steps that forecasts overlap; what rows add has the mean 0.
    lagged = [float(np.einsum("i,i", added[lag:], added[: moments - lag])) for lag in range(horizon)]
    variance = lagged[0] + 2 * sum(lagged[1:])
    if not 0 < variance < np.inf:
        why = f"the sum of autocovariances up to lag {horizon - 1} is not positive"
        return undefined(f"{why}, so the variance of the difference is unknown; --test influence estimates it")
    smaller = (moments + 1 - 2 * horizon + horizon * (horizon - 1) / moments) / moments
    facts = {"moments": moments, "long_run_error": sqrt(variance), "small_sample_factor": sqrt(smaller)}
    return by_student_t(difference, sqrt(variance / smaller), moments - 1, design, units=moments, details=facts)


test = SignificanceTest(
    title="Diebold-Mariano test",
    question="Which of two forecasts is better, row by row in time order?",
    hypothesis="both forecasts lose the same on average",
    takes="rows",
    designs=("time",),
    assumptions=(
        "the contributions of the rows are stationary, and depend on each other no further than the horizon: errors "
        "of forecasts h steps ahead overlap in h - 1 steps",
        "the rows are in time order, or --time names the column",
    ),
    compare=compare,
    statistic_formula="t = {difference} x {small_sample_factor} / {long_run_error}\ndf = {moments:rows in time} - 1",
    parameters={"horizon": Parameter("steps that the forecasts look ahead", low=1, whole=True)},
    aliases=("dm",),
    references=(
        "F. X. Diebold and R. S. Mariano (1995). Comparing predictive accuracy. Journal of Business and Economic "
        "Statistics 13, 253-263",
        "D. Harvey, S. Leybourne and P. Newbold (1997). Testing the equality of prediction mean squared errors. "
        "International Journal of Forecasting 13, 281-291",
    ),
    examples=(
        TestExample(
            ([0, 0, 0, 0], [2, 1, 0, 2], [0, 1, 1, 1]),
            {"difference": 1.5, "statistic": 1.5 / (17 / 12) ** 0.5, "df": 3},
            "by hand: squared errors differ by 4, 0, -1 and 3, mean 3/2, sum of squares about it 17; 17/16 over 3/4",
            {"metric": "mse"},
        ),
    ),
)
