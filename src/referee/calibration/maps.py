"""Maps of one event, or of several classes: fitted, applied, and whether they keep the ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.calibration.methods import Map, Method


def fit_maps(method: Method, columns: list[Array], truth: Array, weight: Array) -> tuple[Map, ...]:
    """One map for one column (truth: came true or not); of several classes (truth: their codes) one for each.

    A joint method has one map for all.
    """
    if len(columns) == 1:
        return (method.fit(columns, truth.astype(bool), weight),)
    if method.joint:
        return (method.fit(columns, truth, weight),)
    return tuple(method.fit([column], truth == code, weight) for code, column in enumerate(columns))


def apply_maps(maps: Sequence[Map], columns: list[Array]) -> list[Array]:
    """The probability of the event, or of each class: each against the rest, divided by their sum."""
    with np.errstate(over="ignore"):  # infinite log odds are a probability of 0 or 1
        if len(maps) == 1:
            return maps[0](columns)
        each = [of_class([column])[0] for of_class, column in zip(maps, columns, strict=True)]
    total = np.sum(each, axis=0)
    # Isotonic maps may give 0 to every class.
    return [np.where(total > 0, one / np.where(total > 0, total, 1), 1 / len(each)) for one in each]


def merged_scores(before: Array, after: Array) -> int | None:
    """How many distinct scores a rising map has made equal; None if the order is not kept at all."""
    distinct, first = np.unique(before, return_index=True)
    steps = np.diff(after[first])
    return None if (steps < 0).any() else int(np.count_nonzero(steps == 0)) if len(distinct) > 1 else 0
