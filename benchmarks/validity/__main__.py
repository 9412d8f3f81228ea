"""`make validity`: run what is missing of the grid, write docs/validity.md and what the cards of the tests say.

`python -m benchmarks.validity page` only writes; `rows`, `refits` and the like run one part. All cells are run in
rounds of more and more data sets, whose lines are appended to results.jsonl: a run that was stopped goes on where it
was, and knows something of every cell. Cells above the promise are then drawn again. `agreement` runs the first data
sets of each cell through `referee.compare` too.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.validity.agreement import agreement
from benchmarks.validity.grid import grid, measured
from benchmarks.validity.page import page
from benchmarks.validity.rates import tested
from benchmarks.validity.sizes import sizes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from benchmarks.validity.cell import Cell

RESULTS, AGREED = (Path(__file__).with_name(name) for name in ("results.jsonl", "agreement.jsonl"))
HOUSE = Path(__file__).parents[2]
PAGE = HOUSE / "docs" / "validity.md"
SIZES = HOUSE / "src" / "referee" / "comparing" / "measured_sizes.json"
JOBS = 2
AGREEING = 50
"""Data sets of every cell that also go through `referee.compare`."""
ROUNDS = (100, 500, 2000)
"""Data sets of every cell, before the next round begins."""


def stored(path: Path | None = None) -> list[dict[str, Any]]:
    """The lines of all cells."""
    path = path or RESULTS
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def agreed() -> list[dict[str, Any]]:
    """What was last said of each cell."""
    return [*{line["cell"]: line for line in stored(AGREED)}.values()]


def missing(parts: Collection[str]) -> Iterator[tuple[str, range]]:
    """What is left of each cell, round by round."""
    done = Counter[str]()
    for line in stored():
        done[line["cell"]] += line["sets"]
    cells = sorted((cell for cell in grid() if not parts or cell.part in parts), key=_takes_long)
    for most in ROUNDS:
        for cell in cells:
            start, stop = done[cell.name], min(most, cell.sets)
            if start < stop:
                done[cell.name] = stop
                yield cell.name, range(start, stop)


def again(parts: Collection[str]) -> Iterator[tuple[str, range]]:
    """Fresh data sets of cells that have too many false winners, but perhaps by chance."""
    for each in tested(stored(), grid()):
        if each.waits and each.drawn >= each.cell.sets and (not parts or each.cell.part in parts):
            done, planned = each.fresh.sets if each.fresh else 0, each.cell.sets
            yield each.cell.name, range(planned + done, planned + each.fresh_wanted)


def _takes_long(cell: Cell) -> bool:
    """These come last in every round."""
    return "10,000" in cell.place


def agree(sets: int) -> None:
    """Of every cell of which fewer data sets were looked at."""
    known = {line["cell"]: line["sets"] for line in stored(AGREED)}
    lines = stored()
    for cell in sorted(grid(), key=_takes_long):
        if known.get(cell.name, 0) < min(sets, cell.sets):
            with AGREED.open("a", encoding="utf-8") as file:
                file.write(json.dumps(agreement(cell, sets, lines)) + "\n")


def run(work: Iterable[tuple[str, range]], jobs: int) -> None:
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(measured, name, numbers) for name, numbers in work]
        for place, done in enumerate(as_completed(waiting), 1):
            line = done.result()
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
            print(f"{place} of {len(waiting)}: {line['cell']}, {line['seconds']:.0f} s", file=sys.stderr, flush=True)  # noqa: T201


def main(arguments: Collection[str]) -> None:
    asked = {name: int(number) for name, _, number in (each.partition("=") for each in arguments) if number}
    parts = [each for each in arguments if not each.startswith("--")]
    if parts == ["agreement"]:
        agree(asked.get("--sets", AGREEING))
    elif parts != ["page"]:
        for work in (missing, again):
            run(work(parts), asked.get("--jobs", JOBS))
    cells = grid()
    results = tested(stored(), cells)
    PAGE.write_text(page(results, cells, agreed()), encoding="utf-8")
    SIZES.write_text(json.dumps(sizes(results), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
