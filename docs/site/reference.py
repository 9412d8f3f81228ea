"""Reference pages of the site: each public name from its docstring, each command from its options."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import click

import referee
import referee.testing
from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

ASSERTIONS = ("assert_better", "assert_not_worse", "check_metric")
PUBLIC = {name: f"referee.{name}" for name in referee.__all__} | {
    name: f"referee.testing.{name}" for name in ASSERTIONS
}
API_HEAD = (
    "# Python reference\n"
    "Everything is a name of `referee`, and what tests of your own need is in `referee.testing`. Each page is the\n"
    "docstring, whose example is run by the tests.\n"
)
COMMANDS_HEAD = "# Command line\nEach page is what `referee COMMAND --help` says.\n"


def api_pages() -> Iterator[tuple[str, str]]:
    rows = [(f"[`{name}`]({name}.md)", _first_line(_thing(path))) for name, path in PUBLIC.items()]
    yield "api/index.md", _index(API_HEAD, rows)
    for name, path in PUBLIC.items():
        yield f"api/{name}.md", f"# {name}\n\n```{{eval-rst}}\n{_directive(path)}\n```\n"


def _thing(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(referee.testing if module == "referee.testing" else referee, name)


def _directive(path: str) -> str:
    thing = _thing(path)
    if inspect.isclass(thing):
        options = ["   :members:"] + ([] if issubclass(thing, Exception) else ["   :inherited-members:"])
        return "\n".join([f".. autoclass:: {path}", *options])
    if inspect.isfunction(thing):
        return f".. autofunction:: {path}"
    text = [f"   {line}" for line in (inspect.getdoc(thing) or "").replace("\n    ", "\n        ").splitlines()]
    return "\n".join([f".. py:data:: {path}", "", *_literal(text)])


def _literal(lines: list[str]) -> Iterator[str]:
    """A line that ends in a colon introduces what is indented below it."""
    for line in lines:
        yield f"{line}:\n" if line.endswith(":") else line


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0].rstrip(":").replace("|", "\\|")


def command_pages() -> Iterator[tuple[str, str]]:
    yield (
        "commands/index.md",
        _index(COMMANDS_HEAD, [(f"[`referee {name}`]({name}.md)", COMMANDS[name]) for name in COMMANDS]),
    )
    for name in COMMANDS:
        yield f"commands/{name}.md", _command_page(name, command_named(name))


def _index(head: str, rows: list[tuple[str, str]]) -> str:
    return "\n".join(
        [head, "| name | what it does |", "|---|---|", *(f"| {name} | {text} |" for name, text in rows), ""]
    )


def _command_page(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"referee {name}")
    usage = command.get_usage(context).removeprefix("Usage: ")
    said = inspect.cleandoc(command.help or "").replace("\b\n", "")
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    listed = [line for option in options for line in (f"`{_written(option, context)}`", f": {_help(option)}", "")]
    return "\n".join([f"# referee {name}", "", *_paragraphs(said), "", "```text", usage, "```", "", *listed])


def _paragraphs(said: str) -> Iterator[str]:
    """Angle brackets are words here, not HTML."""
    for line in said.splitlines():
        yield line.replace("<", "\\<")


def _written(option: click.Option, context: click.Context) -> str:
    names = " / ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag or option.count else f" {option.make_metavar(context)}"
    return f"{names}{value}"


def _help(option: click.Option) -> str:
    default = option.default
    shown = (
        isinstance(default, str | int | float) and not isinstance(default, bool) and "default" not in str(option.help)
    )
    text = f"{option.help or ''}{f' Default: `{default}`.' if shown else ''}"
    return re.sub(r"([|<*])", r"\\\1", text)
