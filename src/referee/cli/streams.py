"""Standard output and standard error as the command line needs them: nothing is lost, and no reader is needed."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


class _ReaderMayLeave(io.FileIO):
    """A file that goes nowhere when its reader (`| head`) has seen enough: the command ends as it would have."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except BrokenPipeError:
            write_no_more(self.fileno())
            return memoryview(content).nbytes


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Both streams; a name that the terminal cannot show is written in escapes rather than not at all."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_lasting, before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        sys.stdout, sys.stderr = before


def _lasting(stream: Any) -> Any:
    try:
        raw = _ReaderMayLeave(stream.fileno(), "w", closefd=False)
        stream.flush()
    except (AttributeError, OSError, ValueError):  # closed, or none of the system's
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def write_no_more(handle: int) -> None:
    """What is still in a buffer would fail again when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, handle)
    finally:
        os.close(nowhere)
