"""`python -m benchmarks.reliability.faults`: every write of a store, a table of verdicts and a study fails once.

`python -m benchmarks.reliability.faults study --every 3` tries one kind only, and one write in so many.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep, kept
from tests.faults.failing_writes import KINDS, all_attempts, built

TITLES = {
    "store": "a run folder of `select`",
    "verdicts": "`--save-to` on SQLite",
    "study": "`study --out`, the paper's form",
}


def main(kinds, every):
    with TemporaryDirectory() as folder:
        library = built(folder) or sys.exit("there is no C compiler")
        for kind in kinds or KINDS:
            keep("faults", kept("faults") | {kind: all_attempts(kind, library, Path(folder) / kind, every)})


def lines(results):
    yield "## Writes that fail"
    yield (
        "Each write in turn fails (the disk is full from then on, or an input/output error once) or kills the process. "
        "Afterwards nothing that was reported as kept may be missing, nothing may be half there, and the same work "
        "must go on to the same result (`python -m benchmarks.reliability.faults`)."
    )
    yield ""
    yield "| of | writes | attempts | ended with exit 6 | ended well all the same | killed | wrong |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for kind, told in results.items():
        ended = {code: sum(codes.get(code, 0) for codes in told["codes"].values()) for code in ("6", "0", "-9")}
        yield (
            f"| {TITLES[kind]} | {told['writes']} | {told['attempts']} | {ended['6']} | {ended['0']} | {ended['-9']} | "
            f"{len(told['wrong'])} |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    main(asked.kinds, asked.every)
