"""What referee says when it cannot go on: a code, a place, a hint and the exit code of the command line.

Two doors, one text: what names options of the command line names keywords where Python is spoken.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LISTS = frozenset(("by", "classes", "drop-label", "metrics", "models", "positive"))
WORDS = frozenset(("engine", "encoding", "on-missing", "on-repeated", "scheme", "task", "test", "unit", "weight-kind"))
"""Options whose value is a word, which may follow them in a text."""
NO_VALUES = frozenset(("and", "are", "if", "is", "makes", "names", "needs", "or", "out", "says", "takes", "with"))
PATHS = frozenset(("data", "figures", "html", "out"))
READING = frozenset(("decimal", "delimiter", "encoding", "engine", "max-memory", "sql", "table", "timeout"))
FORMATS = {"csv": "to_csv()", "json": "to_json()", "latex": "to_latex()", "md": "to_markdown()"}
OTHER_NAMES = {"label": "labels", "model": "models", "out": "store"}
OPTION = re.compile(
    r"`[^`]*`"  # a command is a command
    r"|(?<![\w-])--(?P<name>[a-z][a-z0-9-]+)"
    r"(?: (?P<value>\$?'[^']*'|-?(?:[\d.]+(?:e[+-]?\d+)?|nan|inf)\b|[A-Z][A-Z,=]*\b|[^\s;:,()`']+(?=:)"
    r"|(?P<word>[^\s;:,()`']+)))?"
)

REPEATED = re.compile(r"(?<=')\} (models|labels)=\{(?=')")
"""An option that was given twice is one keyword."""


class RefereeError(Exception):
    """The parent class of all errors that are meant for the user.

    >>> error = UsageError("E_NOCOL", "preds.csv has no column 'z'", hint="its columns are 'y' and 'A'")
    >>> str(error)
    "preds.csv has no column 'z'"
    >>> error.code, error.exit
    ('E_NOCOL', 2)
    """

    exit: ClassVar[int] = 70

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        self.code = code
        self.message = spoken(message)
        self.hint = None if hint is None else spoken(hint)
        super().__init__(self.message)
        if self.hint and self.hint not in self.message and not DOOR.is_command_line:
            self.add_note(self.hint)  # which Python shows below the message

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is, also where a kind of error is made in another way: errors travel between processes."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[RefereeError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> RefereeError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class UsageError(RefereeError, ValueError):
    """The command, its options or its configuration are wrong; a ValueError too, as wrong values are in Python."""

    exit = 2


def refuse_without(extra: str, *packages: str, to: str) -> None:
    """Stop where a package that an extra brings is not installed."""
    from importlib.util import find_spec

    if missing := [name for name in packages if find_spec(name) is None]:
        raise UsageError(
            "E_EXTRA", f"{to} requires {' and '.join(missing)}, not installed", hint=f"pip install 'referee[{extra}]'"
        )


class CallError(UsageError, TypeError):
    """A function was called with what it does not take; a TypeError too, as Python's own is."""


class UnknownNameError(UsageError, KeyError):
    """There is no entry of that name; a KeyError too, as catalogues are mappings."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__("E_UNKNOWN", message, hint=hint)

    def __str__(self) -> str:
        return self.message


class MissingGoalError(UsageError, TypeError):
    """No goal was named; a TypeError too, as calls without a necessary argument are in Python."""


class InputError(RefereeError, ValueError):
    """The data are damaged, incomplete or contradict themselves; a ValueError too."""

    exit = 3


class UndefinedError(RefereeError):
    """The quantity that was asked for does not exist on these data."""

    exit = 4


class ModelError(RefereeError):
    """A model failed in at least one fit: the contract's exit code for commands that fit."""

    exit = 5


class LostClusterError(ModelError):
    """The cluster that fits ran on is gone; which model was at work has nothing to do with it."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__("E_CLUSTER", message, hint=hint)


class WriteError(RefereeError):
    """The result cannot be written."""

    exit = 6


class CheckpointError(RefereeError):
    """A stored run is damaged, or belongs to something else: the contract's exit code for commands that resume."""

    exit = 7


class SafetyError(RefereeError):
    """Refused: untrusted code, a size beyond the limit, a path outside its folder."""

    exit = 8


@dataclass(frozen=True, order=True)
class Notice:
    """A warning that travels with a result.

    >>> Notice("W_ONECLASS", "column 'y' holds only one class").code
    'W_ONECLASS'
    """

    code: str
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", spoken(self.message))


def listed(names: Iterable[object], most: int = 10) -> str:
    """Quote names for a message: "'a', 'b' and 'c'".

    >>> listed(["a", "b", "c"])
    "'a', 'b' and 'c'"
    """
    quoted = [repr(str(name)) for name in names]
    if len(quoted) > most:
        quoted = [*quoted[:most], f"{len(quoted) - most} more"]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """A hint with the nearest known word, or with all of them.

    >>> did_you_mean("metirc", ["metrics", "truth"])
    "did you mean 'metrics'?"
    >>> did_you_mean("zzz", ["metrics", "truth"])
    "available: 'metrics' and 'truth'"
    """
    from difflib import get_close_matches

    names = list(known)
    by_lower = {name.strip().lower(): name for name in reversed(names)}
    near = get_close_matches(str(word).strip().lower(), by_lower, n=1, cutoff=0.6)
    return f"did you mean {by_lower[near[0]]!r}?" if near else f"available: {listed(names)}" if names else ""


def refuse_alpha(alpha: float) -> None:
    """Stop where nothing could be significant, or everything."""
    if not SMALLEST_ALPHA <= alpha < 1:
        raise UsageError("E_PARAMETER", f"alpha={alpha:g} must be at least {SMALLEST_ALPHA:g} and below 1")


SMALLEST_ALPHA = 1e-12


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
    >>> in_python("3 more classes: --format json has all")
    '3 more classes: to_json() has all'
    >>> in_python("--model 'nn=nn_{class}' --model 'rf=rf_{class}'")
    "models={'nn': 'nn_{class}', 'rf': 'rf_{class}'}"
    """
    return REPEATED.sub(", ", OPTION.sub(_keyword, text))


def _keyword(match: re.Match[str]) -> str:
    option, value, word = match["name"], match["value"] or "", match["word"]
    if option is None:
        return match[0]
    if option == "format" and value in FORMATS:
        return FORMATS[value]
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
    import csv
    import shlex

    plain = "".join(shlex.split(value)) if value.startswith("'") else value
    if value.startswith("$'"):
        plain = value[2:-1].encode().decode("unicode_escape")
    names = next(csv.reader([plain]), [""]) if option in LISTS else [plain]
    return repr(names if len(names) > 1 else names[0]) if names else "''"
