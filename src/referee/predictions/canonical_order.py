"""Rows in an order that depends on what they say only: not on how they were given, weighed or labelled.

Weights decide between rows that agree in everything else, so that neither their scale nor weights of one change the
order; and classes count by what is said of them, not by the order of their names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.predictions.units import MIX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.arrays import Array
    from referee.predictions.predictions import Predictions

SEVEN_DIGITS, HALF_STEP = np.uint64(2**64 - 2**29), np.uint64(2**28)
"""The bits of a number that a single-precision float would keep, and half of the last of them."""


def canonical_order(predictions: Predictions) -> Array:
    """The places of rows; digits beyond the seventh break ties only, as machines differ in the last ones."""
    content = predictions.content()
    weight = content.pop(("weight",), None)
    if predictions.classes and not predictions.label_names:
        content = _with_ranked_classes(predictions, content)
    rough, exact = _mixed_columns(column for _, column in sorted(content.items()))
    return np.lexsort((exact, rough) if weight is None else (weight, exact, rough))


def _mixed_columns(columns: Iterable[Any]) -> tuple[Array, Array]:
    """One number for each row, of its columns to seven digits; and one of all digits."""
    rough: Any = np.uint64(0)
    exact: Any = np.uint64(0)
    for column in columns:
        bits = (np.asarray(column, float) + 0.0).view(np.uint64)
        rough, exact = _mixed(rough, (bits + HALF_STEP) & SEVEN_DIGITS), _mixed(exact, bits)
    return rough, exact


def _mixed(keys: Array, bits: Array) -> Array:
    keys = (keys ^ bits) * MIX
    return keys ^ (keys >> np.uint64(29))


def _with_ranked_classes(predictions: Predictions, content: dict[tuple[str, ...], Array]) -> dict[Any, Array]:
    """Codes of classes, and the columns of these, by the places that the classes have whatever they are called."""
    rank = _ranks(predictions)
    renamed = {f"class {code}": f"class {place}" for code, place in enumerate(rank.tolist())}
    ranked = {(*role[:-1], renamed.get(role[-1], role[-1])): column for role, column in content.items()}
    codes = [("truth",), *((model.name, "labels") for model in predictions.models)]
    return ranked | {role: rank[np.asarray(content[role], np.intp)] for role in codes if role in content}


def _ranks(predictions: Predictions) -> Array:
    """The place of each class: the positive one stands last; else by their rows and by what models say of them."""
    classes = range(len(predictions.classes))
    if predictions.positive is not None:
        keys: list[Any] = [code == predictions.positive for code in classes]
    else:
        keys = [_said_of(predictions, code) for code in classes]
    return np.argsort(sorted(classes, key=keys.__getitem__))


def _said_of(predictions: Predictions, code: int) -> tuple[int, ...]:
    """Numbers that do not depend on the order of rows."""
    own = predictions.truth == code
    said: list[Any] = [np.count_nonzero(own)]
    for model in sorted(predictions.models, key=lambda model: model.name):
        if model.labels is not None:
            called = model.labels == code
            said += [np.count_nonzero(called), np.count_nonzero(called & own)]
        if model.class_scores is not None:
            column = model.class_scores[code]
            said += [int(_mixed_columns([rows])[0].sum()) for rows in (column, column[own])]
    return tuple(int(number) for number in said)
