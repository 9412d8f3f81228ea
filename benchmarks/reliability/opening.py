"""`python -m benchmarks.reliability.opening`: how long it takes to open a store of many fits, every checksum compared.

The records are those of a real run, under other keys; they are written at once, as a hundred thousand commits would
take an hour of waiting for the disk.
"""

from __future__ import annotations

import argparse
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

import referee
from benchmarks.reliability.results import keep
from referee.fitting import Store
from referee.fitting.runner.records import CHECKSUM_SIZE, Packed, checksum

SIZES = {"small": 60, "large": 768}
"""Rows of the run whose records these are."""
SPLITS = 10
TIMES = 7


def fitted(folder, rows):
    """A run of `select`, and the keys of its fits."""
    draw = np.random.default_rng(0)
    features = draw.normal(size=(rows, 3))
    truth = np.where(features[:, 0] + draw.normal(size=rows) > 0, "yes", "no")
    scheme = f"k_fold(k={SPLITS})"
    models = {"tree": "tree", "dummy": "dummy"}
    referee.select(models, features, truth, goal="roc_auc", positive="yes", scheme=scheme, store=folder)
    with Store.read(folder) as store:
        return dict(store.identity), [key for key in sorted(store.keys()) if "split" in key]


def repeat(folder, keys, fits):
    """Add as many fits, whose records are those of the keys again and again."""
    with closing(sqlite3.connect(folder / "results.sqlite")) as database, database:
        records = [
            database.execute("SELECT json, arrays FROM records WHERE key = ?", (key.encode(),)).fetchone()
            for key in keys
        ]
        new = []
        for number in range(fits):
            name = f"again, fit {number:06}"
            record = records[number % len(records)]
            new.append((name.encode(), *record, Packed(*record).checksum(name)))
        database.executemany("INSERT INTO records VALUES (?, ?, ?, ?)", new)
        rows = database.execute("SELECT key, checksum FROM records").fetchall()
        seal = 0
        for row in rows:
            seal ^= int.from_bytes(checksum(*row))
        database.execute("UPDATE state SET seal = ?", (seal.to_bytes(CHECKSUM_SIZE),))


def opened(folder, identity):
    """Seconds on the clock and of the processor until every record agrees with its checksum."""
    clock, processor = perf_counter(), process_time()
    with Store(folder, identity):
        return perf_counter() - clock, process_time() - processor


def measured(rows, fits):
    with TemporaryDirectory() as place:
        folder = Path(place) / "run"
        identity, keys = fitted(folder, rows)
        repeat(folder, keys, fits)
        size = (folder / "results.sqlite").stat().st_size
        clock, processor = (min(each) for each in zip(*(opened(folder, identity) for _ in range(TIMES)), strict=True))
    return {"rows": rows, "fits": fits, "megabytes": size / 1e6, "seconds": clock, "cpu_seconds": processor}


def main(fits):
    keep("opening", {size: measured(rows, fits) for size, rows in SIZES.items()})


def lines(results):
    yield "## Opening a store"
    yield (
        "The records that a run of `select` keeps of its fits, again and again, until they are so many; opened, every "
        f"checksum compared, the best of {TIMES} times (`python -m benchmarks.reliability.opening`). A record has what "
        "was predicted for the rows of the test and for those of the training. 100,000 fits in below one second are "
        "the aim: fits of small tables keep to it, and comparing 0.8 GB with its checksums takes a little longer. "
        "Beyond one pass over the records nothing grows with them (`tests/faults/test_opening.py`)."
    )
    yield ""
    yield "| fits | test and training rows of each | MB | seconds | seconds of the processor |"
    yield "|--:|--:|--:|--:|--:|"
    yield from (
        f"| {told['fits']:,} | {told['rows'] // SPLITS} and {told['rows'] - told['rows'] // SPLITS} | "
        f"{told['megabytes']:.0f} | {told['seconds']:.2f} | {told['cpu_seconds']:.2f} |"
        for told in results.values()
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--fits", type=int, default=100_000)
    main(parser.parse_args().fits)
