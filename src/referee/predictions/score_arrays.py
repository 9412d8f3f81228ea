"""Arrays of scores in memory, as a table of scores: a matrix of items and models, or one array for each model."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import CallError
from referee.predictions.given_arrays import own_names
from referee.predictions.roles import as_tuple
from referee.predictions.source import is_table
from referee.predictions.table import shape_of
from referee.predictions.wrong_calls import described

if TYPE_CHECKING:
    from collections.abc import Sequence

COLUMNS = ("id", "group", "time", "fold", "repeat", "dataset", "seed_column")
"""What may be said of each score by an array as long as the scores."""


def with_score_columns(call: str, data: Sequence[Any], said: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Name arrays as the columns of one table; what is a table, or where one is, stays as it was given.

    >>> with_score_columns("compare", [np.array([[0.1, 0.2], [0.3, 0.4]])], {"group": [1, 2]})[1]
    {'group': 'group'}
    >>> [*with_score_columns("compare", [[0.1, 0.3], [0.2, 0.4]], {"models": ["a", "b"]})[0][0]]
    ['a', 'b']
    """
    if len(data) == 1 and isinstance(data[0], Mapping):
        return _with_arrays(dict(data[0]), said)
    if not data or any(isinstance(thing, str | os.PathLike | Mapping) or is_table(thing) for thing in data):
        return data, dict(said)
    columns = _columns(call, data, said.get("models"))
    names = None if said.get("models") is None else list(map(str, as_tuple(said["models"])))
    if names is not None and len(names) != len(columns):
        raise CallError(
            "E_CALL", f"{call}() was given scores of {len(columns)} models and {len(names)} names of models"
        )
    table = dict(zip(names or own_names(columns), columns, strict=True))
    return _with_arrays(table, {name: value for name, value in said.items() if name != "models"})


def _columns(call: str, data: Sequence[Any], models: Any) -> list[Any]:
    """The scores of each model."""
    first = data[0]
    if len(data) > 1 or len(shape_of(first)) == 1:
        return list(data)
    if isinstance(first, list | tuple) and not all(isinstance(row, list | tuple) for row in first):
        return list(first)  # arrays or series, one for each model
    matrix = np.asarray(first)
    if matrix.ndim != 2:
        raise CallError("E_CALL", f"{call}() was given {described(first)}: scores have a row for each item")
    rows, columns = matrix.shape
    if columns > rows and models is None:
        said = f"{call}() was given {columns} scores of each of {rows} items, as rows are items and columns are models"
        right = f'referee.{call}({{"a": scores_a, "b": scores_b}}, task="scores")'
        raise CallError("E_CALL", f"{said}: turn the array (scores.T) or name the models, as in {right}")
    return list(matrix.T)


def _with_arrays(table: dict[str, Any], said: Mapping[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """What is said of the scores by arrays becomes columns, too."""
    named = dict(said)
    for role in COLUMNS:
        value = named.get(role)
        if value is not None and not isinstance(value, str):
            name = role
            while name in table:
                name += "_"
            table[name], named[role] = value, name
    return [table], named
