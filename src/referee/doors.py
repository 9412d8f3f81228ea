"""Two doors, one text: what names options of the command line names keywords where Python is spoken."""

from __future__ import annotations

import csv
import re
import shlex
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LISTS = frozenset(("by", "classes", "drop-label", "metrics", "models", "positive"))
WORDS = frozenset(("encoding", "on-missing", "scheme", "task", "test", "unit", "weight-kind"))
"""Options whose value is a word, which may follow them in a text."""
NO_VALUES = frozenset(("and", "are", "if", "is", "makes", "names", "needs", "or", "out", "says", "takes", "with"))
PATHS = frozenset(("data", "figures", "html", "out"))
READING = frozenset(("decimal", "delimiter", "encoding", "max-memory", "table"))
OTHER_NAMES = {"label": "labels", "model": "columns", "out": "store"}
OPTION = re.compile(
    r"`[^`]*`"  # a command is a command
    r"|(?<![\w-])--(?P<name>[a-z][a-z0-9-]+)"
    r"(?: (?P<value>\$?'[^']*'|-?(?:[\d.]+(?:e[+-]?\d+)?|nan|inf)\b|[A-Z][A-Z,=]*\b"  # a value, or the place of one
    r"|[^\s;:,()`']+(?=:)|(?P<word>[^\s;:,()`']+)))?"
)


@dataclass
class Door:
    """By which one referee was entered."""

    is_command_line: bool = False


DOOR = Door()


@contextmanager
def command_line() -> Iterator[None]:
    """Speak of options as long as a command runs."""
    before, DOOR.is_command_line = DOOR.is_command_line, True
    try:
        yield
    finally:
        DOOR.is_command_line = before


def spoken(text: str) -> str:
    """A text that names options, as the one who reads it would say it."""
    return text if DOOR.is_command_line or "--" not in text else in_python(text)


def in_python(text: str) -> str:
    """Name keywords instead of options.

    >>> in_python("say --positive LABEL, or --drop-label '?' leaves these rows out (`referee metrics --needs scores`)")
    "say positive=LABEL, or drop_label='?' leaves these rows out (`referee metrics --needs scores`)"
    >>> in_python("--classes 'neg,pos' keeps them apart; --unit fold takes each fold; --group names the others")
    "classes=['neg', 'pos'] keeps them apart; unit='fold' takes each fold; group= names the others"
    """
    return OPTION.sub(_keyword, text)


def _keyword(found: re.Match[str]) -> str:
    option, value, word = found["name"], found["value"] or "", found["word"]
    if option is None:
        return found[0]
    follows = word is not None and (word in NO_VALUES or option not in WORDS | PATHS)  # the sentence goes on
    name = OTHER_NAMES.get(option, option.replace("-", "_"))
    said = f"{name}={'' if follows else _in_python(option, value)}"
    said = f"options=ReadOptions({said or '...'})" if option in READING else said
    return f"{said} {value}" if follows else said


def _in_python(option: str, value: str) -> str:
    if not value or re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?|nan|-?inf|[A-Z]+", value):
        return value
    if option in ("label", "model"):
        return "{{{!r}: {!r}}}".format(*value.strip("'").partition("=")[::2])
    plain = "".join(shlex.split(value)) if value.startswith("'") else value
    if value.startswith("$'"):
        plain = value[2:-1].encode().decode("unicode_escape")
    names = next(csv.reader([plain]), [""]) if option in LISTS else [plain]
    return repr(names if len(names) > 1 else names[0]) if names else "''"
