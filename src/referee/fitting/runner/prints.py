"""What models print: passed on to standard error up to a limit, so that no model fills a log or a disk."""

from __future__ import annotations

import os
from contextlib import suppress
from select import poll
from threading import Thread
from typing import Self

from referee.predictions import size_text

MOST_BYTES = 1 << 20
BLOCK = 1 << 16
CAPACITY = 1 << 20
"""Of a pipe, at most, unless somebody asks for more."""
STANDARD_ERROR = 2


class Prints:
    r"""A pipe that all workers print into; a thread empties it, so that nobody who prints has to wait.

    >>> import referee.fitting.runner.prints as prints
    >>> prints._note(14_000_000)
    'models printed 13.4 MiB: all but the first 1.0 MiB is left out\n'
    """

    def __init__(self) -> None:
        self._read_end, self.write_end = os.pipe()
        self._stop_seen, self._stop = os.pipe()
        os.set_blocking(self._read_end, False)
        self._printed = 0
        self._thread = Thread(target=self._pass_on, name="referee-prints", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Pass on what is left; a process that outlives its worker may hold the pipe open, and is not waited for."""
        os.close(self.write_end)
        os.close(self._stop)
        self._thread.join()
        if self._printed > MOST_BYTES:
            _write(_note(self._printed).encode())
        os.close(self._read_end)
        os.close(self._stop_seen)

    def _pass_on(self) -> None:
        waiting = poll()
        waiting.register(self._read_end)
        waiting.register(self._stop_seen)
        is_over = False
        while not is_over:
            is_over = self._stop_seen in {handle for handle, _ in waiting.poll()}
            self._empty()

    def _empty(self) -> None:
        """Pass on what the pipe holds now, but no more than it can hold: who prints for ever does not keep us."""
        with suppress(BlockingIOError):
            for _ in range(0, CAPACITY, BLOCK):
                block = os.read(self._read_end, BLOCK)
                _write(block[: max(0, MOST_BYTES - self._printed)])
                self._printed += len(block)


def _note(printed: int) -> str:
    return f"models printed {size_text(printed)}: all but the first {size_text(MOST_BYTES)} is left out\n"


def _write(block: bytes) -> None:
    """To standard error, which may be closed or full: that is not the models' fault."""
    with suppress(OSError):
        while block:
            block = block[os.write(STANDARD_ERROR, block) :]
