"""The numbers that a test's formulas may name, and where a critical value was looked up."""

from __future__ import annotations

from math import inf, isclose, sqrt
from typing import TYPE_CHECKING, Any

from referee.catalogue import brief, is_number, worked_lines
from referee.records import dataclass
from referee.scoring import quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.catalogue import Formula
    from referee.comparing import Comparison, Design, SignificanceTest


def worked(comparison: Comparison, test: SignificanceTest, design: Design, digits: int = 4) -> dict[str, Formula]:
    """The formulas of which all is known, by what they compute: the first one of each."""
    settings = test.defaults | dict(test.settings) | dict(comparison.details)
    return worked_lines(test.statistic_formula, known_numbers(comparison, test, design), settings, digits)


def known_numbers(comparison: Comparison, test: SignificanceTest, design: Design) -> dict[str, float]:
    """All numbers that a formula may name: what was found, what follows from it, the settings and the design."""
    difference = comparison.difference
    known: dict[str, Any] = dict(test.defaults) | dict(test.settings)
    known |= {name: getattr(comparison, name) for name in ("difference", "standard_error", "df", "units")}
    known |= {"mean_difference": difference, "folds": design.folds, "repeats": design.repeats}
    if difference is not None:
        known["advantage"] = difference if design.better == "higher" else -difference
    known |= _spread(comparison, test, design) | dict(comparison.details)
    return {name: float(value) for name, value in known.items() if is_number(value)}


def _spread(comparison: Comparison, test: SignificanceTest, design: Design) -> dict[str, float]:
    """The standard deviation behind the standard error; a formula that has test rows in it allows for their overlap."""
    error, units, overlap = comparison.standard_error, comparison.units, 0.0
    if not error or not units:
        return {}
    known = {}
    if "{test_rows" in test.statistic_formula and design.n_train is not None and design.n_test is not None:
        known = {"test_rows": float(design.n_test.mean()), "training_rows": float(design.n_train.mean())}
        times = (test.defaults | dict(test.settings)).get("correction", 1)
        overlap = times * known["test_rows"] / known["training_rows"]
    return known | {"standard_deviation": error / sqrt(1 / units + overlap)}


def named_numbers(details: Mapping[str, Any], a: str, b: str) -> list[str]:
    """What else a test found, in words; a and b are the models.

    >>> named_numbers({"only_a": 110, "only_b": 98, "method": "exact"}, "tree", "knn")
    ['only tree 110', 'only knn 98']
    >>> named_numbers({"mean_ranks": {"tree": 1.5, "knn": 1.5}}, "", "")
    ['mean ranks: tree 1.5, knn 1.5']
    """
    models, said = {"a": a, "b": b}, []
    for name, value in details.items():
        words = " ".join(models.get(word, word) for word in name.split("_"))
        if isinstance(value, dict) and all(map(is_number, value.values())):
            said.append(f"{words}: {', '.join(f'{key} {brief(part)}' for key, part in value.items())}")
        elif is_number(value) and not isinstance(value, bool) and not name.startswith("df"):
            said.append(f"{words} {brief(value)}")
    return said


@dataclass(frozen=True)
class CriticalTable:
    """Where a critical value was looked up."""

    symbol: str
    name: str
    place: str
    """The row and the column."""
    two_sided: bool = True
    """Whether the statistic has a sign, which says who is ahead."""


def table_of(comparison: Comparison) -> CriticalTable | None:
    """Find the table; None where nothing was looked up, or in none of these.

    >>> from referee.comparing import Comparison
    >>> table_of(Comparison(0.1, 0.03, "a", 2.5, df=9, critical=2.262157163)).place
    't(0.025, 9)'
    """
    critical, alpha, df = comparison.critical, comparison.alpha, comparison.df
    if critical is None:
        return None
    if df is None or df == inf:
        normal = CriticalTable("z", "normal", f"z({brief(alpha / 2)})")
        return normal if _is(critical, quantile(1 - alpha / 2, inf)) else None
    for tail, two_sided in ((alpha / 2, True), (alpha, False)):
        if _is(critical, quantile(1 - tail, df)):
            return CriticalTable("t", "t", f"t({brief(tail)}, {brief(df)})", two_sided)
    return _squared_table(comparison, df)


def _squared_table(comparison: Comparison, df: float) -> CriticalTable | None:
    """Statistics that are never negative: one tail holds all of alpha."""
    from scipy.special import chdtri, fdtri

    critical, alpha = comparison.critical or 0.0, comparison.alpha
    if _is(critical, float(chdtri(df, alpha))):
        return CriticalTable("chi-squared", "chi-squared", f"chi-squared({brief(alpha)}, {brief(df)})", two_sided=False)
    second = comparison.details.get("df_denominator")
    if second and _is(critical, float(fdtri(df, second, 1 - alpha))):
        return CriticalTable("F", "F", f"F({brief(alpha)}; {brief(df)}, {brief(second)})", two_sided=False)
    return None


def _is(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=1e-6)
