"""What was measured of each test, in lines for its card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.validity.cell import CLAIM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.validity.rates import Rate, Tested


def sizes(results: Sequence[Tested]) -> dict[str, list[str]]:
    """Of each test a line for each kind of cell: the least and the most false winners, and where these are most."""
    kinds: dict[str, dict[str, list[tuple[Rate, Tested]]]] = {}
    for each in results:
        rate = each.rates.get(CLAIM) if each.cell.equal and CLAIM in each.rates else each.false_winners
        rate = each.missed or rate
        if rate is not None:
            kinds.setdefault(each.test, {}).setdefault(_kind(each), []).append((rate, each))
    return {name: [_line(kind, cells) for kind, cells in each.items()] for name, each in sorted(kinds.items())}


def _kind(each: Tested) -> str:
    cell = each.cell
    if each.missed is not None:
        return "difference between the fitted models outside its interval, out-of-fold files"
    if cell.own == "" and cell.part == "refits":
        return "winners between equal procedures, out-of-fold files (the verdict is on the fitted models)"
    what = "false claims at the margin" if CLAIM in each.rates else "false winners"
    if cell.part == "refits":
        return f"{what}, {cell.place.partition(' rows, ')[2]}"
    if cell.part in ("rows", "numbers", "time"):
        return f"{what}, {cell.part}, {cell.null}"
    return f"{what}, {cell.place}"


def _line(kind: str, cells: list[tuple[Rate, Tested]]) -> str:
    sets = _range([rate.sets for rate, _ in cells], ",")
    rates = _range([100 * rate.mean for rate, _ in cells], ".1f")
    worst = max(cells, key=lambda one: one[0].mean)[1].cell
    place = worst.place.partition(" rows, ")[0] + " rows" if worst.part == "refits" else worst.place
    known = [word for word in (place, worst.metric) if word not in kind and word != "any"]
    where = "" if len(cells) == 1 else f"most: {', '.join(known) or worst.null}; "
    return f"{kind}: {rates}% ({where}{sets} data sets{' each' if len(cells) > 1 else ''}){_among_clean(cells)}"


def _among_clean(cells: list[tuple[Rate, Tested]]) -> str:
    """Where clean verdicts are few, and too many of these are wrong."""
    clean = [(each.of_clean, each.cell) for _, each in cells]
    wrong = [(rate, cell) for rate, cell in clean if rate is not None and rate.too_many]
    said = [f"{100 * rate.mean:.0f}% of its {rate.sets:,} clean verdicts at {cell.place}" for rate, cell in wrong]
    return "".join(f"; {each}" for each in said)


def _range(values: Sequence[float], form: str) -> str:
    low, high = (format(end(values), form) for end in (min, max))
    return low if low == high else f"{low} to {high}"
