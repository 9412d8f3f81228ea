"""Fits that failed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.runner.failure import Failure

CODES = {
    "raised": "E_MODEL", "timeout": "E_TIMEOUT", "signal": "E_WORKER", "exited": "E_WORKER", "memory": "E_MEMORY",
    "refused": "E_PROBRANGE",
}  # fmt: skip


def model_errors(failures: Sequence[Failure]) -> dict[str, ModelError]:
    """The first failure of each model, in words, and in how many fits it failed."""
    found: dict[str, ModelError] = {}
    for failure in failures:
        unit: Any = failure.unit
        times = sum(getattr(other.unit, "model", None) == unit.model for other in failures)
        more = f" (and in {times - 1} more fits)" if times > 1 else ""
        message = f"{unit.model} failed in fold {unit.split + 1}: {failure.message}{more}"
        found.setdefault(unit.model, ModelError(CODES[failure.kind], message, hint=failure.details or None))
    return found


def why_unfitted(failures: Sequence[Failure]) -> dict[str, str]:
    """Why a model could not be fitted, by its name."""
    return {name: error.message for name, error in model_errors(failures).items()}


def too_few_left(names: Sequence[str], errors: Mapping[str, ModelError]) -> ModelError:
    first = next(iter(errors.values()))
    left = f"only {names[0]} is left" if names else "none is left"
    others = [error.message for error in errors.values()][1:]
    return ModelError(first.code, "; ".join([first.message, *others, left]), hint=first.hint)
