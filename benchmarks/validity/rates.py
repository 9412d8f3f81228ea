"""Rates: what share of a cell's data sets ended in which verdict, and whether that keeps what is promised."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from benchmarks.validity.cell import CLEAN, CLEAN_WINNER, FITTED, HOLDS, ROUGH_WINNER, SIGNIFICANT, UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.validity.cell import Cell

Sums = dict[tuple[str, str], dict[str, list[float]]]
"""Of each cell and test, and of each measure: the data sets, the sum and the sum of squares."""
MOST = 0.07
"""A clean verdict names a false winner in at most so many of all data sets of a cell."""
AGAIN = 1000
"""Fresh data sets of a cell that is above, but not so far that chance could not explain it; no more than it had."""


@dataclass(frozen=True)
class Rate:
    """The mean of a measure over data sets, with its Monte Carlo standard error."""

    sets: int
    mean: float
    error: float

    @classmethod
    def of_sums(cls, sets: float, total: float, squares: float) -> Rate:
        mean = total / sets
        return cls(int(sets), mean, sqrt(max(0.0, squares / sets - mean**2) / sets))

    @property
    def too_many(self) -> bool:
        """Above what is promised by more than two standard errors, which chance explains."""
        return self.mean > MOST + 2 * self.error


@dataclass(frozen=True)
class Tested:
    """What one test made of a cell."""

    cell: Cell
    test: str
    rates: dict[str, Rate]
    drawn: int = 0
    """Data sets of the cell; of some nothing could be measured, and tests that take long see fewer of them."""
    fresh: Rate | None = None
    """False winners among those that were drawn as the first ones had too many."""

    @property
    def is_own(self) -> bool:
        """Whether the test is the product's choice."""
        return self.test == self.cell.own and CLEAN in self.rates

    @property
    def false_winners(self) -> Rate | None:
        """Of a verdict those that are clean; of a test by name all that are significant."""
        return self.rates.get(CLEAN_WINNER if self.is_own else SIGNIFICANT) if self.cell.equal else None

    @property
    def breaks_promise(self) -> bool:
        """Clearly, or twice."""
        rate = self.false_winners
        if not self.is_own or rate is None:
            return False
        return rate.too_many or (rate.mean > MOST and self.fresh is not None and self.fresh.mean > MOST)

    @property
    def waits(self) -> bool:
        """Whether fresh data sets have to say if it was chance."""
        rate = self.false_winners
        high = self.is_own and rate is not None and rate.mean > MOST and not rate.too_many
        return high and (self.fresh is None or self.fresh.sets < self.fresh_wanted)

    @property
    def all_false_winners(self) -> float | None:
        """Of first and fresh data sets together."""
        rates = [rate for rate in (self.false_winners, self.fresh) if rate is not None]
        return sum(rate.mean * rate.sets for rate in rates) / sum(rate.sets for rate in rates) if rates else None

    @property
    def fresh_wanted(self) -> int:
        return min(AGAIN, self.cell.sets)

    @property
    def missed(self) -> Rate | None:
        """Of fitted models, whose difference is known: how often the interval misses it."""
        held = self.rates.get(HOLDS) if self.cell.part == FITTED else None
        return None if held is None else Rate(held.sets, 1 - held.mean, held.error)

    @property
    def of_clean(self) -> Rate | None:
        """False winners among the clean verdicts only."""
        if not self.is_own or not self.cell.equal or not self.rates[CLEAN].mean:
            return None
        clean = self.rates[CLEAN].mean * self.rates[CLEAN].sets
        share = self.rates[CLEAN_WINNER].mean * self.rates[CLEAN].sets / clean
        return Rate(round(clean), share, sqrt(share * (1 - share) / clean))

    @property
    def in_short(self) -> str:
        """Clean winners + approximate ones (undecided), in percent of all data sets; what is 0 is left out."""
        if not self.is_own:
            rate = self.rates[SIGNIFICANT]
            return f"{100 * rate.mean:.1f}"
        clean, rough, nobody = (100 * self.rates[name].mean for name in (CLEAN_WINNER, ROUGH_WINNER, UNDECIDED))
        said = f"{clean:.1f}" + (f" + {rough:.1f}" if rough >= 0.05 else "") + (f" ({nobody:.0f})" if nobody else "")
        return f"**{said}**" if self.breaks_promise else said


def tested(lines: Iterable[dict[str, Any]], cells: Sequence[Cell]) -> list[Tested]:
    """The lines of each cell added up, in the order of the grid; nothing of cells that are no longer in it."""
    planned = {cell.name: cell.sets for cell in cells}
    first: Sums = {}
    fresh: Sums = {}
    drawn = Counter[str]()
    for line in lines:
        name = line["cell"]
        later = line.get("first", 0) >= planned.get(name, 0)
        drawn[name] += 0 if later else line["sets"]
        for test, measures in line["tests"].items():
            for measure, more in measures.items():
                known = (fresh if later else first).setdefault((name, test), {}).setdefault(measure, [0, 0, 0])
                known[:] = [a + b for a, b in zip(known, more, strict=True)]
    by_cell = {cell.name: cell for cell in cells}
    order = {name: place for place, name in enumerate(by_cell)}
    return [
        Tested(
            by_cell[name], test, _rates(measures), drawn[name], _rates(fresh.get((name, test), {})).get(CLEAN_WINNER)
        )
        for (name, test), measures in sorted(first.items(), key=lambda one: order.get(one[0][0], -1))
        if name in by_cell
    ]


def _rates(measures: dict[str, list[float]]) -> dict[str, Rate]:
    return {name: Rate.of_sums(*each) for name, each in measures.items()}


def data_sets(results: Iterable[Tested]) -> Counter[str]:
    """How many each cell has, by its name."""
    return Counter({each.cell.name: each.drawn for each in results})
