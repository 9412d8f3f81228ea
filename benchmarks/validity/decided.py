"""The decision of `referee.compare` alone, without all that it says besides.

The first data sets of every cell went through `referee.compare` itself; `python -m benchmarks.validity agreement` draws
some of each again, and writes down how far the two ways are apart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from referee.comparing import contest_of, default_test, predictions_and_goal
from referee.comparing.case import Case
from referee.comparing.design_choice import asked_test
from referee.comparing.question import refuse_pooled_ranks, slices_of
from referee.scoring import chosen_metrics, goal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from referee.arrays import Array
    from referee.comparing import Comparison, Contest, Design, SignificanceTest
    from referee.comparing.decision import CorrectedScore

    Drawn = tuple[Array, dict[str, Array], dict[str, Any]]
    """The truth, the models, and what else `compare` is told."""
    Judge = Callable[..., Any]
    """`referee.compare`, or something that decides alike and is asked alike."""

ALPHA = 0.05


@dataclass(frozen=True)
class Decided:
    """A verdict of which only the decision is made; its parts are called as those of a `Verdict`."""

    case: Case

    @property
    def outcome(self) -> str:
        return self.case.decision.outcome

    @property
    def winners(self) -> tuple[str, ...]:
        return self.case.decision.winners

    @property
    def best(self) -> str:
        return self.case.decision.best

    @property
    def approximate(self) -> bool:
        return self.case.decision.approximate is not None

    @property
    def comparisons(self) -> list[Comparison]:
        return self.case.shown

    @property
    def values(self) -> Mapping[str, float]:
        return self.case.contest.values

    @property
    def corrected(self) -> CorrectedScore | None:
        return None if self.case.chosen is None else self.case.chosen.corrected

    @property
    def test(self) -> SignificanceTest:
        return self.case.test

    @property
    def design(self) -> Design:
        return self.case.contest.design


def decided(
    *given: Any, goal: str, test: str = "auto", alpha: float = ALPHA, seed: int = 0, unit: str | None = None,
    subsets: int | None = None, partitions: int = 25, train_size: float | None = None, time: Any = None, **columns: Any,
) -> Decided:  # fmt: skip
    """What `referee.compare` decides of the same arguments."""
    predictions, _ = predictions_and_goal(
        "compare", given, cast("Any", columns), goal=goal, metrics="goal", by=(), train_size=train_size, time=time,
        test=test, unit=unit, subsets=subsets,
    )  # fmt: skip
    (metric,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
    asked = asked_test(test, metric)
    contest = contest_of(
        predictions, metric, asked, by=slices_of(predictions, ()), alpha=alpha, seed=seed, unit=unit, subsets=subsets,
        partitions=partitions, train_size=train_size,
    )  # fmt: skip
    refuse_pooled_ranks(contest)
    return of_contest(contest, asked)


def of_contest(contest: Contest, test: SignificanceTest | None = None) -> Decided:
    chosen = default_test(contest.design) if test is None else test
    if chosen.random and contest.by_rows:
        contest = replace(contest, predictions=contest.predictions.in_canonical_order())
    return Decided(Case(contest, chosen, cast("Any", None), "holm", None, None))
