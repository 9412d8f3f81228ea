"""What referee says when it cannot go on: a code, a place, a hint and the exit code of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from referee.doors import spoken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Given = ParamSpec("Given")
Result = TypeVar("Result")


class RefereeError(Exception):
    """Base of all errors that are meant for the user.

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

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is, also where a kind of error is made in another way: errors travel between processes."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[RefereeError], arguments: tuple[Any, ...], fields: dict[str, Any]) -> RefereeError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


class UsageError(RefereeError):
    """The command, its options or its configuration are wrong."""

    exit = 2


class CallError(UsageError, TypeError):
    """A function was called with a keyword that it does not have; a TypeError too, as Python's own is."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__("E_KEYWORD", message, hint=hint)


class UnknownNameError(UsageError, KeyError):
    """There is no entry of that name; a KeyError too, as catalogues are mappings."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__("E_UNKNOWN", message, hint=hint)

    def __str__(self) -> str:
        return self.message


class MissingGoalError(UsageError, TypeError):
    """No goal was named; a TypeError too, as calls without a necessary argument are in Python."""


class InputError(RefereeError):
    """The data are damaged, incomplete or contradict themselves."""

    exit = 3


class UndefinedError(RefereeError):
    """The quantity that was asked for does not exist on these data."""

    exit = 4


class ModelError(RefereeError):
    """A model failed in at least one fit: the contract's exit code for commands that fit."""

    exit = 5


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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest known word, or with all of them.

    >>> did_you_mean("metirc", ["metrics", "truth"])
    "did you mean 'metrics'?"
    >>> did_you_mean("zzz", ["metrics", "truth"])
    "known are 'metrics' and 'truth'"
    """
    from difflib import get_close_matches

    names = list(known)
    by_lower = {name.strip().lower(): name for name in reversed(names)}
    near = get_close_matches(word.strip().lower(), by_lower, n=1, cutoff=0.6)
    return f"did you mean {by_lower[near[0]]!r}?" if near else f"known are {listed(names)}" if names else ""


def known_keywords(**meant: str) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Refuse a keyword that a function does not have with the nearest that it has; `meant` are others' words for ours.

    >>> @known_keywords(n_jobs="jobs")
    ... def fit(models: int, *, jobs: int = 1) -> int:
    ...     return models * jobs
    >>> fit(2, n_jobs=3)
    Traceback (most recent call last):
    ...
    referee.errors.CallError: fit() has no keyword 'n_jobs'; did you mean 'jobs'?
    """

    def checked(function: Callable[Given, Result]) -> Callable[Given, Result]:
        code: Any = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

        @wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            for word in kwargs:
                if word not in names:
                    near = meant.get(word)
                    hint = f"did you mean {near!r}?" if near else did_you_mean(word, sorted(names))
                    raise CallError(f"{function.__name__}() has no keyword {word!r}; {hint}", hint)
            return function(*args, **kwargs)

        return call

    return checked


def refuse_alpha(alpha: float) -> None:
    """Stop where nothing could be significant, or everything."""
    if not SMALLEST_ALPHA <= alpha < 1:
        raise UsageError("E_PARAMETER", f"alpha={alpha:g} must be at least {SMALLEST_ALPHA:g} and below 1")


SMALLEST_ALPHA = 1e-12
