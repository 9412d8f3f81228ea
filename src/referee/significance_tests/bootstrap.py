"""Paired bootstrap: the metric's difference on rows that are drawn again with replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import (
    DUST,
    Correction,
    SignificanceTest,
    TestExample,
    bias_and_acceleration,
    by_replicates,
    compare_rows,
    no_difference,
    undefined,
    why_undefined,
)
from referee.errors import Notice, UndefinedError
from referee.scoring import bootstrap_values, in_canonical_order

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Contender, Design
    from referee.scoring import Bootstrapped


def compare(
    a: Contender, b: Contender, design: Design, *, replicates: int = 2000, method: str = "percentile"
) -> Comparison:
    if reason := why_undefined(a, b):
        return undefined(reason)
    predictions, models = in_canonical_order(a.predictions, (a.model, b.model))
    try:
        drawn = bootstrap_values(predictions, models, (a.metric,), seed=design.seed, replicates=replicates)
    except UndefinedError as error:
        return undefined(error.message)
    dust = DUST * max(abs(a.value), abs(b.value))
    difference, each = a.value - b.value, drawn.values[0, 0] - drawn.values[0, 1]
    difference, each = 0.0 if abs(difference) <= dust else difference, np.where(np.abs(each) <= dust, 0.0, each)
    if np.ptp(each) <= dust:
        return compare_rows(a, b, design) if difference else no_difference(design, units=a.units)
    correction = bias_and_acceleration(difference, each, _influences(a, b)) if method == "bca" else Correction()
    details = {"replicates": replicates, "method": method, "redrawn": drawn.redrawn}
    warnings = _about_redrawn(drawn, replicates, a)
    return by_replicates(difference, each, design, correction, units=a.units, details=details, warnings=warnings)


def _influences(a: Contender, b: Contender) -> Array:
    """What each drawn piece adds to the difference."""
    predictions, changes = a.predictions, a.changes - b.changes
    weight, clusters = predictions.weight, predictions.clusters
    if weight is not None and clusters is None and predictions.weight_kind == "frequency":
        return np.repeat(changes, weight.astype(np.int64))
    weighted = changes if weight is None else changes * weight
    return weighted if clusters is None else np.bincount(clusters.codes, weighted)


def _about_redrawn(drawn: Bootstrapped, replicates: int, contender: Contender) -> tuple[Notice, ...]:
    if not drawn.redrawn:
        return ()
    name = contender.metric.full_name
    redrawn = f"{drawn.redrawn:,} of {replicates + drawn.redrawn:,} bootstrap replicates"
    labels = [label for label, some in zip(contender.predictions.classes, drawn.lacking.T, strict=True) if some.any()]
    without = " or ".join(f"without class {label!r}" for label in labels)
    lacking = int(drawn.lacking.any(axis=1).sum())
    if lacking == drawn.redrawn:
        what = f"{redrawn} came {without}, and {name} is undefined there: they were redrawn"
    else:
        some = f" ({lacking:,} of them {without})" if lacking else ""
        what = f"{redrawn} have no defined {name}{some}: they were redrawn"
    return (Notice("W_BOOT", what),)


test = SignificanceTest(
    title="Paired bootstrap",
    question="How would the difference vary if the rows were drawn again from the same population?",
    hypothesis="both models have the same value of the metric on the population",
    takes="rows",
    designs=("rows", "out_of_fold"),
    assumptions=(
        "the rows are independent of each other; if rows belong together, --group names them, and the groups are drawn",
        "there are many rows of every class: with few, its intervals are too short, and BCa does not help",
    ),
    compare=compare,
    statistic_formula="method=percentile: p = 2 x ({across_zero:replicates on the other side of 0} + 1) / "
    "({replicates} + 1)",
    random=True,
    parameters={
        "replicates": Parameter("number of times that the rows are drawn", low=100, high=10_000_000, whole=True),
        "method": Parameter(
            "percentile (ends are percentiles of the replicates) or bca (corrected for bias and acceleration)",
            choices=("percentile", "bca"),
        ),
    },
    references=(
        "B. Efron (1979). Bootstrap methods: another look at the jackknife. Annals of Statistics 7, 1-26",
        "B. Efron (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association 82, "
        "171-185. BCa",
        "A. C. Davison and D. V. Hinkley (1997). Bootstrap Methods and their Application. Cambridge University Press, "
        "section 4.4. (b + 1) / (m + 1)",
    ),
    examples=(
        TestExample(
            ([1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 0, 1, 0]),
            {"difference": 0.25, "outcome": "tie"},
            "7 right vs 5 of 8 rows, by hand",
            {"metric": "accuracy"},
        ),
    ),
)
