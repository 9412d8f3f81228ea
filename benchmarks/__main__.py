"""Run workloads, print the ratios, and write benchmarks/results.json and docs/speed.md.

`make bench` runs those of public calls, in about ten minutes; without names all are run, in hours.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

from benchmarks import (
    binary_metrics,
    bootstrap,
    calibration,
    curves,
    database,
    delong,
    larger_than_memory,
    permutation,
    public_calls,
    report,
    select,
    start_up,
    study,
    subsets,
)
from benchmarks.measure import measured
from benchmarks.speed_page import write_page

MODULES = (
    start_up, public_calls, subsets, binary_metrics, bootstrap, permutation, delong, curves, calibration, select,
    study, report, database, larger_than_memory,
)  # fmt: skip
NAMES = {module.__name__.rpartition(".")[2]: module for module in MODULES}


RESULTS = Path(__file__).with_name("results.json")


def run(name):
    """Most workloads run by turns in this process; those of whole commands measure their children."""
    module = NAMES[name]
    return module.results() if hasattr(module, "results") else map(measured, module.workloads())


def show(result):
    print(result["title"])  # noqa: T201 (what a benchmark is for)
    for peer, ratio in result["times_less_cpu"].items():
        goal = result["goals"].get(peer)
        met = "" if goal is None else f" (goal {goal:.4g}: {'met' if result['met'][peer] else 'NOT met'})"
        print(f"  {peer}: {ratio:.3g} x the CPU of referee{met}", flush=True)  # noqa: T201


def main():
    """Names of workloads run these only, and keep what is known of the others."""
    kept = json.loads(RESULTS.read_text())["results"] if RESULTS.exists() else {}
    for name in sys.argv[1:] or NAMES:
        kept[name] = []
        for result in run(name):
            kept[name].append(result)
            show(result)
    load = os.getloadavg()[0]
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": load,
        "python": platform.python_version(),
    }
    ordered = {name: kept[name] for name in NAMES if name in kept}
    RESULTS.write_text(json.dumps(machine | {"results": ordered}, indent=1) + "\n")
    write_page(machine, ordered)


if __name__ == "__main__":
    main()
