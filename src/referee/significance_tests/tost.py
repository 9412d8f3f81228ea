"""TOST: two one-sided tests that two models differ by less than a margin, either way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.comparing import SignificanceTest, TestExample, mean_difference, within_margin

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design, *, margin: float | None = None) -> Comparison:
    return within_margin(mean_difference(a, b, design), margin, (1, -1), design, "equivalent")


test = SignificanceTest(
    title="Two one-sided tests (TOST)",
    question="Do the two models differ by less than the margin?",
    hypothesis="the models differ by the margin or more; a small p says that they are practically equal",
    takes="units",
    designs=("independent", "subsets", "data_sets", "splits"),
    assumptions=(
        "the units are independent of each other; where training sets overlap, the variance is corrected as "
        "corrected_resampled_t does",
        "the mean of the differences is close to normal",
        "the margin was chosen before the results were seen",
        "it names no winner: the interval is the 1 - 2 alpha one, and equivalent says whether it is within the margin",
    ),
    compare=compare,
    statistic_formula="t = ({margin} - |{mean_difference}|) / {standard_error}\n"
    "df = {folds:units, or folds of a repeated cross-validation,} minus 1",
    parameters={
        "margin": Parameter(
            "the largest difference that would not matter, in the metric's own units", low=0, above=True
        )
    },
    references=(
        "D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure and the power approach for "
        "assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics 15, "
        "657-680",
        "D. Lakens (2017). Equivalence tests: a practical primer for t tests, correlations, and meta-analyses. Social "
        "Psychological and Personality Science 8, 355-362",
    ),
    examples=(
        TestExample(
            ([1, 3], [0, 0]),
            {"statistic": 1.0, "p": 0.25, "low": 2 - 6.313751514675043, "high": 2 + 6.313751514675043},
            "by hand: standard error 1, (3 - 2) / 1, and t with 1 degree of freedom is 1/2 + arctan(t) / pi",
            {"margin": 3},
        ),
    ),
)
