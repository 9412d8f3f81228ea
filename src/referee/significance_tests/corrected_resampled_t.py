"""Corrected resampled t-test: the paired t-test for splits whose training sets share rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.comparing import SignificanceTest, TestExample, corrected_for_overlap, differences, student_t

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design


def compare(a: Array, b: Array, design: Design, *, df: float | None = None, correction: float = 1) -> Comparison:
    mean = corrected_for_overlap(differences(a, b, design), replace(design, correction=correction), df)
    return student_t(mean.differences, mean.standard_error, mean.df, design)


test = SignificanceTest(
    title="Corrected resampled t-test",
    question="Which learning procedure is better at this training size?",
    hypothesis="both procedures have the same mean over all training and test sets of these sizes",
    takes="units",
    designs=("splits",),
    assumptions=(
        "every split was drawn in the same way, and both models were fitted and tested on the same splits",
        "two splits are correlated as strongly as the share of test rows suggests; a procedure whose fits vary wildly "
        "with the training rows violates this",
        "the mean of the differences is close to normal",
        "the correction is large enough for the learners: no single one fits all; one that is too small for some "
        "learners is too large, and costs power, for others",
    ),
    compare=compare,
    statistic_formula="correction=1: t = {mean_difference} / ({standard_deviation} x "
    "sqrt(1 / {units:n} + {test_rows} / {training_rows}))\n"
    "t = {mean_difference} / ({standard_deviation} x sqrt(1 / {units:n} + {correction} x {test_rows} / "
    "{training_rows}))\n"
    "df=none: df = {folds:units, or folds of a repeated cross-validation,} minus 1",
    parameters={
        "df": Parameter(
            "degrees of freedom; none: the number of splits minus 1, or of folds minus 1 where cross-validation is "
            "repeated",
            low=0,
            above=True,
        ),
        "correction": Parameter(
            "how many times the overlap of training sets counts; 1: as in Nadeau and Bengio and in Weka, 1.5: the "
            "default where no test is named",
            low=1,
        ),
    },
    references=(
        "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281",
        "R. R. Bouckaert and E. Frank (2004). Evaluating the replicability of significance tests for comparing "
        "learning algorithms. In PAKDD, 3-12",
    ),
    examples=(
        TestExample(
            ([1, 3], [0, 0]),
            {"statistic": 2**0.5, "df": 1, "p": 0.39182655203060727, "difference": 2.0},
            "by hand: variance 2 times (1/2 + 10/20), and t with 1 degree of freedom is 1/2 + arctan(t) / pi",
            {"n_train": [5, 15], "n_test": [6, 4]},
        ),
        TestExample(
            ([1, 3], [0, 0]),
            {"statistic": 1.6**0.5, "df": 1, "p": 0.42587575668284317, "difference": 2.0},
            "by hand, with 1.5 times the overlap: variance 2 times (1/2 + 1.5 x 10/20)",
            {"n_train": [5, 15], "n_test": [6, 4], "correction": 1.5},
        ),
        TestExample(
            ([0.09, 0.15, 0.12, -0.04, 0.03, 0.08, 0.11, 0.1, -0.01, -0.06], [0.0] * 10),
            {"statistic": 1.71286669262809, "df": 9, "outcome": "tie"},
            "the lecture's example, t = 2.488737606, times sqrt(9 / 19) for ten folds of 10 rows",
            {"n_train": 90, "n_test": 10, "better": "lower"},
        ),
    ),
)
