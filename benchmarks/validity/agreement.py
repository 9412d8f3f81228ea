"""Agreement: whether the decision alone is that of `referee.compare`, on data sets of every cell.

The first data sets of every cell are drawn again and go both ways: what becomes of them must be the same, and p the
same but for rounding. Of stacked data sets also those are drawn again that once went through `referee.compare`; the
sums that were stored must come out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.validity.cell import COMPARE, P, compared, summed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.validity.cell import Cell, Look

CLOSE = 1e-9


def agreement(cell: Cell, sets: int, lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many data sets were looked at, how many measures differ, and by how much p does at most."""
    numbers = range(min(sets, cell.sets))
    public = [cell.look(cell.generator(number), number, compared) for number in numbers]
    both = [*zip(cell.looks(numbers), public, strict=True)]
    stored = [line for line in lines if line["cell"] == cell.name and line["by"] == COMPARE and not line["first"]]
    stored = stored if cell.together else []
    return {
        "cell": cell.name,
        "sets": len(both),
        "differ": sum(differing(*looks) for looks in both),
        "p": max((distance for looks in both for distance in _distances(*looks)), default=0.0),
        "stored_sets": sum(line["sets"] for line in stored),
        "stored_differ": sum(_not_as_stored(cell, line) for line in stored),
    }


def differing(fast: Look, public: Look) -> int:
    """The measures of which the two ways say something different."""
    known = [(test, measure) for test, measures in fast.items() for measure in measures if measure != P]
    return sum(bool(fast[test][measure] != public[test][measure]) for test, measure in known)


def _distances(fast: Look, public: Look) -> list[float]:
    """Of two p; one that only one of them has is as far from none as can be."""
    pairs = [(measures[P], public[test][P]) for test, measures in fast.items() if P in measures]
    return [1.0 if p is None or other is None else abs(p - other) for p, other in pairs if (p, other) != (None, None)]


def _not_as_stored(cell: Cell, line: dict[str, Any]) -> int:
    """Tests that draw random numbers are left out: their draws may have changed."""
    again = summed(cell.looks(range(line["first"], line["first"] + line["sets"]), drawing=False))
    return sum(line["tests"][test][name] != sums for test, each in again.items() for name, sums in each.items())
