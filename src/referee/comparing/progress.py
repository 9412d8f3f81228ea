"""A line on standard error for people who wait: how much of a long computation is done."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    T = TypeVar("T")

PATIENCE = 2.0
"""Seconds that nobody needs to be told anything."""
EVERY = 0.2

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def in_silence(*, quiet: bool = True) -> Iterator[None]:
    """No line is shown in here."""
    token = _quiet.set(quiet)
    try:
        yield
    finally:
        _quiet.reset(token)


def with_progress(items: Sequence[T], what: str) -> Iterator[T]:
    """The items one after the other; on a terminal a line says how many are done, once that takes a while.

    >>> [*with_progress([1, 2], "adding")]
    [1, 2]
    """
    is_shown = not _quiet.get() and sys.stderr is not None and sys.stderr.isatty()
    next_line, has_line = monotonic() + PATIENCE, False
    try:
        for place, item in enumerate(items):
            if is_shown and monotonic() > next_line:
                sys.stderr.write(f"\r{what}: {100 * place // len(items)}%")
                sys.stderr.flush()
                next_line, has_line = monotonic() + EVERY, True
            yield item
    finally:
        if has_line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
