"""Leave-two-out t-test: learning procedures compared for new training rows and new tested ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing import SignificanceTest, TestExample, compare_refits

if TYPE_CHECKING:
    from referee.comparing import Comparison, Contender, Design


def compare(a: Contender, b: Contender, design: Design) -> Comparison:
    return compare_refits(a, b, design)


ROWS = [1, 2, 3, 4, 5, 6, 7, 8] * 3
REPEATS = [1] * 8 + [2] * 8 + [3] * 8
FOLDS = [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2, 2, 2, 1, 1]

test = SignificanceTest(
    title="Leave-two-out t-test",
    question="Which learning procedure is better at this training size, for new training sets and new rows?",
    hypothesis="both procedures have the same mean over all training and test sets of these sizes",
    takes="refits",
    designs=("left_out",),
    assumptions=(
        "the rows are independent of each other and have equal weight",
        "every pair of groups of rows was predicted by a model fitted on all others, the same for both procedures",
        "what training rows add to the variance can be seen from the groups: simulations, not a proof, show where it "
        "is large enough; where tails are heavy, up to 17% false winners on log loss and 14% on F1 were measured "
        "(docs/simulations/procedure_tests.md)",
    ),
    compare=compare,
    statistic_formula="t = {difference} / {standard_error}\n"
    "df = 15 (W / (jackknife - folds))^2 for three deals of six groups, at least 15 and at most rows - 1; W is the "
    "variance of the rows plus what training rows add",
    references=(
        "B. Efron and C. Stein (1981). The jackknife estimate of variance. Annals of Statistics 9, 586-596",
        "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281",
    ),
    examples=(
        TestExample(
            ([0.0] * 24, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0] * 3, [0.0] * 24),
            {"difference": 4.5, "standard_error": 0.75**0.5, "df": 7.0},
            "by hand: losses that only the row decides; 8 rows of variance 6 over 8, and no training rows add to it",
            {"metric": "mae", "id": ROWS, "fold": FOLDS, "repeat": REPEATS, "task": "regression"},
        ),
    ),
)
