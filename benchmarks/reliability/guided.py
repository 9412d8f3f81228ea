"""`python -m benchmarks.reliability.guided --seconds 120`: Atheris for so long on each target, in the part of fuzzing.

It needs Atheris (requirements-fuzz.lock, Linux only).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep, kept
from tests.fuzz.guided import TARGETS

ROOT = Path(__file__).resolve().parents[2]


def searched(target, seconds, folder):
    """How many inputs were tried, and what crashed."""
    limits = [f"-max_total_time={seconds}", "-timeout=600", "-print_final_stats=1", f"-artifact_prefix={folder}/"]
    words = [sys.executable, "-m", "tests.fuzz.guided", target, *limits]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    inputs = re.findall(r"stat::number_of_executed_units:\s+(\d+)", done.stderr)
    if done.returncode:
        print(done.stderr[-6000:], flush=True)  # noqa: T201
    return {"inputs": int(inputs[-1]) if inputs else 0, "seconds": seconds, "crashes": int(done.returncode != 0)}


def main(names, seconds):
    for target in names or TARGETS:
        with TemporaryDirectory() as folder:
            found = searched(target, seconds, folder)
        results = kept("fuzz")
        keep("fuzz", results | {"guided": results.get("guided", {}) | {target: found}})
        print(target, found, flush=True)  # noqa: T201


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=300)
    asked = parser.parse_args()
    main(asked.targets, asked.seconds)
