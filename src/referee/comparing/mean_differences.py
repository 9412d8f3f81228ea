"""Mean differences: margins, posteriors and five times two folds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.catalogue import Parameter
from referee.comparing.comparison import Comparison, Differences, differences, no_difference, without_variance
from referee.errors import Notice, UsageError
from referee.records import dataclass
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.design import Design, Outcome


@dataclass(frozen=True)
class MeanDifference:
    """An estimate that is compared with Student's t."""

    differences: Differences
    standard_error: float
    df: float


def mean_difference(a: Array, b: Array, design: Design) -> MeanDifference:
    paired = differences(a, b, design)
    if design.overlapping:
        return corrected_for_overlap(paired, design)
    units = len(paired.each)
    return MeanDifference(paired, paired.deviation() / units**0.5, units - 1)


def corrected_for_overlap(paired: Differences, design: Design, df: float | None = None) -> MeanDifference:
    """Nadeau and Bengio's variance: that of the mean, plus what the shared training rows add."""
    units = len(paired.each)
    if df is None:
        repeated = design.folds and design.repeats and design.folds > 1
        # With r k - 1, as Weka has it, unstable learners reach 12% false winners instead of 5%.
        df = design.folds - 1 if repeated and design.folds else units - 1
    return MeanDifference(paired, paired.deviation() * (1 / units + overlap_ratio(design)) ** 0.5, df)


def overlap_ratio(design: Design) -> float:
    """Test rows for each training row: the ratio of the sums, as Weka takes it, as many times as it counts."""
    if design.n_train is None or design.n_test is None:
        raise UsageError(
            "E_DESIGN",
            "how much the splits overlap is not known without the sizes of their training and test sets",
            hint="in compare, use --train-size; when calling a test, pass n_train= and n_test=, or test_fraction=, "
            "such as 0.1 for 10-fold cross-validation",
        )
    if not (design.n_train > 0).all() or not (design.n_test > 0).all():
        raise UsageError("E_DESIGN", "every split needs at least one training row and one test row")
    return design.correction * float(design.n_test.sum() / design.n_train.sum())


def fold_correlation(design: Design) -> float:
    """Of two folds of one data set: the share of test rows, as Nadeau and Bengio estimate it."""
    ratio = overlap_ratio(design)
    return ratio / (1 + ratio)


def within_margin(
    mean: MeanDifference, margin: float | None, sides: tuple[int, ...], design: Design, claim: str
) -> Comparison:
    """Test the claim that the difference, seen from each side, is above minus the margin."""
    if margin is None:
        raise UsageError(
            "E_PARAMETER",
            "this test needs a margin: the largest difference that would not matter, in the metric's own units",
            hint="use --margin D",
        )
    paired, error, df = mean.differences, mean.standard_error, mean.df
    units, centre = len(paired.each), paired.mean
    room = min(side * centre + margin for side in sides)
    if paired.vanish or paired.are_constant:
        return _without_variance(paired, room, margin, design, claim)
    p, reach = tail(room / error, df), quantile(1 - design.alpha, df) * error
    return Comparison(
        centre, p, "tie", room / error, df, quantile(1 - design.alpha, df), centre - reach, centre + reach, error,
        units=units, details={claim: p < design.alpha, "margin": margin}, warnings=paired.warnings,
    )  # fmt: skip


def _without_variance(paired: Differences, room: float, margin: float, design: Design, claim: str) -> Comparison:
    """The sign test decides whether the difference lies within the margin, unless the units depend on each other."""
    units = len(paired.each)
    if paired.vanish:
        what = f"no {design.unit} differs, so there is nothing to test: {claim.replace('_', '-')} as they stand"
        told = (*paired.warnings, Notice("W_ZEROVAR", f"{what} (p = 1 is that of no difference)"))
        return no_difference(design, units=units, details={claim: True, "margin": margin}, warnings=told)
    if design.overlapping:
        return without_variance(paired, design, details={claim: None, "margin": margin})
    p = 0.5**units if room > 0 else 1.0
    what = f"all {design.unit}s differ by the same {paired.mean:g} (zero variance): the sign test decides, p = {p:.3g}"
    return replace(
        no_difference(design, units=units, details={claim: p < design.alpha, "margin": margin}),
        difference=paired.mean, low=paired.mean, high=paired.mean, p=p,
        warnings=(*paired.warnings, Notice("W_ZEROVAR", what)),
    )  # fmt: skip


ROPE = Parameter("the region of practical equivalence: a difference up to this size does not matter", low=0)


def by_probabilities(difference: float, lower: float, higher: float, design: Design, **more: Any) -> Comparison:
    """Judge by the probability that the difference lies below or above the region of practical equivalence."""
    a_better, b_better = (higher, lower) if design.better == "higher" else (lower, higher)
    certain = 1 - design.alpha
    outcome: Outcome = "a" if a_better > certain else "b" if b_better > certain else "tie"
    details = {
        "a_better": a_better,
        "practically_equal": max(0.0, 1 - (lower + higher)),
        "b_better": b_better,
        **more.pop("details", {}),
    }
    return Comparison(difference, None, outcome, details=details, **more)


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
        squares, within = ((apart * scale) ** 2 for apart in (self.differences.each, self.within_repeats))
        return float(squares.sum() / within.sum())

    def without_variance(self, design: Design) -> Comparison | None:
        """The answer where the two folds of every repeat differ by the same, so that there is nothing to test with."""
        paired, mean = self.differences, self.differences.mean
        if paired.vanish:
            return no_difference(design, units=len(paired.each), warnings=paired.warnings)
        if np.abs(self.within_repeats).max() > 2 * paired.rounding:
            return None
        what = (
            "the two folds of every repeat differ by the same (zero variance), and the repeats overlap, so there "
            "is no test"
        )
        return Comparison(
            mean, None, "tie", units=len(paired.each), low=mean, high=mean, standard_error=0.0,
            warnings=(*paired.warnings, Notice("W_ZEROVAR", what)),
        )  # fmt: skip


def five_by_two(a: Array, b: Array, design: Design) -> FiveByTwo:
    """Take ten values of each model: both folds of the first repeat, both of the second ..."""
    wanted = f"{REPEATS} repeats of {FOLDS}-fold cross-validation"
    hint = "--scheme 'k_fold(k=2, repeats=5)' makes them; corrected_resampled_t takes any number of splits"
    if design.folds not in (None, FOLDS) or design.repeats not in (None, REPEATS):
        these = f"{design.repeats or 1} of {design.folds or len(a)}-fold"
        raise UsageError("E_DESIGN", f"this test is for {wanted}, not {these}", hint=hint)
    if len(a) > REPEATS * FOLDS:
        raise UsageError("E_DESIGN", f"this test is for {wanted}: 10 values, not {len(a):,}", hint=hint)
    return FiveByTwo(differences(a, b, replace(design, kind="splits"), least=REPEATS * FOLDS))
