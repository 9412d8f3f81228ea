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
from tests.fuzz.calls import PATIENCE as OF_PROCESSOR
from tests.fuzz.calls import Ended, drawn, limited
from tests.fuzz.stories import story

AT_ONCE = 250
"""Seeds of one process, after which the results are kept: a run that is stopped has those."""
PATIENCE = 300
"""Seconds in which a command ends."""


def ended(arguments, warning):
    """In this process; with warnings as errors, or without any, as on the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings(), limited() as late:
        warnings.simplefilter(warning)
        code = run(list(arguments))
    return Ended(tuple(arguments), code, out.getvalue(), err.getvalue(), bool(late))


def all_ended(lines, warning):
    """How command lines ended, one after the other, up to the first that ended badly."""
    each = []
    for arguments in lines:
        each.append(ended(arguments, warning))
        if each[-1].problem:
            break
    return each


def outcome(seed, folder):
    """How the command lines of a seed ended: their exit codes, and what was wrong as it is, or with warnings as
    errors."""
    place, codes, wrong = Path(folder), [], {}
    for drawn_lines in (lambda: [drawn(seed, place)], lambda: story(seed, place)):
        strict = all_ended(drawn_lines(), "error")
        each = all_ended(drawn_lines(), "ignore") if strict[-1].problem else strict
        codes += [f"{one.arguments[0]} {one.code}" for one in each]
        if strict[-1].problem:
            last = each[-1] if each[-1].problem else strict[-1]
            kind = "unending" if last.late else "bad" if each[-1].problem else "warned"
            wrong[kind] = f"{last.problem}\n{last}"
    return {"codes": codes, **wrong}


def tried(seconds, first):
    """How every command ended, by exit code, and the seeds that ended badly: kept after each batch."""
    codes, found, seed, begin = Counter(), {"bad": [], "warned": [], "aborted": [], "unending": []}, first, monotonic()
    while monotonic() - begin < seconds:
        with TemporaryDirectory() as folder:
            for each, result in ended_each(outcome, range(seed, seed + AT_ONCE), folder, PATIENCE):
                codes.update(result.get("codes", ()))
                for kind in found.keys() & result.keys():
                    found[kind].append(each)
                    print(f"seed {each}, {kind}: {result[kind]}", flush=True)  # noqa: T201
        seed += AT_ONCE
        used = {"first": first, "seeds": seed - first, "seconds": round(monotonic() - begin)}
        keep("fuzz", {"guided": kept("fuzz").get("guided", {})} | used | {"ends": by_command(codes)} | found)
    return found["bad"] + found["aborted"] + found["unending"]


def by_command(codes):
    """How often each command ended with each exit code."""
    table = {}
    for (command, code), times in sorted((key.split(" "), times) for key, times in codes.items()):
        table.setdefault(command, {})[code] = times
    return table


def lines(results):
    ends = results["ends"]
    codes = sorted({code for each in ends.values() for code in each}, key=int)
    runs = sum(sum(each.values()) for each in ends.values())
    yield "## Random tables"
    yield (
        f"{runs:,} random command lines over random tables (CSV, gzip, JSON lines, Parquet, Arrow, SQLite; "
        f"one in eight damaged; now and then on another engine, in little memory or onto a page) and over what "
        "commands write (states, ledgers, tables of verdicts, run folders, calibrators; now and then damaged), in "
        f"{results['seconds'] / 60:.0f} minutes of a busy machine, {results['seeds']:,} seeds from "
        f"{results['first']:,} on. Ended in a bug, a traceback or text that is not JSON: {len(results['bad'])}. "
        f"Process ended by a signal, such as an abort within a library: {len(results['aborted'])}. More than "
        f"{OF_PROCESSOR} seconds of the processor, or {PATIENCE // 60} minutes: {len(results['unending'])}. In "
        f"{len(results['warned'])} more, numbers of 1e150 or weights of 1e300 made NumPy warn, which the command line "
        "keeps to itself and the search counts."
    )
    yield ""
    yield f"| command | {' | '.join(f'exit {code}' for code in codes)} |"
    yield f"|---|{'--:|' * len(codes)}"
    yield from (
        f"| {command} | {' | '.join(f'{each.get(code, 0):,}' for code in codes)} |" for command, each in ends.items()
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
