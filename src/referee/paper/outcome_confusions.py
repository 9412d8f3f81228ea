"""The paper's section 4 for any case: which outcomes are taken for which, and how many different models are found."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.paper.outcomes import Approach, CaseOutcomes, Role, Test


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

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> confusions(CaseOutcomes.made_up(), "holdout", "accuracy", "log_loss").crossed.shape
    (3, 3)
    """
    return Confusions(case.crossed(approach, goal, evaluation, test))


@dataclass(frozen=True)
class Agreement:
    """Pairs of models by what two metrics f and g say of them (Huang and Ling 2005, IEEE TKDE 17, 299-310).

    >>> six_examples = Agreement(agree=113, contradict=1, only_f=62, only_g=4, neither=10)
    >>> round(six_examples.consistency, 3), six_examples.discriminancy
    (0.991, 15.5)
    """

    agree: int
    """R: the same model is better by both."""
    contradict: int
    """S: one model is better by f, the other by g."""
    only_f: int
    """P: f tells them apart, g does not."""
    only_g: int
    """Q: g tells them apart, f does not."""
    neither: int = 0

    @property
    def consistency(self) -> float:
        """R / (R + S): how often they agree where both tell the models apart; above 1/2 they are consistent."""
        both = self.agree + self.contradict
        return self.agree / both if both else nan

    @property
    def discriminancy(self) -> float:
        """P / Q: above 1 f is the more discriminating; infinite where g tells nothing apart that f does not."""
        return self.only_f / self.only_g if self.only_g else (inf if self.only_f else nan)

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def to_dict(self) -> dict[str, float | None]:
        degrees = {"consistency": self.consistency, "discriminancy": self.discriminancy}
        return vars(self) | {name: degree if np.isfinite(degree) else None for name, degree in degrees.items()}


def agreement(f: Array, g: Array) -> Agreement:
    """Count pairs by who is better in each (1, -1, or 0 for neither), by one metric and by the other.

    >>> agreement(np.array([1, 1, -1, 0, 0]), np.array([1, -1, 0, 1, 0]))
    Agreement(agree=1, contradict=1, only_f=1, only_g=1, neither=1)
    """
    f, g = np.sign(f), np.sign(g)
    product = f * g
    return Agreement(
        int((product > 0).sum()),
        int((product < 0).sum()),
        int(((f != 0) & (g == 0)).sum()),
        int(((f == 0) & (g != 0)).sum()),
        int(((f == 0) & (g == 0)).sum()),
    )


def agreement_on_subsets(
    cases: Sequence[CaseOutcomes], f: str, g: str, approach: Approach = "holdout", role: Role = "evaluation"
) -> Agreement:
    """Of all subsets of all repetitions of all cases: each is a pair of models, as Huang and Ling compare them.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> found = agreement_on_subsets([CaseOutcomes.made_up()], "accuracy", "log_loss")
    >>> found.agree + found.contradict + found.only_f + found.only_g + found.neither
    200
    """
    every = [(case.signs(approach, role), case.column(f), case.column(g)) for case in cases]
    return sum((agreement(signs[..., i], signs[..., j]) for signs, i, j in every), Agreement(0, 0, 0, 0))


def agreement_on_repetitions(
    cases: Sequence[CaseOutcomes],
    f: str,
    g: str,
    approach: Approach = "holdout",
    role: Role = "evaluation",
    test: Test = "t",
) -> Agreement:
    """Of all repetitions of all cases, where a model is better only if the test says so: 'too sensitive' shows here.

    >>> from referee.paper.outcomes import CaseOutcomes
    >>> agreement_on_repetitions([CaseOutcomes.made_up()], "accuracy", "accuracy").contradict
    0
    """
    every = [(case.outcomes(approach, role, test), case.column(f), case.column(g)) for case in cases]
    return sum((agreement(found[:, i], found[:, j]) for found, i, j in every), Agreement(0, 0, 0, 0))
