"""One run of the command line: streams that last, errors that become messages, and an exit code for every end."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from referee.catalogue import SYNONYMS
from referee.cli.commands import Answered, referee
from referee.document import one_line, waiting
from referee.errors import RefereeError, SafetyError, UsageError, WriteError, command_line, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType


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


INTERRUPTED = 130
DISK_IS_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Terminated(BaseException):
    """SIGTERM arrived, or SIGHUP, as the terminal is gone."""

    code = INTERRUPTED
    """Of the last one: code of others may turn it into KeyboardInterrupt."""


def run(arguments: Sequence[str]) -> int:
    """One run; whatever happens there is an exit code for it, and 1 is what a gate says and nothing else."""
    try:
        return _run_reporting(arguments)
    except (KeyboardInterrupt, Terminated):
        return Terminated.code
    except BaseException as error:  # in the report of another error, or code of others that ends the process
        return _last_words(error)


def _last_words(error: BaseException) -> int:
    """Say what went wrong with as little as possible that could go wrong, too."""
    with contextlib.suppress(BaseException):
        os.write(2, f"error[E_BUG] {type(error).__name__}: {error}\n".encode(errors="backslashreplace"))
    return RefereeError.exit


def _run_reporting(arguments: Sequence[str]) -> int:
    _heed_signals()
    with lasting_streams(), command_line():
        try:
            if sys.stdout is None:
                raise OSError(errno.EBADF, "standard output is closed")
            code = _run(arguments)
            sys.stdout.flush()
        except OSError as error:
            with contextlib.suppress(AttributeError, OSError, ValueError):
                write_no_more(sys.stdout.fileno())
            code = _report_in_text(WriteError("E_WRITE", f"the result cannot be written: {error.strerror or error}"))
    return code


def _run(arguments: Sequence[str]) -> int:
    code = 0
    try:
        with referee.make_context("referee", list(arguments)) as context, _at_work(arguments):
            referee.invoke(context)
    except Answered as answer:
        code = answer.exit_code
    except click.exceptions.Exit as end:  # after --help; any other code is none of ours
        code = end.exit_code and RefereeError.exit
    except RefereeError as error:
        code = _report(error, arguments)
    except click.ClickException as error:
        code = _report(_from_click(error), arguments)
    except MemoryError as error:
        code = _report(_out_of_memory(error), arguments)
    except (KeyboardInterrupt, click.Abort, Terminated) as stop:
        code = _stopped(stop)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in DISK_IS_FULL:
            raise
        code = _report_bug(error, arguments)
    return code


def _out_of_memory(error: MemoryError) -> RefereeError:
    return SafetyError(
        "E_TOOBIG",
        f"memory is exhausted ({one_line(str(error)) or 'none is left'})",
        hint="a smaller --max-memory reads large tables in batches",
    )


CONVERSATIONS = ("advise", "serve")
"""Commands that wait for people."""


def _at_work(arguments: Sequence[str]) -> contextlib.AbstractContextManager[None]:
    """What somebody who waits is told while nothing more is known."""
    command = next((word for word in arguments if not word.startswith("-")), "referee")
    return contextlib.nullcontext() if command in CONVERSATIONS else waiting(command)


def _stopped(stop: BaseException) -> int:
    """Say what travels with the interruption, such as how to go on."""
    from referee.document import message_line

    how = "interrupted" if Terminated.code == INTERRUPTED else "terminated"
    _say(message_line("; ".join([how, *getattr(stop, "__notes__", ())])))
    return Terminated.code


def _say(text: str) -> None:
    """Write to standard error; if that is impossible too, the exit code must do."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True, color=_wants_colour())


def _wants_colour() -> bool | None:
    """As on the screen: NO_COLOR and a dumb terminal have none, FORCE_COLOR has it in a pipe, too."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") in ("dumb", "unknown"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def _report(error: RefereeError, arguments: Sequence[str]) -> int:
    import json

    from referee.cli.configuration import wanted_format

    if wanted_format(arguments) != "json":
        return _report_in_text(error)
    body = {"code": error.code, "message": error.message, "hint": error.hint, "exit": error.exit}
    click.echo(json.dumps({"error": body}, ensure_ascii=False))
    return error.exit


def _report_in_text(error: RefereeError) -> int:
    from referee.document import message_line

    _say(f"{click.style('error', fg='red', bold=True)}[{error.code}] {message_line(error.message)}")
    if error.hint and error.hint not in error.message:
        _say(f"{click.style('hint', bold=True)}: {message_line(error.hint)}")
    return error.exit


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    from traceback import format_exc

    _say(format_exc())
    bug = RefereeError("E_BUG", f"{type(error).__name__}: {error}", hint="this is a bug in referee; please report it")
    return _report(bug, arguments)


def _from_click(error: click.ClickException) -> UsageError:
    message = error.format_message().rstrip(".")
    if isinstance(error, click.NoSuchOption):
        known = [name for parameter in error.ctx.command.params for name in parameter.opts] if error.ctx else []
        message = f"there is no option {error.option_name!r}; {_nearest_option(error.option_name, known)}"
    context = getattr(error, "ctx", None)
    return UsageError("E_USAGE", message, hint=context and f"`{context.command_path} --help` shows the options")


def _nearest_option(said: str, known: Sequence[str]) -> str:
    """Ours for a word of scikit-learn, else what is spelled most alike."""
    ours = SYNONYMS.get(said.lstrip("-").replace("-", "_"), ())
    meant = [option for option in (f"--{name}" for name in ours) if option in known]
    return f"did you mean {meant[0]!r}?" if meant else did_you_mean(said, known)


def _heed_signals() -> None:
    """End in good order where the system asks for it, unless whoever started us wants it ignored, as `nohup` does."""
    for name in ("SIGTERM", "SIGHUP"):  # Windows has only the first
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise_terminated)


def _raise_terminated(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001 (signal's protocol)
    Terminated.code = 128 + number
    raise Terminated
