"""Five repeats of two-fold cross-validation: ten differences, and how much the two of each repeat vary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.comparison import Comparison, no_difference
from referee.errors import Notice, UsageError
from referee.unit_differences import Differences, differences

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.design import Design

REPEATS, FOLDS = 5, 2


@dataclass(frozen=True)
class FiveByTwo:
    """The differences, repeat by repeat."""

    differences: Differences

    @property
    def within_repeats(self) -> Array:
        """What the second fold of each repeat differs from the first by."""
        first, second = self.differences.each.reshape(REPEATS, FOLDS).T
        return np.asarray(first - second)

    @property
    def deviation(self) -> float:
        """The root of the mean variance within the repeats."""
        scale = scale_to_one(largest(self.within_repeats))
        return float(((self.within_repeats * scale) ** 2).mean() / 2) ** 0.5 / scale

    @property
    def f(self) -> float:
        """Alpaydin's ratio of the squared differences to twice the variances within the repeats."""
        scale = scale_to_one(largest(self.differences.each))
        squares, within = ((one * scale) ** 2 for one in (self.differences.each, self.within_repeats))
        return float(squares.sum() / within.sum())

    def without_variance(self, design: Design) -> Comparison | None:
        """The answer where the two folds of every repeat differ by the same, so that there is nothing to test with."""
        found, mean = self.differences, self.differences.mean
        if found.vanish:
            return no_difference(design, units=len(found.each), warnings=found.warnings)
        if np.abs(self.within_repeats).max() > 2 * found.rounding:
            return None
        what = "the two folds of every repeat differ by the same (zero variance), and the repeats overlap: no test"
        return Comparison(
            mean, None, "tie", units=len(found.each), low=mean, high=mean, standard_error=0.0,
            warnings=(*found.warnings, Notice("W_ZEROVAR", what)),
        )  # fmt: skip


def five_by_two(a: Array, b: Array, design: Design) -> FiveByTwo:
    """Take ten values of each model: both folds of the first repeat, both of the second ..."""
    wanted = f"{REPEATS} repeats of {FOLDS}-fold cross-validation"
    hint = "--scheme 'k_fold(k=2, repeats=5)' makes them; corrected_resampled_t takes any number of splits"
    if design.folds not in (None, FOLDS) or design.repeats not in (None, REPEATS):
        these = f"{design.repeats or 1} of {design.folds or len(a)}-fold"
        raise UsageError("E_DESIGN", f"this test is of {wanted}, not {these}", hint=hint)
    if len(a) > REPEATS * FOLDS:
        raise UsageError("E_DESIGN", f"this test is of {wanted}: 10 values, not {len(a):,}", hint=hint)
    return FiveByTwo(differences(a, b, replace(design, kind="splits"), least=REPEATS * FOLDS))
