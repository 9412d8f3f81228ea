"""Adjusted p values: what each is worth when several comparisons are made at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array


def adjusted(p_values: Sequence[float | None], method: str = "holm") -> list[float | None]:
    """Adjust p values of one family; None stands for a comparison that is undefined, and does not count.

    `holm` and `hochberg` hold the probability of any false winner, `bonferroni` does so at a higher price, `bh`
    (Benjamini and Hochberg) holds the share of false winners among the winners, `none` leaves all as it is.

    >>> adjusted([0.01, None, 0.02, 0.04])
    [0.03, None, 0.04, 0.04]
    """
    if method not in METHODS:
        raise UsageError("E_ADJUSTMENT", f"there is no adjustment {method!r}; {did_you_mean(method, METHODS)}")
    defined = np.array([p for p in p_values if p is not None], float)
    rising = np.argsort(defined, kind="stable")
    result = np.empty_like(defined)
    result[rising] = np.minimum(METHODS[method](defined[rising]), 1.0)
    found = iter(result.tolist())
    return [None if p is None else next(found) for p in p_values]


def _holm(rising: Array) -> Array:
    return np.maximum.accumulate(_how_many_left(rising) * rising)


def _hochberg(rising: Array) -> Array:
    return _smallest_from_here(_how_many_left(rising) * rising)


def _benjamini_hochberg(rising: Array) -> Array:
    family = len(rising)
    return _smallest_from_here(family / np.arange(1, family + 1) * rising)


def _bonferroni(rising: Array) -> Array:
    return len(rising) * rising


def _none(rising: Array) -> Array:
    return rising


def _how_many_left(rising: Array) -> Array:
    return np.arange(len(rising), 0, -1)


def _smallest_from_here(values: Array) -> Array:
    return np.minimum.accumulate(values[::-1])[::-1]


METHODS: dict[str, Callable[[Array], Array]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "bh": _benjamini_hochberg,
    "bonferroni": _bonferroni,
    "none": _none,
}
