"""`make validity`: run the cells of the grid that are missing, write docs/validity.md and what the cards say.

`python -m benchmarks.validity page` only writes; `rows`, `refits` and the like run the cells of one part. Cells that are
done are lines of results.jsonl, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.validity.grid import grid

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

RESULTS = Path(__file__).with_name("results.jsonl")
JOBS = 2


def stored() -> dict[str, dict[str, Any]]:
    """The line of each cell that was run."""
    if not RESULTS.exists():
        return {}
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return {line["cell"]: line for line in lines}


def missing(parts: Collection[str]) -> Iterator[str]:
    known = stored()
    for cell in grid():
        if (not parts or cell.part in parts) and known.get(cell.name, {"sets": 0})["sets"] < cell.sets:
            yield cell.name


def measured(name: str) -> dict[str, Any]:
    """A cell by its name, as its functions do not travel to another process."""
    (cell,) = [one for one in grid() if one.name == name]
    start = process_time()
    line = cell.measured(cell.sets)
    return line | {"seconds": round(process_time() - start, 1)}


def run(parts: Collection[str], jobs: int) -> None:
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(measured, name) for name in missing(parts)]
        for place, done in enumerate(as_completed(waiting), 1):
            with RESULTS.open("a", encoding="utf-8") as file:
                file.write(json.dumps(done.result()) + "\n")
            line = done.result()
            print(f"{place} of {len(waiting)}: {line['cell']}, {line['seconds']:.0f} s", file=sys.stderr, flush=True)  # noqa: T201


def main(arguments: Collection[str]) -> None:
    jobs = next((int(one.partition("=")[2]) for one in arguments if one.startswith("--jobs=")), JOBS)
    parts = [one for one in arguments if not one.startswith("--")]
    run(parts, jobs)


if __name__ == "__main__":
    main(sys.argv[1:])
