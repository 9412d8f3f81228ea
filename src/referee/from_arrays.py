"""Arrays, lists and series in memory, taken as if they were the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from referee.errors import UsageError, listed
from referee.predictions import Predictions
from referee.readers import read_table
from referee.readers.cells import labels
from referee.reading import tables_to_predictions
from referee.roles import Roles, as_tuple, label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.metric import Metric

SomePredictions = TypeVar("SomePredictions", bound=Predictions)
TRUTH = "truth"
SETTINGS = ("task", "positive", "threshold")
ROLE_COLUMNS = ("id", "weight", "group", "fold", "repeat", "baseline")


def arrays_to_predictions(
    kind: type[SomePredictions],
    truth: Any,
    models: Mapping[str, Any],
    *,
    decisions: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    metric: Metric | None = None,
    by: Any = (),
    **given: Any,
) -> SomePredictions:
    """Name the arrays as columns and read them by their roles."""
    columns: dict[str, Any] = {TRUTH: truth}
    model_columns: dict[str, str] = {}
    for name, prediction in models.items():
        model_columns[name] = _add_model(columns, name, prediction, truth, classes)
    label_columns = {name: f"{name} label" for name in decisions or {}}
    columns |= {label_columns[name]: values for name, values in (decisions or {}).items()}
    settings = {name: value for name, value in given.items() if name in SETTINGS and value is not None}
    columns |= {name: value for name, value in given.items() if name not in SETTINGS and value is not None}
    named = {name: name for name in ROLE_COLUMNS if given.get(name) is not None}
    roles = Roles.of(
        truth=TRUTH, columns=model_columns, labels=label_columns, by=as_tuple(by), **settings, **named,
        metrics=(metric,) if metric else (),
    )  # fmt: skip
    _refuse_unequal_lengths(columns)
    table = read_table(columns)
    return tables_to_predictions(kind, [replace(table, name="the arrays")], roles)


def _add_model(columns: dict[str, Any], name: str, prediction: Any, truth: Any, classes: Sequence[Any] | None) -> str:
    """Add a model's column or columns, and give the column's name or their pattern."""
    parts = _parts(prediction, truth, classes)
    if parts is None:
        columns[name] = prediction
        return name
    columns |= {f"{name}:{label}": values for label, values in parts.items()}
    return f"{name}:{{class}}"


def _parts(prediction: Any, truth: Any, classes: Sequence[Any] | None) -> dict[str, Any] | None:
    """The columns of a matrix, frame or mapping by class; None for a single column."""
    if isinstance(prediction, Mapping):
        return {label_text(label): values for label, values in prediction.items()}
    if hasattr(prediction, "columns"):
        return {label_text(label): prediction[label] for label in prediction.columns}
    shape = getattr(prediction, "shape", None) or np.shape(prediction)
    if len(shape) == 1:
        return None
    matrix = np.asarray(prediction)
    names = [label_text(label) for label in classes] if classes is not None else _distinct(truth)
    if matrix.ndim != 2 or matrix.shape[1] != len(names):
        raise UsageError(
            "E_SHAPE",
            f"predictions of shape {matrix.shape} do not fit {len(names)} classes ({listed(names)})",
            hint="give one column, or a (row, class) matrix with `classes` naming its columns",
        )
    return {label: matrix[:, place] for place, label in enumerate(names)}


def _distinct(truth: Any) -> list[str]:
    return list(labels(read_table({TRUTH: truth}), TRUTH)[1])


def _refuse_unequal_lengths(columns: Mapping[str, Any]) -> None:
    lengths = {name: len(values) for name, values in columns.items()}
    rows = lengths[TRUTH]
    for name, length in lengths.items():
        if length != rows:
            raise UsageError("E_LENGTH", f"{name!r} has {length:,} values, the truth has {rows:,}")
