"""`python -m benchmarks.reliability.kills`: runs killed at random instants, resumed, compared with undisturbed ones.

`--kills 10` is how often each kind of run is killed.
"""

from __future__ import annotations

import argparse
import random
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep, kept
from tests.faults import test_cluster_kills, test_kill_loop, test_save_to_kills, test_select_kills, test_study_kills
from tests.faults.killing import killed_again_and_again

TITLES = {
    "pool and store": "60 units of a pool, kept in a store",
    "select": "`select --out`, four models, 12 splits",
    "study": "`study --on --out`, two models, 8 repetitions",
    "cluster": "`select --cluster --out`: the client, the scheduler and a worker of Dask in turn",
    "save to SQLite": "`save_to` on SQLite, 24 verdicts",
    "save to DuckDB": "`save_to` on DuckDB, 24 verdicts",
}
JOBS = (1, 2)


def of_pool(_folder):
    def reached(chance):
        return test_kill_loop.lines_of(chance)

    return test_kill_loop.start, test_kill_loop.result_of, reached


def of_select(folder):
    table = folder / "data.csv"
    table.write_bytes(test_study_kills.written(folder).read_bytes().replace(b"yes", b"ja").replace(b"no", b"nein"))
    return partial(test_select_kills.start, table=table), test_select_kills.result_of, _one_more_fit


def of_study(folder):
    begin = partial(test_study_kills.start, table=test_study_kills.written(folder))
    return begin, test_study_kills.result_of, _one_more_fit


def _one_more_fit(chance):
    return partial(test_select_kills.one_more_fit, chance)


KINDS = {"pool and store": of_pool, "select": of_select, "study": of_study}


def killed(kind, kills, folder, seed):
    """How often a kind of run was killed, and how many of the runs that came through it ended as undisturbed ones."""
    begin, result_of, reached_by = KINDS[kind](folder)
    expected = result_of(begin(folder / "undisturbed", 2))
    ended = []
    for jobs in JOBS:
        chance = random.Random(f"{seed} {jobs}")

        def check(run, jobs=jobs):
            ended.append(result_of(begin(run, jobs)) == expected)

        place = folder / f"jobs {jobs}"
        last = killed_again_and_again(
            place, kills // len(JOBS), chance, begin=partial(begin, jobs=jobs), reached=reached_by(chance), check=check
        )
        check(last)
    return {"kills": kills // len(JOBS) * len(JOBS), "runs": len(ended), "equal": sum(ended)}


def killed_on_a_cluster(kills, folder, seed):
    begin, result_of = test_select_kills.start, test_select_kills.result_of
    expected = result_of(begin(folder / "undisturbed", 2, test_select_kills.written(folder)))
    runs = test_cluster_kills.killed_parts(folder, kills, random.Random(seed), expected)
    return {"kills": kills, "runs": runs, "equal": runs}  # else it had stopped


def killed_while_saving(kind, kills, folder, seed):
    url = test_save_to_kills.URLS[kind].format(folder)
    at_work = test_save_to_kills.killed_again_and_again(url, kills, random.Random(seed), folder)
    return {"kills": at_work, "runs": 1, "equal": 1}  # else it had stopped


OTHERS = {
    "cluster": killed_on_a_cluster,
    "save to SQLite": partial(killed_while_saving, "SQLite"),
    "save to DuckDB": partial(killed_while_saving, "DuckDB"),
}
"""Runs of which other processes are killed, or that keep no records of fits."""


def main(kinds, kills, seed):
    for kind in kinds or [*KINDS, *OTHERS]:
        with TemporaryDirectory() as folder:
            place = Path(folder)
            found = OTHERS[kind](kills, place, seed) if kind in OTHERS else killed(kind, kills, place, seed)
        keep("kills", kept("kills") | {kind: found})
        print(kind, found, flush=True)  # noqa: T201


def lines(results):
    yield "## Kills"
    yield (
        "SIGKILL for a process and its workers at a random instant, again and again, each time resumed by the same "
        "command, until it comes through; no result that was kept may be lost, no worker may outlive its parent, and "
        "the end must be what an undisturbed run says (`python -m benchmarks.reliability.kills`; a few: `make test`, "
        "more: `make soak`)."
    )
    yield ""
    yield "| of | kills | runs that came through | equal to an undisturbed one |"
    yield "|---|--:|--:|--:|"
    yield from (
        f"| {TITLES[kind]} | {found['kills']} | {found['runs']} | {found['equal']} |" for kind, found in results.items()
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    main(asked.kinds, asked.kills, asked.seed)
