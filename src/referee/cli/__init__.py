"""The command line. Each command is a short file of this folder, imported when it is called."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `referee`; every way to end has its exit code."""
    from referee.cli.running import run

    sys.exit(run(sys.argv[1:]))
