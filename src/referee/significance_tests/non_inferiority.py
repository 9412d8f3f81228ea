"""Non-inferiority test: model a is not worse than model b by the margin or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.comparing import SignificanceTest, TestExample, mean_difference, within_margin

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design, *, margin: float | None = None) -> Comparison:
    side = 1 if design.better == "higher" else -1
    return within_margin(mean_difference(a, b, design), margin, (side,), design, "non_inferior")


test = SignificanceTest(
    title="Non-inferiority test",
    question="Is model a at most a margin worse than model b?",
    hypothesis="a is worse than b by the margin or more; a small p says that it is not",
    takes="units",
    designs=("independent", "subsets", "data_sets", "splits"),
    assumptions=(
        "the units are independent of each other; where training sets overlap, the variance is corrected as "
        "corrected_resampled_t does",
        "the mean of the differences is close to normal",
        "the margin was chosen before the results were seen",
        "it is one-sided and names no winner: the interval is the 1 - 2 alpha one, and non_inferior says whether its "
        "worse end is within the margin",
    ),
    compare=compare,
    statistic_formula="t = ({advantage} + {margin}) / {standard_error}\n"
    "df = {folds:units, or folds of a repeated cross-validation,} minus 1",
    parameters={
        "margin": Parameter("the largest loss that would not matter, in the metric's own units", low=0, above=True)
    },
    references=(
        "G. Piaggio et al. (2012). Reporting of noninferiority and equivalence randomized trials: extension of the "
        "CONSORT 2010 statement. JAMA 308, 2594-2604",
    ),
    examples=(
        TestExample(
            ([1, 3], [0, 0]),
            {"statistic": 3.0, "p": 0.10241638234956672, "low": 2 - 6.313751514675043, "high": 2 + 6.313751514675043},
            "by hand: standard error 1, (2 + 1) / 1, and t with 1 degree of freedom is 1/2 + arctan(t) / pi",
            {"margin": 1},
        ),
        TestExample(
            ([1, 3], [0, 0]),
            {"statistic": -1.0, "p": 0.75},
            "by hand: of losses the difference counts against a, (-2 + 1) / 1",
            {"margin": 1, "better": "lower"},
        ),
    ),
)
