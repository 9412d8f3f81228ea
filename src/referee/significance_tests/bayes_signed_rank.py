"""Bayesian signed-rank test: how likely it is that most pairs of units are in favour of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.comparing import (
    ROPE,
    SignificanceTest,
    TestExample,
    by_probabilities,
    differences,
    pseudo_median,
    walsh_averages,
)

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Comparison, Design

DRAWS, AT_ONCE = 20_000, 1_000


def compare(a: Array, b: Array, design: Design, *, rope: float = 0.01, prior: float = 0.5) -> Comparison:
    paired = differences(a, b, design)
    lower, higher = _shares(paired.each, rope, paired.rounding, prior, design.seed)
    return by_probabilities(
        pseudo_median(walsh_averages(paired.each, paired.rounding)), lower, higher, design,
        units=len(paired.each), warnings=paired.warnings,
        details={"rope": rope, "prior": prior, "draws": DRAWS, "estimate": "Hodges-Lehmann median"},
    )  # fmt: skip


def _shares(each: Array, rope: float, rounding: float, prior: float, seed: int) -> tuple[float, float]:
    """How often the pairs below, and above, outweigh the others when weights are drawn from a Dirichlet process."""
    generator = np.random.Generator(np.random.Philox(key=seed % 2**64))
    values = np.append(each, 0.0)  # the prior stands for one more unit, without a difference
    order, strengths = np.argsort(values, kind="stable"), np.append(np.ones(len(each)), prior)
    rising, reach = values[order], 2 * (rope + rounding)
    partners_below = np.searchsorted(rising, -reach - rising, "left")
    partners_above = np.searchsorted(rising, reach - rising, "right")
    counts = np.zeros(2)
    for _ in range(DRAWS // AT_ONCE):
        weights = generator.standard_gamma(strengths, (AT_ONCE, len(values)))[:, order]
        so_far = np.concatenate([np.zeros((AT_ONCE, 1)), np.cumsum(weights, axis=1)], axis=1)
        total = so_far[:, -1:]
        below = (weights * so_far[:, partners_below]).sum(axis=1)
        above = (weights * (total - so_far[:, partners_above])).sum(axis=1)
        equal = (total[:, 0] ** 2 - below - above) if rope else np.zeros(AT_ONCE)
        counts += (below > np.maximum(above, equal)).sum(), (above > np.maximum(below, equal)).sum()
    return float(counts[0] / DRAWS), float(counts[1] / DRAWS)


test = SignificanceTest(
    title="Bayesian signed-rank test",
    question="How likely is it that one model is better on most pairs of units, by more than what would not matter?",
    hypothesis="none: it gives probabilities, from a prior that stands for half a unit without a difference",
    takes="units",
    designs=("independent", "subsets", "data_sets"),
    assumptions=(
        "the units are independent of each other",
        "differences are comparable in size across units, and symmetric about their centre; the difference that is "
        "reported is their pseudo-median (Hodges and Lehmann)",
    ),
    compare=compare,
    statistic_formula="P(better) = the share of {draws:all} draws in which the pairs of units that average beyond "
    "{rope} weigh most",
    random=True,
    parameters={
        "rope": ROPE,
        "prior": Parameter("how many units without a difference the prior is worth", low=0, above=True),
    },
    references=(
        "A. Benavoli, F. Mangili, G. Corani, M. Zaffalon and F. Ruggeri (2014). A Bayesian Wilcoxon signed-rank test "
        "based on the Dirichlet process. In ICML, 1026-1034",
        "A. Benavoli, G. Corani, J. Demšar and M. Zaffalon (2017). Time for a change: a tutorial for comparing "
        "multiple classifiers through Bayesian analysis. Journal of Machine Learning Research 18, 1-36. With a region "
        "of practical equivalence",
    ),
    examples=(
        TestExample(
            ([0.9, 0.8, 0.7], [0.8, 0.6, 0.4]),
            {"a_better": 1.0, "b_better": 0.0, "outcome": "a", "difference": 0.2},
            "exact: whatever the weights, no pair of differences is in favour of b",
            {"rope": 0},
        ),
    ),
)
