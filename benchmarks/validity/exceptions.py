"""Exceptions: the cells that break what is promised, and what the verdict itself says there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity import elsewhere
from benchmarks.validity.cell import CLEAN_WINNER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.validity.cell import Cell
    from benchmarks.validity.rates import Rate, Tested

BLIND = "the verdict says that errors rarer than 3 in n rows cannot be judged"
RARE = "the verdict says that errors rarer than 3 in the rows of the rarer class cannot be judged"
FILE = "an out-of-fold file, whose verdict says how often the interval held"
REFITTED = "what a verdict on overlapping training sets says of unstable learners"
SAID = {
    "errors normal vs 1% gross": BLIND, "errors normal vs lognormal": BLIND, "these fitted models": FILE,
    "equal procedures": REFITTED,
}  # fmt: skip
"""What the verdict itself says where a null is an exception that can be recognised."""


def exceptions(results: Sequence[Tested]) -> Iterator[str]:
    own = [(each.missed or each.rates[CLEAN_WINNER], each) for each in results if _is_promised(each)]
    broken = [(rate, each) for rate, each in own if each.breaks_promise or (each.missed and rate.too_many)]
    yield f"## Exceptions\n{len(broken)} of {len(own)} cells break the promise.\n"
    for rate, each in sorted(broken, key=lambda one: -one[0].mean):
        place = each.cell.name.replace(" | ", ", ")
        yield f"- {percent(rate)}%{_of_fresh(each)} in {place} ({each.test}){_said(each.cell)}"
    if chance := [each for _, each in own if each.fresh is not None and not each.breaks_promise]:
        names = "; ".join(f"{each.cell.name.replace(' | ', ', ')}{_of_fresh(each)}" for each in chance)
        yield f"\nAbove 7% at first, but not in fresh data sets: {names}."
    if waiting := [each.cell.name.replace(" | ", ", ") for each in results if each.waits]:
        yield f"\nAbove 7% by less than two standard errors, fresh data sets not yet drawn: {'; '.join(waiting)}."
    yield ""
    yield from _elsewhere()
    yield from _within(results)


def _of_fresh(each: Tested) -> str:
    return "" if each.fresh is None else f" ({percent(each.fresh)}% of {each.fresh.sets:,} fresh data sets)"


def _elsewhere() -> Iterator[str]:
    yield "### On pages of their own"
    yield (
        "Bold cells of other simulations: with `--time` those with more than 7% clean false winners\n"
        "([time_tests.md](simulations/time_tests.md)), and leaving groups out in pairs, which is an option by name\n"
        "([procedure_tests.md](simulations/procedure_tests.md)).\n"
    )
    yield from (f"- {line}" for line in (*elsewhere.in_time(), *elsewhere.of_procedures()))
    yield ""


def _is_promised(each: Tested) -> bool:
    return (each.is_own and each.cell.equal) or each.missed is not None


def _said(cell: Cell) -> str:
    rare = cell.metric == "log_loss" and "0.5% positive" in cell.place
    return f"; {RARE}" if rare else f"; {SAID[cell.null]}" if cell.null in SAID else ""


def _within(results: Sequence[Tested]) -> Iterator[str]:
    """Where clean verdicts are few, and too many of these are wrong."""
    rates = [(each.of_clean, each) for each in results if not each.breaks_promise]
    wrong = [(rate, each) for rate, each in rates if rate is not None and rate.too_many]
    yield "### Among the clean verdicts alone"
    yield (
        "A verdict is clean by what its data look like, and these may be the very data that mislead. In these cells "
        "the promise holds of\nall data sets, but of those with a clean verdict more than 7% name a false winner.\n"
    )
    for rate, each in sorted(wrong, key=lambda one: -one[0].mean):
        place = each.cell.name.replace(" | ", ", ")
        yield f"- {percent(rate)}% of {rate.sets:,} clean verdicts in {place}{_said(each.cell)}"
    yield "" if wrong else "None.\n"


def percent(rate: Rate) -> str:
    return f"{100 * rate.mean:.1f} ± {100 * rate.error:.1f}"
