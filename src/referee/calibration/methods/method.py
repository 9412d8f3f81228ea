"""Method: a way to map scores to probabilities; Map: what fitting it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

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
