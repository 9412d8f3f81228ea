"""Columns become a table of known types, if they are the data set that they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import InputError
from referee.readers.table import Table
from referee.study.datasets import TARGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.study.datasets import PaperDataSet

MISSING = ("", "?", "nan", "None")


def checked(spec: PaperDataSet, columns: Mapping[str, Any], source: str) -> Table:
    """Numbers and sorted categories, the same whatever file they came from; with the paper's rows and classes.

    Every wrong cell, row number and class count is refused: other data would make other tables.
    """
    import pyarrow as pa

    missing = np.zeros(len(columns[TARGET]), bool)
    typed = {}
    for name in spec.columns:
        is_nominal = name in spec.nominal or name == TARGET
        values, gaps = (_texts if is_nominal else _numbers)(columns[name], name, source)
        typed[name] = values
        missing |= gaps
    if missing.any() and spec.complete_of is None:
        row = int(np.argmax(missing)) + 1
        raise InputError("E_CELL", f"{source}: row {row:,} has a cell without a value; {spec.name} has none")
    whole = {name: _arrow(values[~missing]) for name, values in typed.items()}
    _refuse_other_counts(spec, typed[TARGET][~missing], source)
    return Table(source, pa.table(whole), notes=(spec.remark,) if spec.remark else ())


def _texts(column: Any, name: str, source: str) -> tuple[Array, Array]:  # noqa: ARG001 (as _numbers has it)
    texts = np.array([str(cell).strip() for cell in column], str)
    return texts, np.isin(texts, MISSING)


def _numbers(column: Any, name: str, source: str) -> tuple[Array, Array]:
    cells = np.asarray(column)
    if cells.dtype.kind in "iuf":
        return cells.astype(float), np.isnan(cells.astype(float))
    texts, gaps = _texts(column, name, source)
    try:
        return np.where(gaps, "nan", texts).astype(float), gaps
    except ValueError:
        row = next(place for place, cell in enumerate(texts) if not gaps[place] and not _is_number(cell))
        raise InputError(
            "E_CELL", f"{source}: column {name!r}, row {row + 1:,}: {str(texts[row])!r} is no number"
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _arrow(values: Array) -> Any:
    import pyarrow as pa

    if values.dtype.kind == "f":
        return pa.array(values)
    names, codes = np.unique(values, return_inverse=True)
    return pa.DictionaryArray.from_arrays(codes.astype(np.int32), names.tolist())


def _refuse_other_counts(spec: PaperDataSet, classes: Array, source: str) -> None:
    """The rows in all first, because that is what a file that was cut short shows."""
    labels, amounts = np.unique(classes, return_counts=True)
    found = dict(zip(labels.tolist(), amounts.tolist(), strict=True))
    hint = "the file may be cut short, or another version: copy or download it again"
    unknown = [label for label in found if label not in spec.counts]
    if unknown:
        raise InputError("E_CLASSES", f"{source}: {unknown[0]!r} is no class of {spec.name}", hint=hint)
    if len(classes) != spec.rows:
        complete = " without a missing value" if spec.complete_of else ""
        message = f"{source} has {len(classes):,} rows{complete}, {spec.name} has {spec.rows:,}"
        raise InputError("E_ROWS", message, hint=hint)
    for label, expected in spec.counts.items():
        if found.get(label, 0) != expected:
            message = f"{source}: class {label!r} has {found.get(label, 0):,} rows, in {spec.name} it has {expected:,}"
            raise InputError("E_CLASSES", message, hint=hint)
