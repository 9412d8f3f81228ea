"""What records of a run must look like: a checksum proves that no byte has changed, not who has written it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.fitting.runner.database import damaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from referee.arrays import Array
    from referee.fitting.fits import Fit
    from referee.fitting.runner.store import Store
    from referee.fitting.splits import Split

TASKS = ("binary", "multiclass", "regression")
TEXTS = ("target_column", "source")


def refuse_forged_run(folder: Path, record: Mapping[str, Any]) -> None:
    """Stop at a record of data and splits that no run writes."""
    wrong = next(_wrong_in_run(record), None)
    if wrong is not None:
        raise damaged(folder, f"the record about the run has no valid {wrong}")


def stored_fit(store: Store, fit: Fit, splits: Sequence[Split], classes: int) -> dict[str, Any]:
    """The record of a fit, if it fits its split."""
    record = store.load(str(fit))
    wrong = next(_wrong_in_fit(record, splits[fit.split], classes), None)
    if wrong is not None:
        raise damaged(store.folder, f"record {str(fit)!r} has no valid {wrong}")
    return record


def _wrong_in_run(record: Mapping[str, Any]) -> Iterator[str]:
    classes, target = record.get("classes"), record.get("target")
    if record.get("task") not in TASKS:
        yield "task"
    if not _are_texts(classes) or (record["task"] == "regression") != (not classes):
        yield "classes"
    if not _is_column(target, len(classes or ()) or None):
        yield "target"
    positive = record.get("positive")
    if positive is not None and not (type(positive) is int and 0 <= positive < len(classes or ())):
        yield "positive class"
    yield from (name for name in TEXTS if not isinstance(record.get(name), str | None))
    scale = record.get("weight_scale")
    if not isinstance(scale, int | float) or not (isfinite(scale) and scale > 0):
        yield "weight_scale"
    if not _are_texts(record.get("models")):
        yield "models"
    rows = len(target) if isinstance(target, np.ndarray) else 0
    yield from _wrong_in_splits(record, rows)
    if "group" in record and not (
        _are_texts(names := record.get("group_names")) and _is_column(record["group"], len(names or ()), rows)
    ):
        yield "group"
    if "weight" in record and not (_is_column(record["weight"], None, rows) and (record["weight"] >= 0).all()):
        yield "weight"
    if "time" in record and not _is_column(record["time"], None, rows):
        yield "time"


def _wrong_in_splits(record: Mapping[str, Any], rows: int) -> Iterator[str]:
    """The splits must be of the rows that there are, and as many as are numbered."""
    numbered = record.get("repeats")
    splits = len(numbered) if isinstance(numbered, np.ndarray) and numbered.ndim == 1 else 0
    yield from (name for name in ("repeats", "folds") if not (splits and _is_column(record.get(name), 1 << 31, splits)))
    for part in ("train", "test", *(["seen"] if "seen_rows" in record else [])):
        places, sizes = record.get(f"{part}_rows"), record.get(f"{part}_sizes")
        sound = _is_column(places, rows) and _is_column(sizes, len(places) + 1, splits)  # type: ignore[arg-type]
        if not sound or int(np.sum(sizes)) != len(places):  # type: ignore[arg-type]
            yield f"{part} rows"


def _wrong_in_fit(record: Mapping[str, Any], split: Split, classes: int) -> Iterator[str]:
    for part, rows in (("test", len(split.test)), ("train", len(split.looked_back))):
        scores, labels, values = (record.get(f"{part}_{kind}") for kind in ("scores", "labels", "values"))
        if scores is labels is values is None:
            yield f"answers for {part} rows"
        if scores is not None and not (_is_column(scores, None, rows) or _is_matrix(scores, rows, classes)):
            yield f"{part}_scores"
        if labels is not None and not _is_column(labels, classes, rows):
            yield f"{part}_labels"
        if values is not None and not _is_column(values, None, rows):
            yield f"{part}_values"
    size = record.get("size")
    seconds = [record.get(name) for name in ("fit_seconds", "predict_seconds")]
    if not all(_is_amount(second) for second in seconds):
        yield "times"
    if not isinstance(size, dict) or not all(_is_amount(amount) for amount in size.values()):
        yield "size"
    if not isinstance(record.get("changed_input"), bool):
        yield "changed_input"


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and isfinite(value) and value >= 0


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values) and _differ(values)


def _differ(values: Sequence[str]) -> bool:
    return len(set(values)) == len(values)


def _is_column(values: object, below: int | None, rows: int | None = None) -> bool:
    """Whether this is one number for each row: a code below some number, or any that is finite."""
    if not isinstance(values, np.ndarray) or values.ndim != 1 or (rows is not None and len(values) != rows):
        return False
    if below is None:
        return _are_finite(values)
    return values.dtype.kind in "iu" and (not len(values) or (int(values.min()) >= 0 and int(values.max()) < below))


def _is_matrix(values: Any, rows: int, classes: int) -> bool:
    return isinstance(values, np.ndarray) and values.shape == (rows, classes) and _are_finite(values)


def _are_finite(values: Array) -> bool:
    return values.dtype.kind in "biuf" and bool(np.isfinite(values).all())
