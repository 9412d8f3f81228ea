"""The list of commands, each loaded when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from referee import __version__
from referee.cli.overview import COMMANDS, overview
from referee.errors import UsageError, did_you_mean

CATALOGUES = ("metrics", "schemes", "tests", "learners", "sources")
"""Commands that share a file, as they do the same."""


class Answered(click.exceptions.Exit):
    """An exit code that says something, such as that a gate did not pass."""


def command_named(name: str) -> click.Command:
    """A command of the list, imported now."""
    file, function = ("catalogues", f"{name}_command") if name in CATALOGUES else (name, "command")
    command: click.Command = getattr(import_module(f"referee.cli.{file}"), function)
    return command


class LazyGroup(click.Group):
    """Knows the commands' names and one line of each; imports a command's file when it runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's protocol)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        if name not in COMMANDS:
            return None
        return command_named(name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UsageError("E_COMMAND", f"there is no command {args[0]!r}; {did_you_mean(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002
        return overview()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="referee")
@click.pass_context
def referee(context: click.Context) -> None:
    """Name the winning model on the metric you care about, or a tie."""
    if context.invoked_subcommand is None:
        click.echo(overview())
