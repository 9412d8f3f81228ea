"""The JSON Schema of what each command writes with `--format json`: the files of `schemas/`, each made whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.document.result import SCHEMA
from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "schemas"
SHARED = "definitions"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
WRITES_ALIKE = {"demo": "compare"}
"""Commands whose result is that of another one."""


def schema_names() -> list[str]:
    """What has a schema: the commands that write JSON, and `error`."""
    files = (file.stem for file in FOLDER.glob("*.json"))
    return sorted({*files, *WRITES_ALIKE} - {SHARED})


def schema_of(name: str) -> dict[str, Any]:
    """The schema of a command's JSON, or of an `error`, which needs no other file.

    >>> schema_of("gate")["$id"]
    'urn:referee:schema:2:gate'
    """
    if name not in schema_names():
        raise UsageError(
            "E_UNKNOWN",
            f"there is no schema {name!r}; {did_you_mean(name, schema_names())}",
            hint="`referee schema` lists all",
        )
    name = WRITES_ALIKE.get(name, name)
    own, shared = _content(name), _content(SHARED)["$defs"]
    definitions = own.pop("$defs", {})
    waiting = [own, *definitions.values()]
    while waiting:
        for needed in _referred(waiting.pop()):
            if needed not in definitions:
                definitions[needed] = shared[needed]
                waiting.append(shared[needed])
    return {"$schema": DIALECT, "$id": f"urn:referee:schema:{SCHEMA}:{name}", **own, "$defs": definitions}


def _content(name: str) -> dict[str, Any]:
    return dict(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def _referred(schema: Any) -> Iterator[str]:
    """The names of the definitions that a schema refers to."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix("#/$defs/")
        for part in schema.values():
            yield from _referred(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _referred(part)
