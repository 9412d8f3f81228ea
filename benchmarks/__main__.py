"""Measure public calls, print each row as it comes, and write benchmarks/results.json and docs/speed.md.

Names (`python -m benchmarks rows select`) measure these parts only and keep what is known of the others; each part is
kept as soon as it is done.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.environment import LIMITED
from benchmarks.growth import growth
from benchmarks.peers import versions
from benchmarks.speed_page import write_page

NAMES = ("rows", "many", "designs", "intervals", "sources", "commands", "select", "trees", "study", "memory")
RESULTS = Path(__file__).with_name("results.json")


def show(row):
    beside = "" if row["value"] is None else f" {row['value']:.3g} s, ratio {row['ratio']:.3g}"
    beside = f"; {row['peer']}{beside or ' not installed'}" if row["peer"] else ""
    reached = {None: "", True: " (reached)", False: " (NOT reached)"}[row["reached"]]
    target = "" if row["target"] is None else f", target {row['target']:.3g}{reached}"
    print(f"{row['call']}, {row['size']}: {row['referee']:.3g} {row['unit']}{beside}{target}", flush=True)  # noqa: T201


def measure(name):
    rows = []
    for row in import_module(f"benchmarks.{name}").results():
        rows.append(row)
        show(row)
    return rows


def machine():
    packages = ", ".join(f"{name} {known or 'not installed'}" for name, known in versions().items())
    return {
        "machine": platform.machine(), "cores": os.cpu_count(), "load": os.getloadavg()[0],
        "python": platform.python_version(), "packages": packages, "limited": ", ".join(LIMITED),
    }  # fmt: skip


def main(names):
    if unknown := set(names) - set(NAMES):
        sys.exit(f"{', '.join(sorted(unknown))}: not a part; the parts are {', '.join(NAMES)}")
    for name in names or NAMES:
        rows, about = measure(name), machine()
        kept = known() | {name: rows}
        kept = {part: kept[part] for part in NAMES if part in kept}
        RESULTS.write_text(json.dumps(about | {"results": kept}, indent=1) + "\n")
        write_page(about, kept)
    for row in growth([row for rows in known().values() for row in rows]):
        show(row)


def known():
    """What was measured so far, also by another process in the meantime."""
    return json.loads(RESULTS.read_text())["results"] if RESULTS.exists() else {}


if __name__ == "__main__":
    main(sys.argv[1:])
