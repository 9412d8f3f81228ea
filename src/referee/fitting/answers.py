"""What a model may answer: as many rows as it was asked of, finite numbers, classes that there are, probabilities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from referee.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.fitting.runner.pool import Failure
    from referee.fitting.splits import Split

SUM_WITHIN = 1e-4
"""As far as probabilities of all classes may be from 1."""
ROUNDING = 1e-9


def one_for_each_row(found: Any, rows: int) -> Array:
    """A number for each row; a table with one column is taken as such.

    >>> one_for_each_row([[1], [0]], 2)
    array([1., 0.])
    """
    found = _of_rows(found, rows)
    if found.size != rows:
        raise ValueError(f"its prediction has the shape {found.shape}: one number for each row is expected")
    return _finite(found.reshape(rows))


def classes_for_each_row(found: Any, rows: int, classes: int) -> Array:
    """A class for each row, as small integers.

    >>> classes_for_each_row([1.0, 0.4], 2, 2)
    Traceback (most recent call last):
    ...
    ValueError: its prediction of row 2 of the 2 is 0.4, which is no class
    """
    found = one_for_each_row(found, rows)
    wrong = np.flatnonzero(~np.isin(found, np.arange(classes)))
    if len(wrong):
        raise ValueError(
            f"its prediction of row {wrong[0] + 1} of the {rows} is {found[wrong[0]]:g}, which is no class"
        )
    return found.astype(np.min_scalar_type(classes))


def columns_for_each_row(found: Any, rows: int, classes: int) -> Array:
    """A number for each class of each row.

    >>> columns_for_each_row([0.2, 0.7], 2, 2)
    Traceback (most recent call last):
    ...
    ValueError: its predict_proba has the shape (2,): one column for each class is expected, (2, 2)
    """
    found = _of_rows(found, rows)
    if found.shape != (rows, classes):
        raise ValueError(
            f"its predict_proba has the shape {found.shape}: one column for each class is expected, {(rows, classes)}"
        )
    return _finite(found)


def _of_rows(found: Any, rows: int) -> Array:
    found = np.atleast_1d(np.asarray(found, float))
    if len(found) != rows:
        raise ValueError(f"it was given {rows} rows and predicted {len(found)}")
    return found


def _finite(found: Array) -> Array:
    finite = np.isfinite(found)
    if not finite.all():
        row = int(np.argmin(finite.reshape(len(found), -1).all(axis=1)))
        raise ValueError(f"its prediction of row {row + 1} of the {len(found)} is NaN or infinite")
    return found


def without_rounding(found: Array) -> Array:
    """Probabilities that rounding has pushed over the end of their range, brought back."""
    inside = found.clip(0, 1)
    return np.where(np.abs(found - inside) < ROUNDING, inside, found)


def improbable(found: Array) -> str | None:
    """Why scores cannot be probabilities."""
    outside = np.flatnonzero((found < 0) | (found > 1))
    if len(outside):
        row = int(outside[0]) // found.shape[1]
        return f"its probability of row {row + 1} of the {len(found)} is {found.flat[outside[0]]:g}, outside [0, 1]"
    sums = found.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1) > SUM_WITHIN)
    if len(wrong):
        return f"its probabilities of row {wrong[0] + 1} of the {len(found)} add up to {sums[wrong[0]]:g}, not to 1"
    return None


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
