"""`make fuzz`: random tables through every command for an hour, and bytes that a search of Atheris makes up.

`python -m benchmarks.reliability.fuzz --seconds 60 --first 100000` is shorter, with other seeds.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from benchmarks.reliability.batches import ended_each
from benchmarks.reliability.found import FIXED
from benchmarks.reliability.results import keep, kept
from referee.cli.process import run
from tests.fuzz.calls import Ended, drawn

AT_ONCE = 1000
"""Command lines of one process, after which the results are kept: a run that is stopped has those."""
PATIENCE = 300
"""Seconds in which a command ends."""


def ended(arguments, warning="error"):
    """In this process; with warnings as errors, or without any, as on the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter(warning)
        code = run(list(arguments))
    return Ended(tuple(arguments), code, out.getvalue(), err.getvalue())


def outcome(seed, folder):
    """How the command line of a seed ended: its exit code, and what was wrong as it is, or with warnings as errors."""
    result = ended(drawn(seed, Path(folder)))
    if not result.problem:
        return {"code": result.code}
    plain = ended(result.arguments, "ignore")
    return {"code": plain.code, "bad" if plain.problem else "warned": f"{result.problem}\n{result}"}


def tried(seconds, first):
    """How every command ended, by exit code, and the seeds that ended badly: kept after each batch."""
    codes, found, seed, begin = Counter(), {"bad": [], "warned": [], "aborted": [], "unending": []}, first, monotonic()
    while monotonic() - begin < seconds:
        with TemporaryDirectory() as folder:
            for each, result in ended_each(outcome, range(seed, seed + AT_ONCE), folder, PATIENCE):
                codes[str(result.get("code", "none"))] += 1
                for kind in found.keys() & result.keys():
                    found[kind].append(each)
                    print(f"seed {each}, {kind}: {result[kind]}", flush=True)  # noqa: T201
        seed += AT_ONCE
        used = {"first": first, "runs": seed - first, "seconds": round(monotonic() - begin)}
        keep("fuzz", {"guided": kept("fuzz").get("guided", {})} | used | {"exit_codes": dict(codes)} | found)
    return found["bad"]


def lines(results):
    yield "## Random tables"
    codes = ", ".join(
        f"{code}: {times:,}" for code, times in sorted(results["exit_codes"].items(), key=lambda entry: int(entry[0]))
    )
    yield (
        f"{results['runs']:,} random command lines over random tables (CSV, gzip, JSON lines, Parquet, Arrow, SQLite; "
        f"one in eight damaged; now and then on another engine, in little memory or onto a page) in "
        f"{results['seconds'] / 60:.0f} minutes of a busy machine, seeds from {results['first']:,} on. Exit "
        f"codes: {codes}. Ended in a bug, a traceback or text that is not JSON: {len(results['bad'])}. Process "
        f"ended by a signal, such as an abort within a library: {len(results['aborted'])}. No end within "
        f"{PATIENCE // 60} minutes: {len(results['unending'])}. In {len(results['warned'])} more, numbers of 1e150 or "
        "weights of 1e300 made NumPy warn, which the command line keeps to itself and the search counts."
    )
    if guided := results.get("guided"):
        yield ""
        yield "Coverage-guided by Atheris, from good files on:"
        yield ""
        yield "| target | seconds | inputs | crashes |"
        yield "|---|--:|--:|--:|"
        yield from (
            f"| {target} | {found['seconds']:,} | {found['inputs']:,} | {found['crashes']}"
            f"{', mended since' if found.get('mended') else ''} |"
            for target, found in guided.items()
        )
    yield ""
    yield "Found and mended:"
    yield ""
    yield from (f"- {case}" for case in FIXED)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    sys.exit(bool(tried(asked.seconds, asked.first)))
