"""Comparison: what a test says of two models; differences of units, and adjustments for many comparisons."""

from __future__ import annotations

from dataclasses import field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.document import counted
from referee.errors import InputError, Notice, UndefinedError, UsageError, did_you_mean
from referee.records import dataclass
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.design import Design


@dataclass(frozen=True)
class Comparison:
    """The result of one significance test; `difference` is a minus b, in the metric's own units.

    >>> from referee import tests
    >>> comparison = tests["paired_t"]([0.9, 0.8, 0.85, 0.95], [0.7, 0.75, 0.7, 0.8])
    >>> comparison.outcome, comparison.df
    ('a', 3)

    `winner` is the better model's name, `low` and `high` are the ends of the
    difference's interval, `details` what else this test says;
    `seen_from(model)` has that model first.
    """

    difference: float | None
    p: float | None
    outcome: Literal["a", "b", "tie", "undecided", "different"] | None
    """None where the comparison is undefined, undecided where p cannot be trusted; several models at once are a tie or
    different."""
    statistic: float | None = None
    df: float | None = None
    critical: float | None = None
    """The value that the statistic must exceed in size to be significant."""
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    units: int = 0
    details: Mapping[str, Any] = field(default_factory=dict)
    """What else this test found: wins and losses, probabilities, ranks ..."""
    warnings: tuple[Notice, ...] = ()
    undefined: str | None = None
    undecided: str | None = None
    """Why nobody is named, whatever p says: too few calls, hits, rows or groups."""
    a: str = "a"
    b: str = "b"
    metric: str | None = None
    test: str = ""
    alpha: float = 0.05
    p_adjusted: float | None = None
    given: tuple[Array, Array] | None = field(default=None, repr=False, compare=False)
    """The values of the units that were compared, where there are some, so that the test can be explained."""

    @property
    def winner(self) -> str | None:
        """The name of the better model, if there is one."""
        return {"a": self.a, "b": self.b}.get(self.outcome or "")

    @property
    def answer(self) -> str:
        """The name of the better model, or one word that says why there is none."""
        return self.winner or ("undefined" if self.undefined else "undecided" if self.undecided else "tie")

    def against(self, name: str) -> str:
        """The name of the other model."""
        return self.b if name == self.a else self.a

    def seen_from(self, name: str) -> Comparison:
        """The same with this model first.

        >>> Comparison(-0.2, 0.01, "b", low=-0.3, high=-0.1).seen_from("b").difference
        0.2
        """
        if name == self.a:
            return self
        turned: dict[str, Any] = {"a": self.b, "b": self.a, "low": _negative(self.high), "high": _negative(self.low)}
        turned |= {key: _negative(getattr(self, key)) for key in ("difference", "statistic")}
        turned["outcome"] = {"a": "b", "b": "a"}.get(self.outcome or "", self.outcome)
        return replace(self, **turned, details=_turned(self.details), given=self.given and self.given[::-1])

    def to_dict(self) -> dict[str, Any]:
        first = ("a", "b", "metric", "test", "statistic", "df", "critical", "difference", "low", "high")
        last = ("p", "p_adjusted", "outcome", "undecided", "standard_error", "units", "undefined")
        fields = {name: _plain(getattr(self, name)) for name in (*first, *last)}
        return fields | {"details": dict(self.details), "warnings": [vars(notice) for notice in self.warnings]}


TURNED = {"a_better": "b_better", "wins": "losses", "a": "b"}
TURNED |= {other: name for name, other in TURNED.items()}


def _turned(details: Mapping[str, Any]) -> dict[str, Any]:
    """With the two models exchanged: who is how likely better, and who won which data sets."""
    turned = {TURNED.get(name, name) if name in BAYESIAN else name: value for name, value in details.items()}
    if "score_interval" in details:
        turned["score_interval"] = [0.0 - end for end in reversed(details["score_interval"])]
    if "data_sets" in details:
        of_sets = {TURNED.get(name, name): value for name, value in details["data_sets"].items()}
        outcomes = {name: TURNED.get(winner, winner) for name, winner in of_sets["outcomes"].items()}
        turned["data_sets"] = of_sets | {"outcomes": outcomes}
    return turned


BAYESIAN = ("a_better", "b_better")


def _negative(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _plain(value: Any) -> Any:
    """What JSON can hold: infinitely many degrees of freedom are the normal distribution's, written as null."""
    return None if isinstance(value, float) and not isfinite(value) else value


def by_student_t(difference: float, standard_error: float, df: float, design: Design, **more: Any) -> Comparison:
    """Compare a difference with its standard error; infinite `df` is the normal distribution."""
    statistic = difference / standard_error
    critical = quantile(1 - design.alpha / 2, df)
    reach = critical * standard_error
    p = 2 * tail(abs(statistic), df)
    return Comparison(
        difference,
        p,
        design.outcome(difference, p),
        statistic,
        df,
        critical,
        difference - reach,
        difference + reach,
        standard_error,
        **more,
    )


def no_difference(design: Design, **more: Any) -> Comparison:  # noqa: ARG001 (made like the others)
    """Not one unit differs: a tie, and nothing speaks against it."""
    return Comparison(0.0, 1.0, "tie", low=0.0, high=0.0, standard_error=0.0, **more)


def undefined(reason: str, **more: Any) -> Comparison:
    return Comparison(None, None, None, undefined=reason, **more)


def adjusted(p_values: Sequence[float | None], method: str = "holm") -> list[float | None]:
    """Adjust p values of one family; None stands for a comparison that is undefined, and does not count.

    `holm` and `hochberg` hold the probability of any false winner, `bonferroni` does so at a higher price, `bh`
    (Benjamini and Hochberg) holds the share of false winners among the winners, `none` leaves all as it is.

    >>> adjusted([0.01, None, 0.02, 0.04])
    [0.03, None, 0.04, 0.04]
    """
    if method not in METHODS:
        raise UsageError("E_ADJUSTMENT", f"there is no adjustment {method!r}; {did_you_mean(method, METHODS)}")
    defined = np.array([p for p in p_values if p is not None], float)
    rising = np.argsort(defined, kind="stable")
    result = np.empty_like(defined)
    result[rising] = np.minimum(METHODS[method](defined[rising]), 1.0)
    values = iter(result.tolist())
    return [None if p is None else next(values) for p in p_values]


def _holm(rising: Array) -> Array:
    return np.maximum.accumulate(_how_many_left(rising) * rising)


def _hochberg(rising: Array) -> Array:
    return _smallest_from_here(_how_many_left(rising) * rising)


def _benjamini_hochberg(rising: Array) -> Array:
    family = len(rising)
    return _smallest_from_here(family / np.arange(1, family + 1) * rising)


def _bonferroni(rising: Array) -> Array:
    return len(rising) * rising


def _none(rising: Array) -> Array:
    return rising


def _how_many_left(rising: Array) -> Array:
    return np.arange(len(rising), 0, -1)


def _smallest_from_here(values: Array) -> Array:
    return np.minimum.accumulate(values[::-1])[::-1]


METHODS: dict[str, Callable[[Array], Array]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "bh": _benjamini_hochberg,
    "bonferroni": _bonferroni,
    "none": _none,
}


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
        raise InputError("E_NAN", "the values are so large that their difference cannot be computed")
    rounding = DUST * max(largest(a), largest(b))
    dust = (each != 0) & (np.abs(each) <= rounding)
    if not dust.any():
        return Differences(each, rounding)
    what = f"{_counted(int(dust.sum()), design)} differ only by rounding (less than 1e-12 of the values)"
    return Differences(np.where(dust, 0.0, each), rounding, (Notice("W_DUST", f"{what}: counted as equal"),))


def student_t(paired: Differences, standard_error: float, df: float, design: Design, **more: Any) -> Comparison:
    """The mean difference over its standard error, where there is one; few degrees of freedom are pointed out."""
    units = len(paired.each)
    if paired.vanish:
        return no_difference(design, units=units, df=df, warnings=paired.warnings, **more)
    if paired.are_constant:
        return without_variance(paired, design, df=df, **more)
    warnings = paired.warnings
    if units < FEW_UNITS:
        degrees = f"{df:g} degree{'' if df == 1 else 's'} of freedom"
        what = (
            f"{_counted(units, design)} leave {degrees}: only very large differences can be distinguished from chance"
        )
        warnings = (*warnings, Notice("W_LOWPOWER", what))
    return by_student_t(paired.mean, standard_error, df, design, units=units, warnings=warnings, **more)


def without_variance(paired: Differences, design: Design, **more: Any) -> Comparison:
    """All units differ by the same: the sign test decides, unless the units depend on each other."""
    units, same = len(paired.each), paired.mean
    more["warnings"] = paired.warnings
    if design.overlapping:
        what = (
            f"all {units} {design.unit}s differ by the same {same:g} (zero variance), and they overlap, so there "
            "is no test"
        )
        return Comparison(
            same, None, "tie", units=units, standard_error=0.0,
            **more | {"warnings": (*paired.warnings, Notice("W_ZEROVAR", what))},
        )  # fmt: skip
    return constant_difference(same, units, design, **more)


def constant_difference(difference: float, units: float, design: Design, **more: Any) -> Comparison:
    """The sign test of units that all have the same sign."""
    p = min(1.0, 2 * 0.5**units)
    signs = counted(int(units), "piece" if design.kind == "time" else design.unit)
    what = (
        f"all {design.unit}s differ by the same {difference:g} (zero variance), which is not evidence of certainty: "
        f"the sign test of {signs} decides, p = {p:.3g}"
    )
    comparison = Comparison(
        difference, p, design.outcome(difference, p), units=int(units), standard_error=0.0, **more,
    )  # fmt: skip
    return replace(comparison, warnings=(*comparison.warnings, Notice("W_ZEROVAR", what)))


def out_of_reach(units: int, smallest_p: float, design: Design) -> tuple[Notice, ...]:
    """Point out that so few units cannot be significant, whatever they show."""
    if not units or smallest_p < design.alpha:
        return ()
    what = f"the smallest p that {_counted(units, design)} without a tie can give is {smallest_p:.3g}"
    return (Notice("W_LOWPOWER", f"{what}: no difference can be significant at {design.alpha:g}"),)


def _counted(units: int, design: Design) -> str:
    return f"{units:,} {design.unit}{'' if units == 1 else 's'}"
