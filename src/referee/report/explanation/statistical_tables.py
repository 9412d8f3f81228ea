"""The statistical table that a critical value stands in, told by the value itself."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isclose
from typing import TYPE_CHECKING

from referee.report.explanation.formulas import brief
from referee.scoring import quantile

if TYPE_CHECKING:
    from referee.comparing import Comparison


@dataclass(frozen=True)
class Table:
    """Where a critical value was looked up."""

    symbol: str
    name: str
    place: str
    """The row and the column."""
    two_sided: bool = True
    """Whether the statistic has a sign, which says who is ahead."""


def table_of(comparison: Comparison) -> Table | None:
    """Find the table; None where nothing was looked up, or in none of these.

    >>> from referee.comparing import Comparison
    >>> table_of(Comparison(0.1, 0.03, "a", 2.5, df=9, critical=2.262157163)).place
    't(0.025, 9)'
    """
    critical, alpha, df = comparison.critical, comparison.alpha, comparison.df
    if critical is None:
        return None
    if df is None or df == inf:
        normal = Table("z", "normal", f"z({brief(alpha / 2)})")
        return normal if _is(critical, quantile(1 - alpha / 2, inf)) else None
    for tail, two_sided in ((alpha / 2, True), (alpha, False)):
        if _is(critical, quantile(1 - tail, df)):
            return Table("t", "t", f"t({brief(tail)}, {brief(df)})", two_sided)
    return _squared_table(comparison, df)


def _squared_table(comparison: Comparison, df: float) -> Table | None:
    """Statistics that are never negative: one tail holds all of alpha."""
    from scipy.special import chdtri, fdtri

    critical, alpha = comparison.critical or 0.0, comparison.alpha
    if _is(critical, float(chdtri(df, alpha))):
        return Table("chi-squared", "chi-squared", f"chi-squared({brief(alpha)}, {brief(df)})", two_sided=False)
    second = comparison.details.get("df_denominator")
    if second and _is(critical, float(fdtri(df, second, 1 - alpha))):
        return Table("F", "F", f"F({brief(alpha)}; {brief(df)}, {brief(second)})", two_sided=False)
    return None


def _is(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=1e-6)
