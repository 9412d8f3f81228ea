"""Arrays, lists and series in memory, taken as if they were the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.errors import CallError, UsageError, did_you_mean, listed
from referee.predictions.cell_labels import labels
from referee.predictions.locations import read_table
from referee.predictions.predictions import Predictions
from referee.predictions.roles import LABEL, Roles, label_text, refuse_one_text
from referee.predictions.row_labels import refuse_other_order
from referee.predictions.source import is_table
from referee.predictions.sources_read import tables_to_predictions
from referee.predictions.table import length_of, shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions.table import Table
    from referee.scoring import Metric

SomePredictions = TypeVar("SomePredictions", bound=Predictions)
SETTINGS = ("task", "positive", "drop_label", "interval", "threshold", "weight_kind")
ROLE_COLUMNS = ("id", "weight", "group", "query", "time", "fold", "repeat", "baseline")


def arrays_to_predictions(
    kind: type[SomePredictions],
    truth: Any,
    models: Mapping[str, Any],
    *,
    decisions: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    metrics: Sequence[Metric] = (),
    by: Mapping[str, Any] | None = None,
    **given: Any,
) -> SomePredictions:
    """Name the arrays as columns and read them by their roles."""
    refuse_one_text(classes)
    columns = _Columns()
    slices = tuple(by or ())
    for name, values in (by or {}).items():
        columns.add(name, values, exactly=True)
    classes = _labels_of(truth) if classes is None and len(shape_of(truth)) > 1 else classes
    if len(set(map(str, models))) < len(models):
        raise CallError("E_DUPMODEL", f"two models have the same name as text: {listed([*map(repr, models)])}")
    names = {str(name): columns.add_model(str(name), prediction, truth, classes) for name, prediction in models.items()}
    labels_of = {str(name): columns.add_decisions(str(name), values) for name, values in (decisions or {}).items()}
    _refuse_unknown(given, names, labels_of)
    truth_column = columns.add_truth(truth, classes)
    roles = Roles.of(
        truth=truth_column,
        columns=names,
        labels=labels_of,
        by=slices,
        classes=None if classes is None or LABEL in truth_column else tuple(map(label_text, classes)),
        metrics=metrics,
        **{name: given[name] for name in SETTINGS if given.get(name) is not None},
        **{name: columns.add(name, given[name]) for name in ROLE_COLUMNS if given.get(name) is not None},
    )
    return tables_to_predictions(kind, [columns.table(roles.truth)], roles)


def _refuse_unknown(given: Mapping[str, Any], models: Mapping[str, str], decisions: Mapping[str, str]) -> None:
    known = (*SETTINGS, *ROLE_COLUMNS)
    for name in given:
        if name not in known:
            raise UsageError("E_ROLE", f"there is no role {name!r}; {did_you_mean(name, known)}")
    for name in decisions:
        if name not in models:
            raise UsageError("E_NOMODEL", f"decisions of {name!r}, which is not a model; {did_you_mean(name, models)}")


def own_names(columns: Sequence[Any]) -> list[str]:
    """What series are called, if each has a name of its own; else model_1, model_2 ..."""
    names = [getattr(column, "name", None) for column in columns]
    if all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names):
        return [str(name) for name in names]
    return ["model"] if len(columns) == 1 else [f"model_{place}" for place in range(1, len(columns) + 1)]


class _Columns:
    """Arrays by names that do not collide."""

    def __init__(self) -> None:
        self.arrays: dict[str, Any] = {}

    def add(self, wanted: str, values: Any, *, exactly: bool = False) -> str:
        name = wanted
        while name in self.arrays and not exactly:
            name += "_"
        if name in self.arrays or values is None:
            problem = "is given twice" if name in self.arrays else "is missing"
            raise UsageError("E_ROLE", f"the column {name!r} {problem}")
        self.arrays[name] = _plain(values)
        return name

    def add_truth(self, truth: Any, classes: Sequence[Any] | None) -> str:
        """Add the truth, and give the name of its column, or the pattern of its labels."""
        parts = _parts(truth, (), classes)
        if parts is None:
            return self.add("truth", truth)
        for label, values in parts.items():
            self.add(f"truth:{label}", values, exactly=True)
        return f"truth:{LABEL}"

    def add_model(self, name: str, prediction: Any, truth: Any, classes: Sequence[Any] | None) -> str:
        """Add a model's column or columns, and give the column's name or their pattern."""
        length_of(repr(name), prediction)
        prediction = one_column(prediction)
        parts = _parts(prediction, truth, classes)
        if parts is None:
            return self.add(name, prediction, exactly=True)
        for label, values in parts.items():
            self.add(f"{name}:{label}", values, exactly=True)
        return f"{name}:{{class}}"

    def add_decisions(self, name: str, values: Any) -> str:
        """Add a model's own labels; if they are its column, that column is said to hold labels."""
        if name in self.arrays and np.array_equal(np.asarray(self.arrays[name]), np.asarray(values)):
            return name
        return self.add(f"{name} label", values)

    def table(self, truth: str) -> Table:
        names = (name for name in self.arrays if str(name).startswith(truth.removesuffix(LABEL)))
        if (truth := next(names, "")) == "":
            raise CallError("E_SHAPE", "the truth has no columns")
        lengths = {name: length_of(repr(name), values) for name, values in self.arrays.items()}
        for name, length in lengths.items():
            if length != lengths[truth]:
                raise UsageError("E_LENGTH", f"{name!r} has {length:,} values, the truth has {lengths[truth]:,}")
            refuse_other_order(name, self.arrays[name], "the truth", self.arrays[truth])
        return replace(read_table(self.arrays), name="the arrays")


def _labels_of(truth: Any) -> list[Any]:
    """The names of the labels in a truth of several columns, or their numbers."""
    return list(getattr(truth, "columns", range(shape_of(truth)[1])))


def _parts(prediction: Any, truth: Any, classes: Sequence[Any] | None) -> dict[str, Any] | None:
    """The columns of a matrix, frame or mapping by class; None for a single column."""
    if isinstance(prediction, Mapping):
        return {label_text(label): values for label, values in prediction.items()}
    if hasattr(prediction, "columns"):
        return {label_text(label): prediction[label] for label in prediction.columns}
    shape = shape_of(prediction)
    if len(shape) == 1:
        return None
    names = [label_text(label) for label in classes] if classes is not None else distinct_labels(truth)
    matrix = _matrix(prediction)
    if matrix is None or shape[1:] != (len(names),):
        raise UsageError(
            "E_SHAPE",
            f"predictions of shape {shape} do not fit {len(names)} classes ({listed(names)})",
            hint="give one column, or a (row, class) matrix with `classes` naming its columns",
        )
    return {label: matrix[:, place] for place, label in enumerate(names)}


def _matrix(prediction: Any) -> Array | None:
    """None for lists of different lengths."""
    try:
        return np.asanyarray(prediction)
    except ValueError:
        return None


def one_column(values: Any) -> Any:
    """A frame or a matrix with one column as that column; all else as it is."""
    if is_table(values):
        names = list(getattr(values, "columns", ()))
        return values[names[0]] if len(names) == 1 else values
    return values if isinstance(values, Mapping) or shape_of(values)[1:] != (1,) else np.asanyarray(values).reshape(-1)


def _unmasked(values: Any) -> Any:
    """A column with nothing where NumPy's mask hides a cell, whose number is not meant."""
    if not np.ma.is_masked(values):
        return values
    import pyarrow as pa

    return pa.array(values.data, mask=np.ma.getmaskarray(values))


def _plain(values: Any) -> Any:
    """A tensor, or whatever else can be an array, as one; series and Arrow data stay what they are."""
    values = _unmasked(values)
    known = any(hasattr(values, name) for name in ("index", "__arrow_c_stream__", "__arrow_c_array__"))
    if known or not hasattr(values, "__array__"):
        return values
    return np.asarray(values.detach() if hasattr(values, "detach") else values)


def has_class_columns(frame: Any, truth: Any) -> bool:
    """Whether the columns of a frame are the labels of the truth, as in one model's class probabilities.

    >>> import polars
    >>> frame = polars.DataFrame({"no": [0.8, 0.3], "yes": [0.2, 0.7]})
    >>> has_class_columns(frame, ["no", "yes"]), has_class_columns(frame, [0, 1])
    (True, False)
    """
    return {label_text(name) for name in frame.columns} >= set(distinct_labels(truth))


def distinct_labels(truth: Any) -> list[str]:
    """The labels of a truth, as they are compared."""
    return list(labels(read_table({"truth": truth}), "truth")[1])
