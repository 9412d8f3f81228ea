"""Shell completion by click, for bash, zsh and fish: commands, options, files, and the names of metrics and tests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, FishComplete, add_completion_class, shell_complete

import referee
from referee.cli.commands import CATALOGUES, LazyGroup
from referee.cli.commands import referee as group

if TYPE_CHECKING:
    from collections.abc import Callable

    Words = Callable[[click.Context, str], list[CompletionItem]]

VARIABLE = "_REFEREE_COMPLETE"
WRONG_INSTRUCTION = 2
PATHS = {"SOURCE...": "file", "[SOURCE]...": "file", "DATA": "file", "FILE": "file", "FILE.toml": "file", "DIR": "dir"}
METRICS = ("METRIC", "M1,M2")


def complete(instruction: str) -> int:
    """Write a shell's script, or what may come next on its command line; the exit code."""
    add_completion_class(_Fish)
    commands = _CompletedGroup("referee", params=group.params)
    return WRONG_INSTRUCTION if shell_complete(commands, {}, "referee", VARIABLE, instruction) else 0


class _Fish(FishComplete):
    """The first comma ends the kind of a completion; others belong to lists of metrics and to descriptions."""

    source_template = FishComplete.source_template.replace('string split ","', 'string split --max 1 ","')


class _CompletedGroup(LazyGroup):
    """The commands, whose parameters know what they may be."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        command = super().get_command(ctx, name)
        for parameter in command.params if command else ():
            if words := _words(name, parameter):
                vars(parameter)["shell_complete"] = words
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A word that is no command is nothing to complain of here."""
        return click.Group.resolve_command(self, ctx, args)


def _words(command: str, parameter: click.Parameter) -> Words | None:
    """What a parameter may be, where click does not know."""
    if parameter.metavar in PATHS:
        return partial(_path, PATHS[parameter.metavar])
    if parameter.metavar in METRICS:
        return partial(_entries, "metrics")
    if "--test" in parameter.opts:
        return partial(_entries, "tests")
    return partial(_entries, command) if command in CATALOGUES and isinstance(parameter, click.Argument) else None


def _path(kind: str, _context: click.Context, begun: str) -> list[CompletionItem]:
    """The shell finds paths by itself."""
    return [CompletionItem(begun, type=kind)]


def _entries(catalogue: str, _context: click.Context, begun: str) -> list[CompletionItem]:
    """The names in a catalogue; in a list, those that may be its last one."""
    before, comma, last = begun.rpartition(",")
    return [CompletionItem(before + comma + name) for name in getattr(referee, catalogue) if name.startswith(last)]
