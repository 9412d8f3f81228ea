"""Put mistakes into the code and count those that the room's fast tests notice: benchmarks/reliability/mutants.json.

A run that was stopped goes on where it was. A mutant whose tests do not end in their time is not counted as noticed.
"""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from typing import Any

from benchmarks.mutants.named import NAMED
from benchmarks.mutants.operators import Mutant, mutants_of
from benchmarks.mutants.results import Results
from benchmarks.mutants.room import ROOT, Room

NAMES = ("metrics", "scoring", "comparing", "engines", "predictions", "sources")
SEED = 23
PER_ROOM = 90
OUTCOMES = {0: "survived", 1: "killed"}
LOADED_BEFORE = (
    "numpy", "scipy.stats", "scipy.special", "scipy.optimize", "sklearn.metrics", "sklearn.linear_model", "pandas",
    "polars", "pyarrow.parquet", "pyarrow.dataset", "pyarrow.csv", "click", "rich.console", "jinja2", "narwhals",
)  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--room", choices=NAMES, action="append")
    options.add_argument("--again", action="store_true", help="Try the survivors again, after tests were added.")
    options.add_argument("--by", action="append", help="Try survivors with these tests of the list alone.")
    options.add_argument("--fresh", type=int, metavar="SEED", help="Draw others, and try them once.")
    options.add_argument("--number", type=int, default=PER_ROOM, help="Of mutants in each room.")
    asked = options.parse_args()
    # Compiled loops would be those of the disk's cache, without the mistake.
    os.environ.update(OMP_NUM_THREADS="1", NUMBA_DISABLE_JIT="1")
    for name in LOADED_BEFORE:
        with suppress(ImportError):
            import_module(name)
    failed = [name for name in asked.room or NAMES if not _opened(name, asked)]
    print(Results(asked.fresh).summary())  # noqa: T201
    if failed:
        raise SystemExit(f"not tried to the end: {', '.join(failed)}")


def _opened(name: str, asked: argparse.Namespace) -> bool:
    """Each room's session begins in a process with nothing of ours loaded."""
    child = os.fork()
    if child == 0:
        Room(name, lambda room: _try_all(room, asked), asked.by).open()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _try_all(room: Room, asked: argparse.Namespace) -> None:
    results = Results(asked.fresh)
    if asked.by:
        _try_survivors(room, results)
        return
    wanted = _wanted(room, asked.number) if asked.fresh is None else _others(room, asked.number, results)
    results.open_room(room.name, room.seconds, len(room.items), [mutant.key for mutant in wanted])
    for mutant in wanted:
        if results.needs(mutant.key, digest(mutant), again=asked.again):
            results.add(mutant.key, _outcome(room, mutant))


def _try_survivors(room: Room, results: Results) -> None:
    """What some tests of the list notice, the list notices; what they do not stays as it was."""
    survivors = results.survivors(room.name)
    for mutant in room.mutants():
        if mutant.key in survivors and (outcome := _outcome(room, mutant))["outcome"] == "killed":
            results.add(mutant.key, outcome)


def _others(room: Room, number: int, results: Results) -> list[Mutant]:
    known = results.others()
    drawn = room.drawn(number + len(known), results.fresh or 0)
    return [mutant for mutant in drawn if mutant.key not in known][:number]


def _wanted(room: Room, number: int) -> list[Mutant]:
    """Those that an attempt to break the program once found surviving, and those drawn."""
    named = [
        mutant
        for path, wanted in NAMED.get(room.name, {}).items()
        for mutant in mutants_of(ROOT / path, path)
        if mutant.key in {f"{path} {key}" for key in wanted}
    ]
    return list({mutant.key: mutant for mutant in (*named, *room.drawn(number, SEED))}.values())


def _outcome(room: Room, mutant: Mutant) -> dict[str, Any]:
    if not room.tests_of(mutant):
        return {"outcome": "survived", "line": mutant.line, "tests": 0, "file": digest(mutant)}
    ended, by = room.trial(mutant)
    outcome = "no answer" if ended.code is None else OUTCOMES.get(ended.code, "no answer")
    if ended.code is not None and ended.code < 0:
        outcome, by = "killed", "a crash of the tests"
    facts = {"outcome": outcome, "by": by, "line": mutant.line, "tests": len(room.tests_of(mutant))}
    return facts | {"seconds": round(ended.seconds, 2), "file": digest(mutant)}


def digest(mutant: Mutant) -> str:
    return sha256((ROOT / mutant.path).read_bytes()).hexdigest()[:12]


if __name__ == "__main__":
    main()
