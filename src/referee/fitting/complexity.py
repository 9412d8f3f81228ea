"""Complexity: what a penalty must know of a fitted model, as the entry of its learner states it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.errors import UndefinedError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.arrays import Array

OURS = ("referee", "sklearn")
"""Packages whose classes are known by their names."""


@dataclass(frozen=True)
class Complexity:
    """Functions of a fitted model and of its training rows, as it sees them; what is None is not defined."""

    estimators: tuple[str, ...]
    """The classes that it is true of: those of scikit-learn that are models of the same kind belong to it."""
    parameters: Callable[[Any, Array], float] | None = None
    """How many free parameters its likelihood has; of weights that are kept small, their effective number."""
    dimension: Callable[[Any, Array], float] | None = None
    """The Vapnik-Chervonenkis dimension of the classifiers among which it was found."""
    code: Callable[[Any, Array], TreeCode] | None = None
    """What a message holds that says which tree it is."""

    def describes(self, model: Any) -> bool:
        kind = type(model)
        return kind.__name__ in self.estimators and kind.__module__.partition(".")[0] in OURS


@dataclass(frozen=True)
class TreeCode:
    """What Quinlan and Rivest (1989) send of a tree, so that the classes of rows with known attributes can be read.

    >>> stump = TreeCode(attributes=[4], cuts=[1], leaves=np.array([[3, 0], [2, 9]]))
    >>> round(stump.of_tree, 3), round(stump.of_exceptions, 3)
    (7.0, 10.174)
    """

    attributes: Sequence[float]
    """Among how many attributes each decision chose."""
    cuts: Sequence[float]
    """Among how many cut points it chose; 1 where every category has a branch."""
    leaves: Array
    """The training rows of each class (leaf, class)."""

    @property
    def of_tree(self) -> float:
        """Bits: one for each node, the attribute and cut point of each decision, the class of each leaf."""
        count, classes = self.leaves.shape
        nodes = len(self.attributes) + count
        chosen = np.log2(np.maximum(self.attributes, 1)).sum() + np.log2(np.maximum(self.cuts, 1)).sum()
        return float(nodes + chosen + count * np.log2(classes))

    @property
    def of_exceptions(self) -> float:
        """Bits: of each leaf how many rows are not of its class, which these are, and of which class each is."""
        classes = self.leaves.shape[1]
        rows = self.leaves.sum(axis=1)
        exceptions = rows - self.leaves.max(axis=1)
        # Quinlan and Rivest's (n + 1) / 2 for two classes: the leaf's own class is the most frequent one.
        most = np.floor((rows * (classes - 1) + 1) / classes)
        named = exceptions * np.log2(max(classes - 1, 1))
        return float((np.log2(most + 1) + _log2_ways(rows, exceptions) + named).sum())


def _log2_ways(rows: Array, exceptions: Array) -> Array:
    """The bits that say which of the rows are exceptions; rows may count in part where values are missing."""
    from scipy.special import gammaln

    return np.asarray((gammaln(rows + 1) - gammaln(exceptions + 1) - gammaln(rows - exceptions + 1)) / np.log(2))


def linear_dimension(_: Any, rows: Array) -> float:
    """Of all half-spaces: one more than the columns that are not sums of others."""
    return float(np.linalg.matrix_rank(rows - rows.mean(axis=0))) + 1


def not_defined(reason: str) -> UndefinedError:
    """Why a model has no such number, though others of its kind have."""
    return UndefinedError("E_PENALTY", reason)
