"""Student's t; with endless degrees of freedom, the normal distribution."""

from __future__ import annotations

from math import inf


def quantile(p: float, df: float) -> float:
    """The value that a share p lies below."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(p) if df == inf else stdtrit(df, p))


def tail(statistic: float, df: float) -> float:
    """The share beyond a value."""
    from scipy.special import ndtr, stdtr

    return float(ndtr(-statistic) if df == inf else stdtr(df, -statistic))
