"""A calibrator that was kept, applied to another table."""

from __future__ import annotations

import csv
import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.calibration.calibrator import Calibrator
from referee.calibration.map_fits import apply_maps
from referee.calibration.methods import METHODS
from referee.errors import InputError, UsageError
from referee.predictions import numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from referee.arrays import Array
    from referee.predictions import Table

LARGEST = 100_000_000
"""Bytes of a file that are read: no calibrator has more."""


def read_calibrator(path: str) -> tuple[Calibrator, dict[str, Any]]:
    """The calibrator in a file, and what was kept beside it."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(LARGEST).decode("utf-8")
    except OSError as error:
        raise UsageError("E_NOFILE", f"--apply {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError("E_CALIBRATOR", f"{path}: it is no text, and so no calibrator") from error
    return Calibrator.from_json(text, path), json.loads(text)


def apply_to(table: Table, path: str, columns: dict[str, str] | None = None) -> tuple[pa.Table, list[str]]:
    """The table with the calibrated probabilities as further columns, and these columns' names.

    `columns` maps the model's name to its column, or to a pattern with {class}; without it those are taken that the
    calibrator was fitted on.
    """
    import pyarrow as pa

    calibrator, kept = read_calibrator(path)
    name, sources = _sources(calibrator, kept, columns or {}, path)
    scores = [numbers(table, column).astype(float) for column in sources]
    _refuse_no_probabilities(calibrator, table, sources, scores)
    found = apply_maps(calibrator.maps_, scores)
    title = f"{name}+{calibrator.method}"
    if len(found) == 1 and calibrator.n_features_in_ == 2:
        found = [1 - found[0], found[0]]
    titles = [title] if len(found) == 1 else [f"{title}:{label}" for label in calibrator.classes_]
    made = dict(zip(titles, found, strict=True))
    result = table.columns
    for column, values in made.items():
        if column in result.column_names:
            raise InputError("E_DUPCOL", f"{table.name} has a column {column!r} already", hint="rename it")
        cells = pa.array(values)
        if table.decimal != ".":  # as the other numbers of the file are written
            cells = pa.array([repr(value).replace(".", table.decimal) for value in values.tolist()])
        result = result.append_column(column, cells)
    return result, list(made)


def _sources(calibrator: Calibrator, kept: dict[str, Any], columns: dict[str, str], path: str) -> tuple[str, list[str]]:
    """The model's name and its columns: that of the last of two classes, or one for each class."""
    labels = calibrator.classes_[-1:] if len(calibrator.classes_) == 2 else calibrator.classes_
    if columns:
        return _named(columns, [str(label) for label in labels])
    sources = kept.get("source_columns")
    names = [one for one in sources if isinstance(one, str)] if isinstance(sources, list) else []
    if len(names) != len(labels):
        raise UsageError(
            "E_MODELS", f"{path} does not say which column it was fitted on", hint="say --model NAME=COLUMN"
        )
    return str(kept.get("model") or names[0]), names


def _named(columns: dict[str, str], labels: list[str]) -> tuple[str, list[str]]:
    if len(columns) > 1:
        raise UsageError("E_MODELS", "a calibrator belongs to one model: give --model once")
    ((name, pattern),) = columns.items()
    if len(labels) > 1 and "{class}" not in pattern:
        raise UsageError(
            "E_MODELS",
            f"--model {name}={pattern}: the calibrator needs a column for each of {len(labels)} classes",
            hint=f"say --model {name}=pattern_{{class}}",
        )
    return name, [pattern.replace("{class}", label) for label in labels]


def _refuse_no_probabilities(calibrator: Calibrator, table: Table, columns: list[str], scores: list[Array]) -> None:
    if METHODS[calibrator.method].needs != "probabilities":
        return
    for column, values in zip(columns, scores, strict=True):
        outside = (values < 0) | (values > 1)
        if outside.any():
            row = int(np.argmax(outside))
            raise InputError(
                "E_PROBRANGE",
                f"{table.name}: {calibrator.method} needs probabilities, and column {column!r}, row "
                f"{table.row_number(row + 1)} is {values[row]:g}, outside [0, 1]",
            )


def table_bytes(table: pa.Table, path: str) -> bytes:
    """A table as the name of its file says: CSV or Parquet."""
    kind = Path(path).suffix.lower()
    if kind == ".parquet":
        import pyarrow.parquet

        sink = BytesIO()
        pyarrow.parquet.write_table(table, sink)
        return sink.getvalue()
    if kind != ".csv":
        raise UsageError("E_OUTPUT", f"--output {path}: its name must end in .csv or .parquet")
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return text.getvalue().encode()
