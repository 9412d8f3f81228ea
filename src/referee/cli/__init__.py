"""The command line. Each command is a short file of this folder, imported when it is called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from contextlib import suppress

TYPE_CHECKING = False  # the same as typing's, which takes time to import
if TYPE_CHECKING:
    from typing import NoReturn

BUG = 70
"""The exit code of a bug; 1, which Python ends with, is what a gate says."""


def main() -> None:
    """Run `referee` as the program that this process is for, and end it; every way to end has its exit code."""
    try:
        code = _ended()
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # before `run` could be asked to explain it
        with suppress(Exception):
            sys.stderr.write(f"error[E_BUG] referee cannot be started: {type(error).__name__}: {error}\n")
        code = BUG
    _end(code)


def _end(code: int) -> NoReturn:
    """End at once: Python would take apart all that was imported, for a tenth of a short run."""
    gc.freeze()  # nothing has to be looked at again when Python ends
    if sys.getprofile() or sys.gettrace():  # who looks on wants to have the last word
        sys.exit(code)
    try:
        if threading := sys.modules.get("threading"):
            threading._shutdown()
        atexit._run_exitfuncs()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(code)


def _ended() -> int:
    if not sys.warnoptions:  # what other packages warn of is no word of ours; `python -W default` shows it
        warnings.simplefilter("ignore")
    # What is imported stays: to look for cycles in it again and again takes a tenth of a short run.
    gc.set_threshold(100_000, 50, 50)
    if instruction := os.environ.get("_REFEREE_COMPLETE"):
        from referee.cli.completion import complete

        return complete(instruction)
    if sys.argv[1:] in ([], ["-h"], ["--help"]) and _shown():
        return 0
    from referee.cli.process import run

    return run(sys.argv[1:])


def _shown() -> bool:
    """Show the overview without importing more than it needs; False where that fails, which `run` then explains."""
    from referee.cli.overview import overview

    try:
        sys.stdout.write(overview() + "\n")
        sys.stdout.flush()
    except (OSError, AttributeError):
        return False
    return True
