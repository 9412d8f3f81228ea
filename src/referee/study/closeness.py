"""How close the numbers of a table are to the paper's, whatever becomes of its claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.study.paper import printed
from referee.study.tables import BY_CASE, BY_METRIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.study.tables import Table


@dataclass(frozen=True)
class Closeness:
    """Of the absolute differences between ours and the paper's numbers.

    >>> Closeness.of([0.1, -0.3])
    Closeness(numbers=2, mean=0.2, largest=0.3)
    """

    numbers: int
    mean: float
    largest: float

    @classmethod
    def of(cls, differences: Sequence[float]) -> Closeness:
        sizes = [abs(one) for one in differences]
        return cls(len(sizes), sum(sizes) / len(sizes), max(sizes))


def closeness(table: Table) -> dict[str, Closeness]:
    """Of all numbers of Tables 2 to 5; of the diagonal of Tables 6 and 7, and of what is off it."""
    theirs = printed(table.number)
    found: dict[str, list[float]] = {}
    if table.number in BY_CASE:
        for name, pairs in table.values.items():
            for pair, row in pairs.items():
                known = theirs.get(name, {}).get(pair, {})
                found.setdefault("all", []).extend(ours - known[key] for key, ours in row.items() if key in known)
    elif table.number in BY_METRIC:
        for goal, row in table.values.items():
            known = theirs.get(goal, {})
            for key, ours in row.items():
                if key in known:
                    place = "diagonal" if key == goal else "off the diagonal"
                    found.setdefault(place, []).append(ours - known[key])
    return {place: Closeness.of(each) for place, each in found.items() if each}
