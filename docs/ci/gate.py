"""The step of a CI job that asks the gate: its words come from ARGUMENTS, its summary goes where the server shows it.

The exit code is that of `referee gate`: 0 the candidate may go on, 1 it may not; above, the gate could not be asked.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree


def main() -> int:
    words = [*shlex.split(os.environ["ARGUMENTS"]), "--format", "md", "--junit", os.environ["JUNIT"]]
    found = subprocess.run(["referee", "gate", *words], capture_output=True, text=True, check=False)
    sys.stdout.write(found.stdout)
    sys.stderr.write(found.stderr)
    append("GITHUB_STEP_SUMMARY", found.stdout or f"```text\n{found.stderr}```\n")
    append("GITHUB_OUTPUT", f"outcome={outcome() if found.returncode in (0, 1) else 'error'}\n")
    return found.returncode


def outcome() -> str:
    """Of the first test case, which is the goal's."""
    case = ElementTree.parse(os.environ["JUNIT"]).getroot()[0]
    failure = case.find("failure")
    left_open = case.find("skipped") is not None
    return failure.attrib["type"] if failure is not None else "inconclusive" if left_open else "pass"


def append(variable: str, text: str) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main())
