"""Method: a way to map scores to probabilities; Map: what fitting it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from referee.calibration.score_decomposition import CLIP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Array


class Map(Protocol):
    """A fitted method: columns of scores become columns of probabilities."""

    def __call__(self, columns: list[Array]) -> list[Array]:
        """The probability of an event from its score; of all classes, where the method takes them at once."""
        ...

    @property
    def strictly_increasing(self) -> bool:
        """Whether a higher score always gives a higher probability: then the ranking is kept."""
        ...

    @property
    def constant(self) -> bool:
        """Whether every score gives the same probability."""
        ...

    def numbers(self) -> Mapping[str, float | list[float]]:
        """Its parameters."""
        ...


@dataclass(frozen=True)
class Method:
    """What a method is called, what it assumes and how it is fitted.

    `fit(columns, truth, weight)` is given one column of scores and whether each row came true, or if `joint` the
    probabilities of all classes and the code of the true one.
    """

    name: str
    title: str
    assumes: str
    needs: Literal["scores", "probabilities"]
    keeps_ranking: str
    """What it does to the ranking, in words."""
    fit: Callable[[list[Array], Array, Array], Map]
    restore: Callable[..., Map]
    """The map with the parameters given; raises ValueError where these are none of its kind."""
    reference: str
    joint: bool = False


def smoothed_outcomes(truth: Array, weight: Array) -> tuple[Array, Array]:
    """Platt (1999): what counts as come true and as failed, so that no finite sample makes a map certain."""
    positives, negatives = float(weight[truth].sum()), float(weight[~truth].sum())
    share = np.where(truth, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    return weight * share, weight * (1 - share)


def finite(name: str, value: object) -> float:
    """A parameter that was read from a file."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        raise ValueError(f"{name!r} is {value!r}, and must be a finite number")
    return float(value)


BEND = float(np.log(CLIP))
"""Below what log_loss believes a logarithm goes on falling, but as the logarithm of itself."""
OF_ZERO = float(np.log(np.nextafter(0, 1)) - np.log(2))
"""Half of the smallest number above 0."""
OF_ONE = float(np.log(1 - np.nextafter(1, 0)) - np.log(2))
"""Of what is left to 1: half of what the largest number below 1 leaves."""


def logs_of(probability: Array) -> tuple[Array, Array]:
    """The logarithms of probabilities and of their complements; 0 and 1 lie beyond all others.

    >>> low, _ = logs_of(np.array([0.0, 1e-300, 1e-200, 0.5]))
    >>> low.round(1).tolist()
    [-42.6, -42.5, -42.1, -0.7]
    """
    probability = np.asarray(probability, float)
    with np.errstate(divide="ignore"):
        low = np.where(probability > 0, np.log(probability), OF_ZERO)
        high = np.where(probability < 1, np.log1p(-probability), OF_ONE)
    return _bent(low), _bent(high)


def log_odds(probability: Array) -> Array:
    low, high = logs_of(probability)
    return low - high


def _bent(logarithm: Array) -> Array:
    beyond = np.maximum(BEND - logarithm, 0)
    return np.maximum(logarithm, BEND) - np.log1p(beyond)
