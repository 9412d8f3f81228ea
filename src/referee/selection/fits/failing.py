"""Fits that failed, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.runner.failure import Failure
    from referee.splitting.split import Split

CODES = {
    "raised": "E_MODEL", "timeout": "E_TIMEOUT", "signal": "E_WORKER", "exited": "E_WORKER", "memory": "E_MEMORY",
    "refused": "E_PROBRANGE",
}  # fmt: skip


class Place(NamedTuple):
    """A model, and the split that it failed in, in words."""

    model: str
    split: str


def placed(failures: Sequence[Failure], splits: Sequence[Split], *, inner: bool = False) -> list[Failure]:
    """Failures with the words for where they are; `inner` splits have their outer one as their repeat."""
    found = []
    for failure in failures:
        unit: Any = failure.unit
        words = _inner(splits[unit.split]) if inner else _outer(splits[unit.split], splits)
        found.append(replace(failure, unit=Place(unit.model, words)))
    return found


def _inner(split: Split) -> str:
    return f"inner split {split.fold} of outer split {split.repeat}"


def _outer(split: Split, splits: Sequence[Split]) -> str:
    if all(one.repeat == split.repeat for one in splits):
        return f"fold {split.fold}"
    return f"repeat {split.repeat}" + (f", fold {split.fold}" if any(one.fold > 1 for one in splits) else "")


def model_errors(failures: Sequence[Failure]) -> dict[str, ModelError]:
    """The first failure of each model, in words, and in how many fits it failed."""
    found: dict[str, ModelError] = {}
    for failure in failures:
        unit: Any = failure.unit
        times = sum(getattr(other.unit, "model", None) == unit.model for other in failures)
        more = f" (and in {times - 1} more fits)" if times > 1 else ""
        where = unit.split if isinstance(unit.split, str) else f"fold {unit.split + 1}"
        message = f"{unit.model} failed in {where}: {failure.message}{more}"
        found.setdefault(unit.model, ModelError(CODES[failure.kind], message, hint=failure.details or None))
    return found


def why_unfitted(failures: Sequence[Failure], splits: Sequence[Split]) -> dict[str, str]:
    """Why a model could not be fitted, by its name."""
    return {name: error.message for name, error in model_errors(placed(failures, splits)).items()}


def too_few_left(names: Sequence[str], errors: Mapping[str, ModelError]) -> ModelError:
    first = next(iter(errors.values()))
    left = f"only {names[0]} is left" if names else "none is left"
    others = [error.message for error in errors.values()][1:]
    return ModelError(first.code, "; ".join([first.message, *others, left]), hint=first.hint)
