"""What two models' values of the same units differ by, and what to do where that says too little."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.comparison import Comparison, by_student_t, no_difference
from referee.errors import InputError, Notice, UndefinedError

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.design import Design

DUST = 1e-12
"""Differences that are smaller, relative to the values, come from rounding."""
FEW_UNITS = 5


@dataclass(frozen=True)
class Differences:
    """One difference per unit, and what has to be said about them."""

    each: Array
    rounding: float
    """What is smaller comes from rounding of the values."""
    warnings: tuple[Notice, ...] = ()

    @property
    def mean(self) -> float:
        scale = scale_to_one(largest(self.each))
        return float((self.each * scale).mean()) / scale

    def deviation(self, ddof: int = 1) -> float:
        """The standard deviation, of extreme differences too."""
        scale = scale_to_one(largest(self.each))
        return float(np.std(self.each * scale, ddof=ddof)) / scale

    @property
    def vanish(self) -> bool:
        return not self.each.any()

    @property
    def are_constant(self) -> bool:
        return float(self.each.max()) - float(self.each.min()) <= 2 * self.rounding


def differences(a: Array, b: Array, design: Design, *, least: int = 2) -> Differences:
    """Check the values and subtract; what is only rounding counts as no difference, and is reported."""
    for name, column in (("a", a), ("b", b)):
        if not np.isfinite(column).all():
            unit = int(np.argmin(np.isfinite(column)))
            raise InputError("E_NAN", f"the value of {design.unit} {unit + 1} of {name} is {column[unit]}")
    if len(a) < least:
        raise UndefinedError("E_TOOFEW", f"{_counted(len(a), design)}: this test needs at least {least}")
    with np.errstate(over="ignore"):
        each = a - b
    if not np.isfinite(each).all():
        raise InputError("E_NAN", "the values are so large that their difference is no number")
    rounding = DUST * max(largest(a), largest(b))
    dust = (each != 0) & (np.abs(each) <= rounding)
    if not dust.any():
        return Differences(each, rounding)
    what = f"{_counted(int(dust.sum()), design)} differ only by rounding (less than 1e-12 of the values)"
    return Differences(np.where(dust, 0.0, each), rounding, (Notice("W_DUST", f"{what}: counted as equal"),))


def student_t(found: Differences, standard_error: float, df: float, design: Design, **more: Any) -> Comparison:
    """The mean difference over its standard error, where there is one; few degrees of freedom are pointed out."""
    units = len(found.each)
    if found.vanish:
        return no_difference(design, units=units, df=df, warnings=found.warnings, **more)
    if found.are_constant:
        return without_variance(found, design, df=df, **more)
    warnings = found.warnings
    if units < FEW_UNITS:
        degrees = f"{df:g} degree{'' if df == 1 else 's'} of freedom"
        what = f"{_counted(units, design)} leave {degrees}: only very large differences can be told from chance"
        warnings = (*warnings, Notice("W_LOWPOWER", what))
    return by_student_t(found.mean, standard_error, df, design, units=units, warnings=warnings, **more)


def without_variance(found: Differences, design: Design, **more: Any) -> Comparison:
    """All units differ by the same: the sign test decides, unless the units depend on each other."""
    units, same = len(found.each), found.mean
    more["warnings"] = found.warnings
    if design.overlapping:
        what = f"all {units} {design.unit}s differ by the same {same:g} (zero variance), and they overlap: no test"
        return Comparison(
            same, None, "tie", units=units, standard_error=0.0,
            **more | {"warnings": (*found.warnings, Notice("W_ZEROVAR", what))},
        )  # fmt: skip
    return constant_difference(same, units, design, **more)


def constant_difference(difference: float, units: float, design: Design, **more: Any) -> Comparison:
    """The sign test of units that all have the same sign."""
    p = min(1.0, 2 * 0.5**units)
    what = (
        f"all {design.unit}s differ by the same {difference:g} (zero variance), which is no evidence of certainty: "
        f"the sign test of {units:,.0f} {design.unit}s decides, p = {p:.3g}"
    )
    found = Comparison(
        difference, p, design.outcome(difference, p), units=int(units), standard_error=0.0, **more,
    )  # fmt: skip
    return replace(found, warnings=(*found.warnings, Notice("W_ZEROVAR", what)))


def out_of_reach(units: int, smallest_p: float, design: Design) -> tuple[Notice, ...]:
    """Point out that so few units cannot be significant, whatever they show."""
    if not units or smallest_p < design.alpha:
        return ()
    what = f"the smallest p that {_counted(units, design)} without a tie can give is {smallest_p:.3g}"
    return (Notice("W_LOWPOWER", f"{what}: no difference can be significant at {design.alpha:g}"),)


def _counted(units: int, design: Design) -> str:
    return f"{units:,} {design.unit}{'' if units == 1 else 's'}"
