"""The command as it could be typed again: what a page says of how it was made."""

from __future__ import annotations

import re
import shlex

import click
from click.core import ParameterSource


def typed_command() -> str:
    """The running command with all that was given to it, on the command line or in a file; without passwords."""
    context = click.get_current_context()
    words = ["referee", context.info_name or ""]
    for parameter in sorted(context.command.params, key=lambda one: isinstance(one, click.Option)):
        if context.get_parameter_source(str(parameter.name)) not in (None, ParameterSource.DEFAULT):
            words += _words(parameter, context.params.get(str(parameter.name)))
    return re.sub(r"(://[^/@:\s]*):[^/@\s]*@", r"\1:***@", shlex.join(words))


def _words(parameter: click.Parameter, value: object) -> list[str]:
    """One parameter as it is written: `--by a --by b` for an option that may be repeated."""
    if value is None or value is False:
        return []
    values = [str(one) for one in (value if isinstance(value, tuple) else (value,))]
    if isinstance(parameter, click.Argument):
        return values
    name = parameter.opts[-1]
    return [name] if value is True else [word for one in values for word in (name, one)]
