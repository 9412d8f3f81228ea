"""Distinct scores of a database table with the rows of each class at each: what all its rankings are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.columns.database_columns import fetch
from referee.ranking import Ranking, joined_steps

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True)
class ClassSteps:
    """Distinct scores of each unit, highest first, and how many rows of each class have them."""

    unit: Array
    scores: Array
    sizes: dict[int, Array]
    units: int

    def against_rest(self, positive: int) -> Ranking:
        others = [sizes for code, sizes in self.sizes.items() if code != positive]
        negatives = sum(others[1:], others[0]) if others else np.zeros_like(self.sizes[positive])
        return Ranking(self.scores, self.sizes[positive], negatives, self._starts(self.unit))

    def against(self, positive: int, negative: int) -> Ranking:
        """Only the rows of two classes."""
        positives, negatives = self.sizes[positive], self.sizes[negative]
        kept = (positives > 0) | (negatives > 0)
        return Ranking(self.scores[kept], positives[kept], negatives[kept], self._starts(self.unit[kept]))

    def turned(self, from_value: float) -> ClassSteps:
        """The scores subtracted from a value, which may round near ones to the same."""
        scores = from_value - self.scores
        order = np.lexsort((-scores, self.unit))
        of_class = {
            code: joined_steps(scores, sizes, sizes, order, self.unit, self.units) for code, sizes in self.sizes.items()
        }
        any_class = next(iter(of_class.values()))
        unit = np.repeat(np.arange(self.units), np.diff(any_class.starts))
        return ClassSteps(unit, any_class.scores, {code: one.positives for code, one in of_class.items()}, self.units)

    def _starts(self, unit: Array) -> Array:
        return np.searchsorted(unit, np.arange(self.units + 1))


def ranked(rows: Any, sizes: dict[int, Any], units: int) -> ClassSteps:
    """Group rows with a unit and a score by both; `sizes` are the classes' aggregates."""
    import ibis

    steps = rows.group_by("unit", "score").aggregate(**{f"class{code}": size for code, size in sizes.items()})
    found = fetch(steps.order_by("unit", ibis.desc("score")))
    of_class = {code: found[f"class{code}"] for code in sizes}
    return ClassSteps(found["unit"].astype(np.int64), found["score"], of_class, units)
