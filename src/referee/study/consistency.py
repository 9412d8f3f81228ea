"""How far two metrics agree on who is better, and which of them tells more models apart."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.study.outcomes import Approach, CaseOutcomes, Role, Test


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

    >>> from referee.study.outcomes import CaseOutcomes
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

    >>> from referee.study.outcomes import CaseOutcomes
    >>> agreement_on_repetitions([CaseOutcomes.made_up()], "accuracy", "accuracy").contradict
    0
    """
    every = [(case.outcomes(approach, role, test), case.column(f), case.column(g)) for case in cases]
    return sum((agreement(found[:, i], found[:, j]) for found, i, j in every), Agreement(0, 0, 0, 0))
