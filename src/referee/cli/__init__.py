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
    is_watched = bool(sys.getprofile() or sys.gettrace())
    if "gate" in sys.argv and not is_watched:
        _own_every_exit()
    try:
        code = _ended()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # before `run` could be asked to explain it
        with suppress(BaseException):
            sys.stderr.write(f"error[E_BUG] referee cannot be started: {type(error).__name__}: {error}\n")
        code = BUG
    if is_watched:  # who looks on wants to have the last word
        sys.exit(code)
    _end(code)


def _own_every_exit() -> None:
    """Make a bug of C's `exit(1)`, with which OpenBLAS ends a process that has no memory left; `_end` goes past it."""
    with suppress(Exception):
        import ctypes  # as NumPy does

        library = ctypes.CDLL(None)
        library.__cxa_atexit(library._exit, ctypes.c_void_p(BUG), None)


def _end(code: int) -> NoReturn:
    """End at once: Python would take apart all that was imported, for a tenth of a short run."""
    try:
        gc.freeze()  # nothing has to be looked at again when Python ends
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
