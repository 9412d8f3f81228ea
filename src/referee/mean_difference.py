"""The mean difference of units with its standard error: paired, or corrected where training sets overlap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from referee.comparison import Comparison, no_difference
from referee.errors import Notice, UsageError
from referee.student_t import quantile, tail
from referee.unit_differences import Differences, differences, without_variance

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.design import Design


@dataclass(frozen=True)
class MeanDifference:
    """An estimate that is compared with Student's t."""

    differences: Differences
    standard_error: float
    df: float


def mean_difference(a: Array, b: Array, design: Design) -> MeanDifference:
    found = differences(a, b, design)
    if design.overlapping:
        return corrected_for_overlap(found, design)
    units = len(found.each)
    return MeanDifference(found, found.deviation() / units**0.5, units - 1)


def corrected_for_overlap(found: Differences, design: Design, df: float | None = None) -> MeanDifference:
    """Nadeau and Bengio's variance: that of the mean, plus what the shared training rows add."""
    units = len(found.each)
    if df is None:
        repeated = design.folds and design.repeats and design.folds > 1
        # With r k - 1, as Weka has it, unstable learners reach 12 % false winners instead of 5 %.
        df = design.folds - 1 if repeated and design.folds else units - 1
    return MeanDifference(found, found.deviation() * (1 / units + overlap_ratio(design)) ** 0.5, df)


def overlap_ratio(design: Design) -> float:
    """Test rows for each training row: the ratio of the sums, as Weka takes it."""
    if design.n_train is None or design.n_test is None:
        raise UsageError(
            "E_DESIGN",
            "how much the splits overlap is not known without the sizes of their training and test sets",
            hint="give --train-size on the command line; in Python n_train= and n_test=, or test_fraction=, such as "
            "0.1 for 10-fold cross-validation",
        )
    if not (design.n_train > 0).all() or not (design.n_test > 0).all():
        raise UsageError("E_DESIGN", "every split needs at least one training row and one test row")
    return float(design.n_test.sum() / design.n_train.sum())


def within_margin(
    mean: MeanDifference, margin: float | None, sides: tuple[int, ...], design: Design, claim: str
) -> Comparison:
    """Test the claim that the difference, seen from each side, is above minus the margin."""
    if margin is None:
        raise UsageError(
            "E_PARAMETER",
            "this test needs a margin: the largest difference that would not matter, in the metric's own units",
            hint="give --margin on the command line, margin= in Python",
        )
    found, error, df = mean.differences, mean.standard_error, mean.df
    units, centre = len(found.each), found.mean
    room = min(side * centre + margin for side in sides)
    if found.vanish or found.are_constant:
        return _without_variance(found, room, margin, design, claim)
    p, reach = tail(room / error, df), quantile(1 - design.alpha, df) * error
    return Comparison(
        centre, p, "tie", room / error, df, quantile(1 - design.alpha, df), centre - reach, centre + reach, error,
        units=units, details={claim: p < design.alpha, "margin": margin}, warnings=found.warnings,
    )  # fmt: skip


def _without_variance(found: Differences, room: float, margin: float, design: Design, claim: str) -> Comparison:
    """The sign test decides whether the difference lies within the margin, unless the units depend on each other."""
    units = len(found.each)
    if found.vanish:
        what = f"not one {design.unit} differs, so there is nothing to test: {claim.replace('_', '-')} as they stand"
        told = (*found.warnings, Notice("W_ZEROVAR", f"{what} (p = 1 is that of no difference)"))
        return no_difference(design, units=units, details={claim: True, "margin": margin}, warnings=told)
    if design.overlapping:
        return without_variance(found, design, details={claim: None, "margin": margin})
    p = 0.5**units if room > 0 else 1.0
    what = f"all {design.unit}s differ by the same {found.mean:g} (zero variance): the sign test decides, p = {p:.3g}"
    return replace(
        no_difference(design, units=units, details={claim: p < design.alpha, "margin": margin}),
        difference=found.mean, low=found.mean, high=found.mean, p=p,
        warnings=(*found.warnings, Notice("W_ZEROVAR", what)),
    )  # fmt: skip
