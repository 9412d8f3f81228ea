"""The man page, from the commands and their options: `make docs` writes build/referee.1."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import click

from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS, PURPOSE

if TYPE_CHECKING:
    from collections.abc import Iterator

EXITS = {
    0: "done; of a gate: the candidate may replace production",
    1: "of a gate: it may not",
    2: "wrong usage",
    3: "input that cannot be read, or has errors",
    4: "the metric or the test is undefined on these data",
    5: "a model failed in at least one fit",
    6: "a file cannot be written",
    7: "a stored run is damaged, or belongs to something else",
    8: "refused: untrusted code, a size beyond the limit, a path outside its folder",
    70: "a bug in referee",
    130: "interrupted",
}


def manual() -> str:
    """In troff, for man(1)."""
    lines = [
        '.TH REFEREE 1 "" referee "User commands"',
        ".SH NAME",
        f"referee \\- {_plain(PURPOSE[0].lower() + PURPOSE[1:-1])}",
        ".SH SYNOPSIS",
        ".B referee",
        "\\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]",
        ".SH COMMANDS",
        *(line for name in COMMANDS for line in _command(name)),
        ".SH EXIT STATUS",
        *(line for code, meaning in EXITS.items() for line in (".TP", f".B {code}", _plain(meaning))),
        ".SH SEE ALSO",
        "\\fBreferee\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR, and the guides in docs/guide.",
    ]
    return "\n".join(lines) + "\n"


def _command(name: str) -> Iterator[str]:
    command = command_named(name)
    context = click.Context(command, info_name=f"referee {name}")
    yield from (".SS", _plain(command.get_usage(context).removeprefix("Usage: ")))
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        yield from (".PP", _plain(" ".join(paragraph.replace("\b", "").split())))
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden:
            yield from _option(option, context)


def _option(option: click.Option, context: click.Context) -> Iterator[str]:
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" \\fI{_plain(option.make_metavar(context))}\\fR"
    yield from (".TP", f"\\fB{_plain(names)}\\fR{value}", _plain(" ".join((option.help or "").split())))


def _plain(text: str) -> str:
    """Text that means itself in troff."""
    shown = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{shown}" if shown.startswith((".", "'")) else shown
