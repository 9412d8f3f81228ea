"""`python -m benchmarks.reliability.soak`: a store and a server that work for long, and what they hold in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep, kept
from tests.faults import test_server_soak, test_store_soak

ROUNDS = 300


def of_store(folder):
    held, files, names = test_store_soak.soaked(folder, ROUNDS)
    left = sum(each != names[0] for each in names) + sum(each != files[0] for each in files)
    return {"rounds": ROUNDS, "after a third": held[ROUNDS // 3], "at the end": held[-1], "left": left}


def of_server(folder):
    server = test_server_soak.Running(folder)
    try:
        held = test_server_soak.soaked(server)
    finally:
        server.process.terminate()
        server.process.communicate(timeout=30)
    left = len([*folder.glob("referee-*")])
    return {
        "rounds": test_server_soak.FILES,
        "after a third": held[len(held) // 3],
        "at the end": held[-1],
        "left": left,
    }


KINDS = {"store": of_store, "serve": of_server}
FLAT = 1.1
"""Memory that grows by no more after a third of the rounds is taken as flat."""
TITLES = {
    "store": "rounds of a store that is opened, filled, resumed, read and closed",
    "serve": "files that two users send to `serve`, look at and forget",
}


def main():
    for kind, soaked in KINDS.items():
        with TemporaryDirectory() as folder:
            found = soaked(Path(folder))
        keep("soak", kept("soak") | {kind: found})
        print(kind, found, flush=True)  # noqa: T201


def lines(results):
    yield "## Long runs"
    yield (
        "Memory of one process in the course of many rounds, and files that stay open or on the disk after one "
        "(`python -m benchmarks.reliability.soak`; fewer rounds: `make test`, these: `make soak`)."
    )
    yield ""
    yield "| what | rounds | MB after a third | MB at the end | files left |"
    yield "|---|--:|--:|--:|--:|"
    for kind, found in results.items():
        yield (
            f"| {TITLES[kind]} | {found['rounds']} | {found['after a third']:.0f} | {found['at the end']:.0f} | "
            f"{found['left']} |"
        )
    growing = [TITLES[kind] for kind, found in results.items() if found["at the end"] > FLAT * found["after a third"]]
    for title in growing:
        yield f"\nNot flat: {title}."


if __name__ == "__main__":
    main()
