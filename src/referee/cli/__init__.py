"""The command line. Each command is a short file of this folder, imported when it is called."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `referee`; every way to end has its exit code."""
    if sys.argv[1:] not in ([], ["-h"], ["--help"]) or not _shown():
        from referee.cli.running import run

        sys.exit(run(sys.argv[1:]))


def _shown() -> bool:
    """Show the overview without importing more than it needs; False where that fails, which `run` then explains."""
    from referee.cli.overview import overview

    try:
        sys.stdout.write(overview() + "\n")
        sys.stdout.flush()
    except (OSError, AttributeError):
        return False
    return True
