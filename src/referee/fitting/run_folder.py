"""A run in a folder: what it was of and all its fits, from which any metric can be asked without fitting again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import NAMES
from referee.errors import CheckpointError, UsageError, listed
from referee.fitting.dataset import DataSet
from referee.fitting.fits import Fit
from referee.fitting.runner.database import FILE
from referee.fitting.runner.store import Store
from referee.fitting.splits import Split
from referee.fitting.stored_predictions import predictions_of, with_training_part
from referee.predictions import Units

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from referee.comparing import Combine
    from referee.predictions import Predictions

ABOUT = "about the run"
ROWS, MIXED = "rows are compared, ", "values are mixed by "
"""Before the hash of a configuration."""


def is_run(folder: Any) -> bool:
    """Whether a source is the folder of a run."""
    return isinstance(folder, str | Path) and (Path(folder) / FILE).is_file()


def about(data: DataSet, splits: Sequence[Split], names: Sequence[str]) -> dict[str, Any]:
    """The record of what the fits are of."""
    record: dict[str, Any] = {
        "task": data.task,
        "classes": list(data.classes),
        "positive": data.positive,
        "target_column": data.target_column,
        "source": data.source,
        "weight_scale": data.weight_scale,
        "models": list(names),
        "target": data.target,
        "repeats": np.array([split.repeat for split in splits]),
        "folds": np.array([split.fold for split in splits]),
    }
    for part in ("train", "test", *(["seen"] if all(split.seen is not None for split in splits) else [])):
        rows = [getattr(split, part) for split in splits]
        record |= {f"{part}_rows": np.concatenate(rows), f"{part}_sizes": np.array([len(places) for places in rows])}
    if data.group is not None:
        record |= {"group": data.group.codes, "group_names": list(data.group.names)}
    return record | ({} if data.weight is None else {"weight": data.weight})


def configuration_of(models: str, combine: Combine = "mean", *, compares_rows: bool) -> str:
    """What a run belongs to beside its data and splits, with what is compared in it.

    >>> configuration_of("9f2c", compares_rows=True)
    'rows are compared, 9f2c'
    >>> configuration_of("9f2c", "point_632", compares_rows=False)
    'values are mixed by point_632, 9f2c'
    """
    mixed = f"{MIXED}{combine}, " if combine in NAMES else ""
    return f"{ROWS if compares_rows else mixed}{models}"


def _combine_of(configuration: str) -> Combine:
    """How the values of splits become one, where that is no mean.

    >>> _combine_of("values are mixed by point_632, 9f2c")
    'point_632'
    """
    return next((how for how in NAMES if configuration.startswith(f"{MIXED}{how}, ")), "mean")


def read_run(folder: str | Path, positive: Sequence[str] | None = None) -> Predictions:
    """The predictions of all models that were fitted on every split, to be compared as the run does it.

    `positive` is the positive class, where the run has none yet.
    """
    store = Store.read(folder)
    try:
        predictions = _predictions(store, folder)
    finally:
        store.close()
    return predictions if positive is None else _with_positive(predictions, ",".join(positive), folder)


def _with_positive(predictions: Predictions, positive: str, folder: str | Path) -> Predictions:
    if positive not in predictions.classes:
        raise UsageError(
            "E_POSITIVE", f"--positive {positive!r} is not a class of {folder}: these are {listed(predictions.classes)}"
        )
    code = predictions.classes.index(positive)
    if predictions.task == "binary" and predictions.positive not in (None, code):
        raise UsageError(
            "E_POSITIVE",
            f"{folder} was fitted with {predictions.classes[1 - code]!r} as the positive class, not {positive!r}",
            hint="leave --positive out, or fit again with it",
        )
    return replace(predictions, positive=code) if predictions.task == "binary" else predictions


def _predictions(store: Store, folder: str | Path) -> Predictions:
    kept = set(store.keys())
    if ABOUT not in kept:
        raise CheckpointError(
            "E_CKPT", f"{folder}: the run has no fits yet", hint="`referee select --out` goes on with it"
        )
    record = store.load(ABOUT)
    splits = _splits(record)
    complete = [name for name in _names(record, kept) if all(str(Fit(name, i)) in kept for i in range(len(splits)))]
    if not complete:
        raise CheckpointError("E_CKPT", f"{folder}: no model has been fitted on every split yet")
    records = {(name, i): store.load(str(Fit(name, i))) for name in complete for i in range(len(splits))}
    data, configuration = _data(record), store.identity["configuration"]
    predictions = predictions_of(data, splits, complete, records)
    # Without the sizes of training parts the splits are no units, and rows are compared.
    if configuration.startswith(ROWS):
        return replace(predictions, train_rows=None)
    return with_training_part(predictions, data, splits, records, _combine_of(configuration))


def _names(record: dict[str, Any], kept: Iterable[str]) -> list[str]:
    """The models of the first fits, and those that came later because they had failed elsewhere."""
    fitted = sorted(key.rpartition(", split ")[0] for key in kept if key != ABOUT)
    return list(dict.fromkeys([*record["models"], *fitted]))


def _splits(record: dict[str, Any]) -> list[Split]:
    parts = {
        part: np.split(record[f"{part}_rows"], np.cumsum(record[f"{part}_sizes"])[:-1])
        for part in ("train", "test", "seen")
        if f"{part}_rows" in record
    }
    numbers = zip(parts["train"], parts["test"], record["repeats"], record["folds"], strict=True)
    splits = [Split(train, test, int(repeat), int(fold)) for train, test, repeat, fold in numbers]
    seen = parts.get("seen", [None] * len(splits))
    return [replace(split, seen=rows) for split, rows in zip(splits, seen, strict=True)]


def _data(record: dict[str, Any]) -> DataSet:
    """The data without their features, which predictions do not need."""
    target = record["target"]
    return DataSet(
        X=np.empty((len(target), 0)),
        features=(),
        target=target,
        task=record["task"],
        classes=tuple(record["classes"]),
        positive=record["positive"],
        group=Units(record["group"], tuple(record["group_names"])) if "group" in record else None,
        weight=record.get("weight"),
        weight_scale=record["weight_scale"],
        target_column=record["target_column"],
        source=record["source"],
    )
