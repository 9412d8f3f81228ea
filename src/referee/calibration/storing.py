"""Calibrators in files: plain JSON, read with suspicion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from referee import __version__
from referee.calibration.methods import METHODS
from referee.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.calibration.methods import Map

FORMAT = "referee calibrator"
VERSION = 1


def calibrator_content(method: str, classes: Sequence[Any], columns: int, maps: Sequence[Map]) -> dict[str, Any]:
    """What is written."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "referee": __version__,
        "method": method,
        "classes": list(classes),
        "columns": columns,
        "maps": [dict(one.numbers()) for one in maps],
    }


def read_content(text: str, name: str) -> dict[str, Any]:
    """What was written, with its maps made again; whatever is not as it should be is named."""
    content = _object(text, name)
    if content.get("format") != FORMAT:
        _refuse(name, f"it is no calibrator: 'format' is {_shown(content.get('format'))}, not {FORMAT!r}")
    if content.get("version") != VERSION or isinstance(content["version"], bool):
        _refuse(name, f"its version is {_shown(content.get('version'))}, and this referee reads version {VERSION}")
    method = content.get("method")
    if not isinstance(method, str) or method not in METHODS:
        _refuse(name, f"there is no method {_shown(method)}; {did_you_mean(str(method), METHODS)}")
    classes = _classes(content.get("classes"), name)
    columns, maps = content.get("columns"), content.get("maps")
    if columns not in ((1, 2) if len(classes) == 2 else (len(classes),)) or isinstance(columns, bool):
        _refuse(name, f"'columns' is {_shown(columns)}, which does not fit {len(classes)} classes")
    wanted = 1 if len(classes) == 2 or METHODS[method].joint else len(classes)
    if not isinstance(maps, list) or len(maps) != wanted:
        _refuse(name, f"'maps' must be a list of {wanted}")
    return content | {"classes": classes, "maps": tuple(_map(method, one, name) for one in maps)}


def _object(text: str, name: str) -> dict[str, Any]:
    def no_number(word: str) -> NoReturn:
        raise ValueError(f"{word} is no number of JSON")

    try:
        content = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        _refuse(name, f"it is no JSON: {error}")
    if not isinstance(content, dict):
        _refuse(name, "it is JSON, but no object")
    return content


def _classes(given: Any, name: str) -> list[Any]:
    plain = isinstance(given, list) and len(given) >= 2 and all(isinstance(one, str | int | float) for one in given)
    if not plain or len({repr(one) for one in given}) != len(given):
        _refuse(name, f"'classes' is {_shown(given)}, and must be a list of at least two different labels")
    return list(given)


def _map(method: str, numbers: Mapping[str, Any], name: str) -> Map:
    try:
        return METHODS[method].restore(**numbers)
    except (TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, ValueError) else f"its numbers are {_shown(numbers)}"
        _refuse(name, f"a map of {method} is not as it should be: {reason}")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def _refuse(name: str, why: str) -> NoReturn:
    raise InputError(
        "E_CALIBRATOR", f"{name}: {why}", hint="`referee calibrate ... --save FILE.json` writes a calibrator"
    )
