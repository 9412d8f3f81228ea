"""How cost grows, from the runs of the other benchmarks: exponents in rows, models and classes, and the hump."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchmarks.measure import figure

FROM = {"rows": 10_000, "models": 2, "classes": 10}
"""Below, what a call costs at any size is most of it."""
MOST_EXPONENT, MOST_PER_ROW = {"classes": 1.2}, 1.5


def growth(results):
    """Rows of every series that was measured."""
    for series, seconds in _series(results).items():
        axis = series.rpartition(" in ")[2]
        counted = {n: spent for n, spent in seconds.items() if n >= FROM[axis]}
        if len(counted) < 2:
            continue
        slope = np.polyfit(np.log(list(counted)), np.log(list(counted.values())), 1)[0]
        size = f"{axis}: {', '.join(f'{n:,}' for n in counted)}"
        call = series.rpartition(", in ")[0]
        yield figure(call, size, f"exponent in {axis}", slope, MOST_EXPONENT.get(axis))
        if axis == "rows":
            yield from _hump(call, counted)


def _series(results):
    """Seconds by size, of each series."""
    known = {}
    for row in results:
        if row["series"]:
            known.setdefault(row["series"], {})[row["n"]] = row["referee"]
    return {series: dict(sorted(seconds.items())) for series, seconds in known.items()}


def _hump(call, seconds):
    """The cost of a row at each size over that at a tenth of it."""
    for (fewer, before), (rows, after) in pairwise(seconds.items()):
        ratio = (after / rows) / (before / fewer)
        yield figure(call, f"{rows:,} rows", f"times the cost of a row at {fewer:,}", ratio, MOST_PER_ROW)
