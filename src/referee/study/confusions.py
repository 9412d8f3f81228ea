"""The paper's section 4 for any case: which outcomes are taken for which, and how many different models are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.study.outcomes import Approach, CaseOutcomes, Test


@dataclass(frozen=True)
class Confusions:
    """Repetitions by what the goal says and what the evaluation metric selects.

    >>> of_the_paper = Confusions(np.array([[8, 5, 0], [21, 39, 5], [5, 8, 9]]))
    >>> of_the_paper.a_with_tie, of_the_paper.b_with_tie, of_the_paper.a_with_b, of_the_paper.found
    (26, 13, 5, 17)
    """

    crossed: Array
    """(goal, evaluation metric), each: a is better, a tie, b is better."""

    @property
    def a_with_tie(self) -> int:
        return int(self.crossed[0, 1] + self.crossed[1, 0])

    @property
    def b_with_tie(self) -> int:
        return int(self.crossed[2, 1] + self.crossed[1, 2])

    @property
    def a_with_b(self) -> int:
        return int(self.crossed[0, 2] + self.crossed[2, 0])

    @property
    def ratio(self) -> float:
        """Of correct selections."""
        return float(np.trace(self.crossed) / self.crossed.sum())

    @property
    def different(self) -> int:
        """Repetitions in which one model is better on the goal."""
        return int(self.crossed[[0, 2]].sum())

    @property
    def found(self) -> int:
        """Those of them in which the better one is selected."""
        return int(self.crossed[0, 0] + self.crossed[2, 2])

    @property
    def recall(self) -> float:
        """The share of them; nan where no model is ever better."""
        return self.found / self.different if self.different else np.nan

    def to_dict(self) -> dict[str, object]:
        names = ("a_with_tie", "b_with_tie", "a_with_b", "different", "found")
        recall = self.recall if self.different else None
        return {"crossed": self.crossed.tolist(), **{name: getattr(self, name) for name in names}, "recall": recall}


def confusions(case: CaseOutcomes, approach: Approach, goal: str, evaluation: str, test: Test = "t") -> Confusions:
    """Of one case, goal and evaluation metric.

    >>> from referee.study.outcomes import CaseOutcomes
    >>> confusions(CaseOutcomes.made_up(), "holdout", "accuracy", "log_loss").crossed.shape
    (3, 3)
    """
    return Confusions(case.crossed(approach, goal, evaluation, test))
