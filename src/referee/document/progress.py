"""One line on standard error for people who wait: what is being done, how much of it, and how long it will take.

Whoever works says what by a `Progress`; a thread draws the line of the innermost one, on a terminal only, once somebody
has waited for two seconds. What goes to standard output or into a pipe never holds any of it.
"""

from __future__ import annotations

import shutil
import sys
import threading
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING

from referee.document.words import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Self, TypeVar

    T = TypeVar("T")

PATIENCE = 2.0
"""Seconds that nobody needs to be told anything."""
EVERY = 0.25
LONGEST_REMARK = 60
FEW = 10_000
"""So many units are counted; of more, a share is said."""


class Progress:
    """How many of all units are done, how fast, how long still, and a remark.

    >>> with Progress(10, "fitting", already=4, quiet=True) as progress:
    ...     progress.advance("tree leads")
    >>> progress.in_words(2.0)
    'fitting: 5/10, 2.0 s each, 10 s left, tree leads'
    """

    def __init__(self, total: int | None, what: str, *, already: int = 0, quiet: bool = False) -> None:
        """`already` counts units of an earlier run: they are done, but say nothing about the speed."""
        self.total, self.what, self.already = total, one_line(what, LONGEST_REMARK), already
        self.done, self.remark = already, ""
        self.begun = monotonic()
        self._quiet = quiet

    @property
    def is_shown(self) -> bool:
        """Whether anybody sees a remark."""
        return not self._quiet and _line.can_be_seen()

    def advance(self, remark: str | None = None, *, by: int = 1) -> None:
        """So many more units are done; the remark stays until another is given."""
        self.done += by
        if remark is not None:
            self.remark = one_line(remark, LONGEST_REMARK)

    def in_words(self, seconds: float) -> str:
        """The line after so many seconds."""
        pace = (duration(seconds),) if self.total is None else self._pace(seconds)
        parts = (self._amount(), *pace, self.remark)
        return f"{self.what}: {', '.join(part for part in parts if part)}"

    def _amount(self) -> str:
        if self.total is None:
            return f"{self.done:,}" if self.done else ""
        return f"{self.done}/{self.total}" if self.total < FEW else f"{100 * self.done // self.total}%"

    def _pace(self, seconds: float) -> tuple[str, str]:
        """Of counted units the rate; and the time that the rest will take."""
        done, total = self.done - self.already, self.total or 0
        if not done or not seconds:
            return "", ""
        left = duration((total - self.done) * seconds / done)
        return rate(done / seconds) if total < FEW else "", f"{left} left"

    def __enter__(self) -> Self:
        self.begun = monotonic()
        if not self._quiet:
            _line.begin(self)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._quiet:
            _line.end(self)


class _Line:
    """The line of this process: that of the work begun last, drawn by a thread while there is any."""

    def __init__(self) -> None:
        self.quiet = False
        self._lock = threading.RLock()
        self._works: list[Progress] = []
        self._done: threading.Event | None = None
        self._drawn = 0

    def can_be_seen(self) -> bool:
        stream = sys.stderr
        with suppress(ValueError):  # closed
            return not self.quiet and stream is not None and stream.isatty()
        return False

    def begin(self, work: Progress) -> None:
        if not self.can_be_seen():
            return
        with self._lock:
            self._works.append(work)
            if self._done is None:
                self._done = threading.Event()
                threading.Thread(target=self._draw_until, args=(self._done,), daemon=True).start()

    def end(self, work: Progress) -> None:
        with self._lock:
            if work in self._works:
                self._works.remove(work)
            if not self._works and self._done is not None:
                self._done.set()
                self._done = None
                self.clear()

    def _draw_until(self, done: threading.Event) -> None:
        wait = PATIENCE
        while not done.wait(wait):
            with self._lock:
                if not done.is_set():
                    self._draw()
            wait = EVERY

    def _draw(self) -> None:
        work = self._works[-1] if self._works else None
        if work is None or not self.can_be_seen():
            return
        width = shutil.get_terminal_size().columns - 1
        text = work.in_words(monotonic() - work.begun)[:width]
        self._write("\r" + text.ljust(self._drawn))
        self._drawn = len(text)

    def clear(self) -> None:
        if self._drawn:
            self._write("\r" + " " * self._drawn + "\r")
            self._drawn = 0

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError, AttributeError):  # a terminal that has gone
            sys.stderr.write(text)
            sys.stderr.flush()

    @contextmanager
    def paused(self) -> Iterator[None]:
        with self._lock:
            self.clear()
            yield
            for stream in (sys.stdout, sys.stderr):
                if stream is not None and self._works:
                    stream.flush()


_line = _Line()


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A command at work, of which nothing more is known; what it does may say more."""
    before = _line.quiet
    try:
        with Progress(None, what):
            yield
    finally:
        _line.quiet = before


def be_quiet() -> None:
    """No line until the command that is running has ended."""
    _line.quiet = True


def line_cleared() -> AbstractContextManager[None]:
    """Whatever is written in here has the terminal for itself."""
    return _line.paused()


def with_progress(items: Sequence[T], what: str) -> Iterator[T]:
    """The items one after the other, as a progress.

    >>> [*with_progress([1, 2], "adding")]
    [1, 2]
    """
    with Progress(len(items), what) as progress:
        for item in items:
            yield item
            progress.advance()


def rate(speed: float) -> str:
    """Units per second, or seconds per unit where it is slow.

    >>> rate(12.34), rate(0.05)
    ('12.3/s', '20.0 s each')
    """
    return f"{speed:.1f}/s" if speed >= 1 else f"{1 / speed:.1f} s each"


def duration(seconds: float) -> str:
    """A time that people wait.

    >>> duration(4.4), duration(130), duration(7300)
    ('4 s', '2 min 10 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"
