"""RankedLists: the items of every query in the order of a model's scores, as metrics of rankings see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Lists


@dataclass(frozen=True, eq=False)
class RankedLists:
    """What each item is worth, highest score first in each list; items of equal score are tied.

    What hangs on the places of tied items is averaged over their orders (McSherry and Najork, 2008), so that nothing
    depends on how they happen to stand in a file.
    """

    relevance: Lists
    """Of the items, highest score first."""
    ideal: Lists
    """The same, most relevant first."""
    tie: Array
    """The number of each item's tie, counted over all lists."""

    @classmethod
    def of(cls, relevance: Lists, scores: Lists) -> RankedLists:
        """Rank the items of each list.

        >>> from referee.predictions import Lists
        >>> ranked = RankedLists.of(Lists.of([[0, 2, 1]]), Lists.of([[0.5, 0.1, 0.5]]))
        >>> ranked.relevance.values, ranked.tie, ranked.place
        (array([0., 1., 2.]), array([0, 0, 1]), array([1, 2, 3]))
        """
        order = np.lexsort((-scores.values, scores.row))
        falling, row = scores.values[order], scores.row
        begins = np.concatenate([[True], (falling[1:] != falling[:-1]) | (row[1:] != row[:-1])])
        best = np.lexsort((-relevance.values, row))
        return cls(
            relevance.with_values(relevance.values[order]),
            relevance.with_values(relevance.values[best]),
            np.cumsum(begins) - 1,
        )

    @cached_property
    def place(self) -> Array:
        """1 for the first item of each list."""
        return np.arange(len(self.tie)) - self.relevance.starts[:-1][self.relevance.row] + 1

    @cached_property
    def tied(self) -> Array:
        """How many items share an item's score, itself included."""
        return np.bincount(self.tie)[self.tie]

    @cached_property
    def ahead(self) -> Array:
        """Items of the same list with a higher score."""
        first = np.searchsorted(self.tie, self.tie)
        return self.place[first] - 1

    @cached_property
    def hits(self) -> Array:
        """Relevant items among those that are tied."""
        return np.bincount(self.tie, self._is_hit)[self.tie]

    @cached_property
    def hits_ahead(self) -> Array:
        """Relevant items of the same list with a higher score."""
        down_to = np.concatenate([[0.0], np.cumsum(self._is_hit)])
        first = np.searchsorted(self.tie, self.tie)
        return down_to[first] - down_to[self.relevance.starts[:-1][self.relevance.row]]

    @property
    def _is_hit(self) -> Array:
        return (self.relevance.values > 0).astype(float)

    @property
    def hits_of_list(self) -> Array:
        return self.relevance.totals(self._is_hit)

    def over_ties(self, values: Array) -> Array:
        """The mean over tied items of what their places are worth."""
        return np.bincount(self.tie, values)[self.tie] / self.tied

    def within(self, k: int | None) -> Array:
        """Whether a place is one of the first k."""
        return self.place <= (np.inf if k is None else k)
