"""Sums of row terms over many blocks, about the means of the first block so that nothing cancels."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from referee.summaries import Sums

if TYPE_CHECKING:
    from referee.arrays import Array


class RunningSums:
    """Adds blocks up; `total` is what they come to."""

    def __init__(self) -> None:
        self._terms: tuple[str, ...] = ()
        self._centre: Array = np.zeros(0)
        self._weights: list[float] = []
        self._firsts: list[list[float]] = []
        self._seconds: list[list[float]] = []

    def add(self, terms: dict[str, Array], weight: Array | None) -> None:
        if not self._terms:
            self._terms = tuple(terms)
            self._centre = np.array([_finite_mean(column) for column in terms.values()])
        with np.errstate(all="ignore"):
            off = [column - centre for column, centre in zip(terms.values(), self._centre, strict=True)]
            if weight is not None:
                off = [np.where(weight > 0, column, 0.0) for column in off]
            weighted = off if weight is None else [column * weight for column in off]
            self._weights.append(float(len(off[0]) if weight is None else weight.sum()))
            self._firsts.append([float(column.sum()) for column in weighted])
            self._seconds.append([float((a * b).sum()) for i, a in enumerate(weighted) for b in off[: i + 1]])

    @property
    def total(self) -> Sums:
        size = len(self._terms)
        weight = fsum(self._weights)
        with np.errstate(all="ignore"):
            shift = _summed(self._firsts) / weight
            moments = np.zeros((size, size))
            moments[np.tril_indices(size)] = _summed(self._seconds)
            moments = moments + np.tril(moments, -1).T - weight * np.outer(shift, shift)
        return Sums(self._terms, np.array([weight]), (self._centre + shift)[None], moments[None])


def _finite_mean(column: Array) -> float:
    mean = float(column.mean())
    return mean if np.isfinite(mean) else 0.0


def _summed(parts: list[list[float]]) -> Array:
    columns = np.array(parts).T
    return np.array([fsum(column) if np.isfinite(column).all() else column.sum() for column in columns.tolist()])
