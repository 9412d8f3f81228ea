"""A deterministic run through pool and store, for tests that kill it: `python -m tests.faults.workload FOLDER JOBS`."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from typing import NamedTuple

UNITS = 60
IDENTITY = {"data": "1", "configuration": "2", "splits": "3", "version": "0.1.0", "seed": "4"}


class Cell(NamedTuple):
    model: str
    fold: int

    def __str__(self):
        return f"{self.model}, fold {self.fold}"


def work(cell):
    """Values that depend on the cell alone; some are large, some cells always fail."""
    import numpy as np

    if cell.fold % 20 == 7:
        raise ValueError(f"boom in {cell}")
    time.sleep(0.01)
    stream = np.random.Generator(np.random.Philox(key=[4, cell.fold]))
    size = 150_000 if cell.fold % 10 == 3 else 200
    predictions = stream.normal(size=size)
    classes = {f"class {number}" for number in range(5)}
    return {
        "score": float(predictions.mean()),
        "classes": dict.fromkeys(classes, cell.fold),
        "predictions": predictions,
    }


def main(folder, jobs):
    """Run what is not stored yet; a line when it begins, for each result that is safe, and with the digest."""
    from referee.fitting import Failure, Store, run
    from tests.stored_digest import digest_of

    with Store(folder, IDENTITY) as store:
        done = set(store.keys())
        cells = [cell for fold in range(UNITS) if str(cell := Cell("tree", fold)) not in done]
        say("begun")
        with closing(run(cells, work, jobs=jobs)) as outcomes:
            for cell, outcome in outcomes:
                has_failed = isinstance(outcome, Failure)
                store.save(str(cell), {"failure": [outcome.kind, outcome.message]} if has_failed else outcome)
                say("stored")
        say(digest_of(store))


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
