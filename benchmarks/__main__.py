"""`make bench`: run all workloads, print the ratios and write benchmarks/results.json."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

from benchmarks import binary_metrics, bootstrap, database, delong, permutation, start_up, subsets
from benchmarks.measure import measured

WORKLOADS = {"start_up": None, "subsets": subsets.workloads, "binary_metrics": binary_metrics.workloads,
             "database": database.workloads, "bootstrap": bootstrap.workloads, "permutation": permutation.workloads,
             "delong": delong.workloads}  # fmt: skip


def run(names):
    for name in names:
        if WORKLOADS[name] is None:
            yield from start_up.results()
        else:
            yield from map(measured, WORKLOADS[name]())


def main():
    results = []
    for result in run(sys.argv[1:] or WORKLOADS):
        results.append(result)
        print(result["title"])  # noqa: T201 (what a benchmark is for)
        for peer, ratio in result["times_less_cpu"].items():
            goal = result["goals"].get(peer)
            met = "" if goal is None else f" (goal {goal:.4g}: {'met' if result['met'][peer] else 'NOT met'})"
            print(f"  {peer}: {ratio:.3g} x the CPU of referee{met}", flush=True)  # noqa: T201
    machine = {"machine": platform.machine(), "python": platform.python_version()}
    Path(__file__).with_name("results.json").write_text(json.dumps(machine | {"results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
