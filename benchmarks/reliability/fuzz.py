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
from time import process_time

from benchmarks.reliability.results import keep, kept
from referee.cli.process import run
from tests.fuzz.calls import Ended, drawn

FIXED = (
    "a compressed file that is cut off or damaged ended in E_BUG where it was asked whether it describes itself",
    "`calibrate` ended in E_BUG where a class with a name had only one row",
    "a margin of 1e300 overflowed in the number of rows to separate two models",
    "frequency weights of 1e300 were counted as rows; now those beyond 2^53 are refused",
    "`calibrate` ended in E_BUG where a row without weight had the lowest forecast",
    "`plan` ended in E_BUG where a pilot lacks a class, or its models have no quantiles for the goal",
    "a slice whose rows have next to no weight ended in E_BUG in `evaluate`, a fold of such rows in `threshold`",
    "differences of 1e150 or 1e-150 in time, or beyond all numbers in a bar on the screen, ended in E_BUG",
    "weights from 1e-300 to 1e300 raised warnings of NumPy in curves and calibration, columns of 1e300 while reading",
    "blocks of the isotonic regression were joined where products of weights of 1e160 and more overflowed",
    "curves of lift and of precision-recall gain had no values where products of weights overflowed",
    "a damaged header of a NumPy file ended in E_BUG",
    "`plan` searched without end for a quantile of t with 1e30 and more degrees of freedom",
    "a standard error of 1e155 and more ended in E_BUG in `compare`: its square was too large",
    "`compare` of more than 20 models ended in E_BUG where the best had no answer with another one",
    "two infinite changes of a value, means of 1e308 and a variance rounded below 0 made NumPy warn",
)
"""What was found, and is mended."""
AT_ONCE = 100
"""Command lines after which the results are kept: a run that is stopped has those."""


def ended(arguments, warning="error"):
    """In this process; with warnings as errors, or without any, as on the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter(warning)
        code = run(list(arguments))
    return Ended(tuple(arguments), code, out.getvalue(), err.getvalue())


def tried(seconds, first):
    """How every command ended, by exit code, and the seeds that ended badly: kept now and then, and at the end."""
    codes, bad, warned, seed, begin = Counter(), [], [], first, process_time()
    while process_time() - begin < seconds:
        with TemporaryDirectory() as folder:
            for _ in range(AT_ONCE):
                result = ended(drawn(seed, Path(folder)))
                if result.problem:
                    stopped, result = result, ended(result.arguments, "ignore")
                    (bad if result.problem else warned).append(seed)
                    print(f"seed {seed}: {stopped.problem}\n{stopped}", flush=True)  # noqa: T201
                codes[str(result.code)] += 1
                seed += 1
        used = round(process_time() - begin)
        results = {"first": first, "runs": seed - first, "cpu_seconds": used, "exit_codes": dict(codes)}
        keep("fuzz", kept("fuzz") | results | {"bad": bad, "warned": warned})
    return bad


def lines(results):
    yield "## Random tables"
    codes = ", ".join(
        f"{code}: {times:,}" for code, times in sorted(results["exit_codes"].items(), key=lambda e: int(e[0]))
    )
    yield (
        f"{results['runs']:,} random command lines over random tables (CSV, gzip, JSON lines, Parquet, Arrow, SQLite; "
        f"one in eight damaged) in {results['cpu_seconds']:,} CPU seconds, seeds from {results['first']:,} on. Exit "
        f"codes: {codes}. Ended in a bug, a traceback or text that is not JSON: {len(results['bad'])}. In "
        f"{len(results['warned'])} more, numbers of 1e150 or weights of 1e300 made NumPy warn, which the command line "
        "keeps to itself and the search counts. `make fuzz` runs for an hour; this was "
        "a shorter run."
    )
    if guided := results.get("guided"):
        yield ""
        yield (
            "Coverage-guided by Atheris, from good files on. A damaged Parquet footer can end the process within Arrow "
            "itself, which no guard in Python can catch: such a command ends by SIGABRT, never with 0 or 1."
        )
        yield ""
        yield "| target | seconds | inputs | crashes |"
        yield "|---|--:|--:|--:|"
        yield from (
            f"| {target} | {found['seconds']:,} | {found['inputs']:,} | {found['crashes']} |"
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
