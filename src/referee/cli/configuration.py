"""Options from a file: `--config FILE.toml`."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.commands import command_named
from referee.cli.overview import COMMANDS
from referee.errors import RefereeError, UsageError, did_you_mean
from referee.predictions import small_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

LISTS_AS_A_ROW = ("positive", "classes")
"""Options that are given once and may hold several values, as a CSV row writes them."""


def read_config(ctx: click.Context, path: str | None) -> None:
    """Take a file's values as the options' defaults; a key that is no option is an error."""
    if path is None:
        return
    known = {option.lstrip("-"): p for p in ctx.command.params for option in p.opts}
    ctx.default_map = {}
    for key, value in _content(path).items():
        option = key.replace("_", "-")
        if option in known:
            ctx.default_map[str(known[option].name)] = _as_given(path, known[option], key, value)
        elif option not in _of_all_commands():
            hint = did_you_mean(key, known)
            raise UsageError("E_CONFIG", f"{path}: there is no option {key!r}; {hint}", hint=hint)


def _of_all_commands() -> set[str]:
    """One file may serve several commands, so what another one reads is no typing error."""
    commands = map(command_named, COMMANDS)
    options = [option for command in commands for parameter in command.params for option in parameter.opts]
    return {option.lstrip("-") for option in options if option.startswith("-")}


def wanted_format(arguments: Sequence[str]) -> str:
    """The format that the arguments ask for, or the file that they name, even if the rest of them is wrong."""
    given = _given(arguments, "--format")
    path = _given(arguments, "--config")
    if given is None and path is not None and Path(path).is_file():  # a pipe could be read once only
        with suppress(RefereeError):
            given = _content(path).get("format")
    return str(given or "text")


def _given(arguments: Sequence[str], option: str) -> str | None:
    """The last value of an option: `--option value` or `--option=value`."""
    value = None
    for place, argument in enumerate(arguments):
        if argument == option:
            value = next(iter(arguments[place + 1 :]), None)
        elif argument.startswith(f"{option}="):
            value = argument.removeprefix(f"{option}=")
    return value


def _content(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(small_file(path).decode("utf-8"))
    except RecursionError:
        raise UsageError("E_CONFIG", f"{path} cannot be read: it is nested too deeply") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError):
            raise UsageError("E_CONFIG", f"{path} cannot be read: {error.strerror}") from error
        raise UsageError("E_CONFIG", f"{path} is not valid TOML: {error}") from error


def _as_given(path: str, option: click.Parameter, key: str, value: Any) -> Any:
    """A value of the file as the command line would have it."""
    is_list = isinstance(value, list)
    items = value if is_list else [value]
    if any(isinstance(item, list | dict) for item in items):
        raise UsageError("E_CONFIG", f"{path}: {key} is a table or a list of lists, not a value")
    if getattr(option, "multiple", False) or option.nargs == -1:
        return [_text(item) for item in items]
    if option.name in LISTS_AS_A_ROW:
        return _csv_row([_text(item) for item in items]) if is_list else _text(value)
    if is_list:
        raise UsageError("E_CONFIG", f"{path}: {key} takes one value, not a list", hint=f'write {key} = "..."')
    return value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _csv_row(items: Sequence[str]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(items)
    return row.getvalue()
