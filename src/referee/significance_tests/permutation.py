"""Permutation test: the metric's difference when the two models' predictions are swapped at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import DUST, Comparison, SignificanceTest, TestExample, undefined, why_undefined
from referee.errors import Notice
from referee.scoring import in_canonical_order, permuted_differences

if TYPE_CHECKING:
    from referee.comparing import Contender, Design


def compare(a: Contender, b: Contender, design: Design, *, permutations: int = 10_000) -> Comparison:
    if reason := why_undefined(a, b):
        return undefined(reason)
    # Swapping a and b must not change the order in which sums are rounded.
    better_first = (a.model, b.model) if a.value >= b.value else (b.model, a.model)
    predictions, models = in_canonical_order(a.predictions, better_first)
    each = permuted_differences(predictions, models, a.metric, seed=design.seed, permutations=permutations)
    dust = DUST * max(abs(a.value), abs(b.value))
    difference = a.value - b.value if abs(a.value - b.value) > dust else 0.0
    without_value = int(np.isnan(each).sum())
    as_large = int((np.abs(each) >= abs(difference) - dust).sum()) + without_value
    p = (as_large + 1) / (permutations + 1)
    return Comparison(
        difference,
        p,
        design.outcome(difference, p),
        units=a.units,
        details={"permutations": permutations, "as_large": as_large},
        warnings=_about_undefined(without_value, permutations, a),
    )


def _about_undefined(without_value: int, permutations: int, contender: Contender) -> tuple[Notice, ...]:
    if not without_value:
        return ()
    name = contender.metric.full_name
    what = f"{name} is undefined in {without_value:,} of {permutations:,} permutations: counted as large differences"
    return (Notice("W_PERMUTATION", what),)


test = SignificanceTest(
    title="Permutation test",
    question="Would the difference be as large if each row's two predictions were assigned to the models at random?",
    hypothesis="it does not matter which model made which prediction: the two predictions of a row are exchangeable",
    takes="rows",
    designs=("rows", "out_of_fold"),
    assumptions=(
        "the rows are independent of each other; if rows belong together, --group names them, and the predictions of "
        "a whole group are swapped",
        "models that are equally good are also alike: it can reject where the metric is equal and the predictions are "
        "distributed differently",
        "metrics that only rank are compared by the ranks of the scores, so that scales do not matter",
    ),
    compare=compare,
    statistic_formula="p = ({as_large:swaps with as large a difference} + 1) / ({permutations} + 1)",
    random=True,
    parameters={"permutations": Parameter("number of random swaps", low=100, high=10_000_000, whole=True)},
    references=(
        "E. S. Venkatraman and C. B. Begg (1996). A distribution-free procedure for comparing receiver operating "
        "characteristic curves from a paired experiment. Biometrika 83, 835-848. ROC curves, by ranks",
        "B. Phipson and G. K. Smyth (2010). Permutation p-values should never be zero: calculating exact p-values "
        "when permutations are randomly drawn. Statistical Applications in Genetics and Molecular Biology 9, 39",
    ),
    examples=(
        TestExample(
            ([1] * 8, [1] * 8, [1] * 8),
            {"difference": 0.0, "p": 1.0, "outcome": "tie"},
            "identical models, by definition",
            {"metric": "accuracy", "positive": 1, "classes": [0, 1]},
        ),
    ),
)
