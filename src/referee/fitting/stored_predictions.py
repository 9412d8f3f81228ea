"""From stored fits back to predictions, the test rows of all splits one below the other; and the folder of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import NAMES, Combine
from referee.engines import engine_of
from referee.errors import CheckpointError, UsageError, listed
from referee.fitting.dataset import DataSet
from referee.fitting.fits import Fit
from referee.fitting.runner.database import FILE
from referee.fitting.runner.store import Store
from referee.fitting.splits import Split
from referee.fitting.stored_schema import refuse_forged_run, stored_fit
from referee.predictions import Instants, Model, Predictions, TrainingPart, Units, is_file
from referee.records import dataclass
from referee.scoring import Metric, values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from referee.arrays import Array


Records = dict[tuple[str, int], dict[str, Any]]
"""What is kept of every fit, by model and split."""
KINDS = ("scores", "labels", "values")


def predictions_of(data: DataSet, splits: Sequence[Split], names: Sequence[str], records: Records) -> Predictions:
    """What every model said of the test rows of every split."""
    return _assembled(data, splits, names, records, "test", [split.test for split in splits])


def training_predictions(data: DataSet, splits: Sequence[Split], names: Sequence[str], records: Records) -> Predictions:
    """What every model says of the rows that it was fitted on, or of some of them."""
    return _assembled(data, splits, names, records, "train", [split.looked_back for split in splits])


def seen_predictions(data: DataSet, splits: Sequence[Split], names: Sequence[str], records: Records) -> Predictions:
    """What every model says of the rows that the scheme takes the training score of: those fitted on, or all."""
    rows = [split.looked_back if split.seen is None else split.seen for split in splits]
    seen = {
        (name, number): _seen(records[name, number], split, rows[number])
        for name in names
        for number, split in enumerate(splits)
    }
    return _assembled(data, splits, names, seen, "seen", rows)


def with_training_part(
    predictions: Predictions, data: DataSet, splits: Sequence[Split], records: Records, combine: Combine
) -> Predictions:
    """The same, with what the scheme's estimate wants of the training rows, if it wants anything."""
    if combine not in NAMES:
        return predictions
    seen = seen_predictions(data, splits, predictions.names, records)
    return replace(predictions, training=TrainingPart(replace(seen, notices=()), combine))


def kinds_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """What a model says of a row: scores (and whether they are probabilities), decisions, numbers."""
    kinds = tuple(kind for kind in KINDS if record.get(f"test_{kind}") is not None)
    return (*kinds, "probabilities") if "test_improbable" in record else kinds


def _seen(record: Mapping[str, Any], split: Split, rows: Array) -> dict[str, Any]:
    """Each row was fitted on or tested, so what the model says of it is known."""
    known, first = np.unique(np.concatenate([split.looked_back, split.test]), return_index=True)
    places = first[np.searchsorted(known, rows)]
    kinds = [kind for kind in KINDS if record.get(f"test_{kind}") is not None]
    both = {kind: [np.asarray(record[f"{part}_{kind}"]) for part in ("train", "test")] for kind in kinds}
    return {f"seen_{kind}": np.concatenate(parts)[places] for kind, parts in both.items()}


def _assembled(
    data: DataSet, splits: Sequence[Split], names: Sequence[str], records: Records, part: str, rows: Sequence[Array]
) -> Predictions:
    places = np.concatenate(rows)
    sizes = [len(of_split) for of_split in rows]
    examples = _examples(places)
    in_time = data.time is not None and data.group is None and examples is None
    return Predictions(
        task=data.task,
        truth=data.target[places],
        models=tuple(_model(name, len(splits), records, part, data.positive) for name in names),
        classes=data.classes,
        positive=data.positive,
        weight=None if data.weight is None else data.weight[places],
        weight_scale=data.weight_scale,
        fold=_numbered([split.fold for split in splits], sizes),
        repeat=_numbered([split.repeat for split in splits], sizes),
        group=None if data.group is None else Units(data.group.codes[places], data.group.names),
        time=Instants.of(data.time[places]) if in_time and data.time is not None else None,
        example=examples,
        train_rows=np.repeat([float(np.count_nonzero(np.bincount(split.train))) for split in splits], sizes),
        truth_column=data.target_column,
        source=data.source,
        notices=data.notices,
        notes=data.notes,
        account=data.account,
    )


def _numbered(each: Sequence[int], sizes: Sequence[int]) -> Units:
    """Which fold, or repeat, each row was predicted in."""
    numbers = sorted(set(each))
    return Units(np.repeat(np.searchsorted(numbers, each), sizes), tuple(map(str, numbers)))


def _examples(places: Array) -> Units | None:
    """The rows of the table, where some were predicted several times."""
    tested, codes = np.unique(places, return_inverse=True)
    return Units(codes, tuple(map(str, tested + 1))) if len(tested) < len(places) else None


def _model(name: str, splits: int, records: Records, part: str, positive: int | None) -> Model:
    def column(kind: str) -> Array | None:
        key = f"{part}_{kind}"
        each = [records[name, split].get(key) for split in range(splits)]
        return None if each[0] is None else np.concatenate([np.asarray(of_split) for of_split in each])

    scores, labels, values = column("scores"), column("labels"), column("values")
    probable = scores if f"{part}_improbable" in records[name, 0] else None
    if labels is not None and probable is not None and np.array_equal(labels, _by_scores(probable, positive)):
        labels = None  # the threshold stands for them, and can be moved
    several = scores is not None and scores.ndim == 2
    return Model(
        name,
        scores=None if several else scores,
        class_scores=tuple(scores.T) if several and scores is not None else None,
        labels=None if labels is None else labels.astype(int),
        values=values,
        columns=(name,),
    )


def _by_scores(scores: Array, positive: int | None) -> Array:
    """What the probabilities decide where the model does not."""
    if scores.ndim == 2:
        return np.asarray(scores.argmax(axis=1))
    assert positive is not None
    return np.where(scores >= 0.5, positive, 1 - positive)


@dataclass(frozen=True, eq=False)
class Judged:
    """A value of one model, and the values of the splits that it is the mean of.

    >>> Judged(np.array([0.5, 1.0])).value
    0.75
    >>> Judged(np.array([0.5, np.nan])).value is None
    True
    """

    each: Array

    @property
    def value(self) -> float | None:
        return float(self.each.mean()) if np.isfinite(self.each).all() else None


def values_of_splits(predictions: Predictions, goal: Metric) -> dict[str, Judged]:
    """Each model's value in each split, in their order; NaN where it is undefined."""
    several = [units for units in (predictions.repeat, predictions.fold) if units is not None]
    return _judged(predictions, goal, engine_of(predictions).crossed(several))


def values_on_all_rows(predictions: Predictions, goal: Metric) -> dict[str, Judged]:
    """Each model's value on the rows of all splits together."""
    return _judged(predictions, goal, None)


def _judged(predictions: Predictions, goal: Metric, units: Units | None) -> dict[str, Judged]:
    engine, classes = engine_of(predictions), len(predictions.classes)
    return {
        model.name: Judged(
            np.atleast_1d(values(goal, engine.summarise(predictions, model, units), classes, predictions.positive))
        )
        for model in predictions.models
    }


class Leading:
    """The mean goal of each model so far; as a string, the best of them."""

    def __init__(self, data: DataSet, splits: Sequence[Split], goal: Metric) -> None:
        self._data, self._splits, self._goal = data, splits, goal
        self._values: dict[str, list[float]] = {}

    def add(self, model: str, split: int, record: dict[str, Any]) -> None:
        """Take in a fit; one on which the goal is undefined says nothing."""
        predictions = predictions_of(self._data, [self._splits[split]], [model], {(model, 0): record})
        value = values_on_all_rows(predictions, self._goal)[model].value
        if value is not None:
            self._values.setdefault(model, []).append(value)

    def __str__(self) -> str:
        means = {model: sum(each) / len(each) for model, each in self._values.items()}
        if not means:
            return ""
        best = (max if self._goal.better == "higher" else min)(means, key=lambda model: means[model])
        return f"{best} leads: {self._goal.name} {means[best]:.4g}"


ABOUT = "about the run"
ROWS, MIXED = "rows are compared, ", "values are mixed by "
"""Before the hash of a configuration."""


def is_run(folder: Any) -> bool:
    """Whether a source is the folder of a run."""
    return isinstance(folder, str | Path) and is_file(Path(folder) / FILE)


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
    columns = {name: getattr(data, name) for name in ("weight", "time")}
    return record | {name: column for name, column in columns.items() if column is not None}


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
        predictions = _complete_predictions(store, folder)
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
            hint="omit --positive, or fit again with it",
        )
    return replace(predictions, positive=code) if predictions.task == "binary" else predictions


def _complete_predictions(store: Store, folder: str | Path) -> Predictions:
    kept = set(store.keys())
    if ABOUT not in kept:
        raise CheckpointError("E_CKPT", f"{folder}: the run has no fits yet", hint="`referee select --out` resumes it")
    record = store.load(ABOUT)
    refuse_forged_run(store.folder, record)
    splits = _splits(record)
    complete = [name for name in _names(record, kept) if all(str(Fit(name, i)) in kept for i in range(len(splits)))]
    if not complete:
        raise CheckpointError("E_CKPT", f"{folder}: no model has been fitted on every split yet")
    fits = [Fit(name, place) for name in complete for place in range(len(splits))]
    records: Records = {fit: stored_fit(store, fit, splits, len(record["classes"])) for fit in fits}
    data, configuration = _data(record), store.identity.get("configuration", "")
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
        time=record.get("time"),
        weight_scale=record["weight_scale"],
        target_column=record["target_column"],
        source=record["source"],
    )
