"""`referee schema`: what a command writes with `--format json`, as a JSON Schema."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument("name", required=False, metavar="[COMMAND | error]")
def command(name: str | None) -> None:
    """Print the JSON Schema (2020-12) of what a command writes with --format json, or list the commands that have one.

    `error` is what every command writes if it fails. The schema's version is the field "schema" of the output.
    """
    from referee.cli.output import write
    from referee.document import schema_names, schema_of

    if name is None:
        write("".join(f"{each}\n" for each in schema_names()))
    else:
        write(json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n")
