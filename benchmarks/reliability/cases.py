"""`python -m benchmarks.reliability.cases`: every case of the collections through its tests, counted by door.

The tests say which case they are about and by which door it comes in (tests/case_record.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.reliability.results import keep
from tests.case_record import COMMAND_LINE, DOORS, PYTHON
from tests.conftest import SHARED

TESTS = (
    "tests/faults/test_breaking.py", "tests/faults/test_cases.py", "tests/faults/test_forged_runs.py",
    "tests/faults/test_progress.py", "tests/faults/test_select_kills.py", "tests/faults/test_store_damage.py",
    "tests/predictions/test_bad_input.py", "tests/fitting/test_select_cases.py",
    "tests/fitting/test_select_cases_in_python.py", "tests/document/test_terminal.py",
    "tests/comparing/test_degenerate_comparisons.py", "tests/sources/test_files.py", "tests/page/test_page.py",
    "tests/page/test_server.py",
)  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]
FINDINGS = tuple(
    f"{letter}{number}" for letter, most in (("D", 10), ("C", 7), ("S", 7)) for number in range(1, most + 1)
)
"""Wrong numbers, crashes and messages, and holes that attempts to break referee once found."""
TITLES = {"findings": "what attempts to break it once found", "inputs": "bad and extreme inputs, models and folders"}


def collections():
    manifest = SHARED / "cases/manifest.json"
    inputs = [case["id"] for case in json.loads(manifest.read_text())["cases"]] if manifest.exists() else []
    return {"findings": [name for name in FINDINGS if name != "S3"], "inputs": inputs}


def record():
    """The cases that the tests went through; S3 is C2 seen as a hole."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "cases.json"
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "case and not soak", "--cases"]
        subprocess.run([*words, file, *TESTS], cwd=ROOT, check=False)
        return json.loads(file.read_text())


def main():
    found, results = record(), {}
    for name, cases in collections().items():
        doors = {case: found.get(case, {}) for case in cases}
        passed = {case: [door for door in DOORS if doors[case].get(door, [0, 1])[0]] for case in cases}
        results[name] = {
            "cases": len(cases),
            "tests": sum(sum(tried) for each in doors.values() for tried in each.values()),
            "failed": sorted(case for case in cases if any(tried[1] for tried in doors[case].values())),
            "doors": passed,
        }
    keep("cases", results)


def lines(results):
    yield "## Cases"
    yield (
        "Every case of two collections, the findings of attempts to break referee and a catalogue of bad inputs, as a "
        "test through the command line and through Python (`python -m benchmarks.reliability.cases`; the tests run "
        "where the collections are)."
    )
    yield ""
    yield "| collection | cases | by the command line | by Python | by both | by neither | tests | failing |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for name, found in results.items():
        by = [sum(door in doors for doors in found["doors"].values()) for door in DOORS]
        both, neither = (sum(len(doors) == count for doors in found["doors"].values()) for count in (2, 0))
        counts = (found["cases"], *by, both, neither, found["tests"], len(found["failed"]))
        yield f"| {TITLES[name]} | " + " | ".join(f"{count:,}" for count in counts) + " |"
    yield ""
    yield from (_by_one(results, door, why) for door, why in WHY.items())
    if missing := [case for found in results.values() for case, doors in found["doors"].items() if not doors]:
        yield f"By no test yet: {', '.join(missing)}."


WHY = {
    COMMAND_LINE: "pipes, terminals, files of options, the local server",
    PYTHON: "objects of Python, or what stands between two reads",
}


def _by_one(results, door, why):
    alone = [case for found in results.values() for case, doors in found["doors"].items() if doors == [door]]
    by = "the command line" if door == COMMAND_LINE else door
    return f"By {by} alone ({why}): {', '.join(alone)}."


if __name__ == "__main__":
    main()
