"""Sign test: on how many units each model is better, whatever by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import Comparison, SignificanceTest, TestExample, differences, no_difference, out_of_reach
from referee.scoring import clopper_pearson, median_interval, sign_p

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing import Design


def compare(a: Array, b: Array, design: Design) -> Comparison:
    paired = differences(a, b, design, least=1)
    above, below = int((paired.each > 0).sum()), int((paired.each < 0).sum())
    wins, losses = (above, below) if design.better == "higher" else (below, above)
    units = wins + losses
    low_share, high_share = clopper_pearson(wins, units, design.alpha)
    share = {"share_of_wins": wins / units if units else None, "share_low": low_share, "share_high": high_share}
    details = {"wins": wins, "losses": losses, "ties": len(paired.each) - units, **share, "estimate": "median"}
    if not units:
        return no_difference(design, units=0, details=details, warnings=paired.warnings)
    p, differ = sign_p(wins, losses), paired.each[paired.each != 0]
    # The median of all differences could be 0 although one model wins most units that are not tied.
    low, high = median_interval(differ, design.alpha) or (None, None)
    return Comparison(
        float(np.median(differ)), p, design.outcome(above - below, p), float(wins), low=low, high=high, units=units,
        details=details, warnings=(*paired.warnings, *out_of_reach(units, sign_p(units, 0), design)),
    )  # fmt: skip


test = SignificanceTest(
    title="Sign test",
    question="Does one model win more units than chance would explain?",
    hypothesis="on a unit that is not tied, both models are equally likely to be better",
    takes="units",
    designs=("independent", "subsets", "data_sets"),
    assumptions=(
        "the units are independent of each other",
        "ties say nothing and are dropped; the difference is the median of the units that are not tied",
    ),
    compare=compare,
    statistic_formula="p = 2 x the probability of at most min({wins}, {losses}) heads "
    "in {units:n} tosses of a fair coin (at most 1)",
    references=(
        "W. J. Dixon and A. M. Mood (1946). The statistical sign test. Journal of the American Statistical "
        "Association 41, 557-566",
        "W. J. Conover (1999). Practical Nonparametric Statistics, 3rd edition. Wiley, section 3.4",
    ),
    examples=(
        TestExample(
            ([1] * 44 + [0] * 21 + [0] * 35, [0] * 44 + [1] * 21 + [0] * 35),
            {"p": 0.00591843325261931, "share_low": 0.549450432900227, "share_high": 0.787672393060607},
            "R 4.2.2, binom.test(44, 65)",
        ),
        TestExample(
            ([0.9, 0.8, 0.7, 0.9, 0.8], [0.8, 0.7, 0.6, 0.7, 0.7]),
            {"p": 0.0625, "outcome": "tie"},
            "exact: 2 / 2^5, which is not below an alpha of 0.0625",
            {"alpha": 0.0625},
        ),
    ),
)  # fmt: skip
