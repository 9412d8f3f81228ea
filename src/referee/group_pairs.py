"""Two models on rows that come in groups: which test the groups allow, and what has to be said of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from referee.additivity import averages_a_class
from referee.influence.groups import Reach, scarcest
from referee.sign_flips import SignFlips

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparison import Comparison
    from referee.contender import Contender
    from referee.design import Design
    from referee.metric import Metric

Test = Literal["t", "flips", "both", "signs"]

FEW, FEW_AS_EQUAL = 10, 6
"""Groups, or what they are worth in equal ones, below which p is approximate."""


@dataclass(frozen=True, eq=False)
class GroupPair:
    """What two models' values share in groups."""

    a: Contender
    b: Contender
    design: Design
    reach: Reach

    @classmethod
    def of(cls, a: Contender, b: Contender, design: Design) -> GroupPair | None:
        """None where rows do not come in groups."""
        both = a.groups is not None and b.groups is not None
        return cls(a, b, design, scarcest([one for one in (a.groups, b.groups) if one])) if both else None

    @property
    def test(self) -> Test:
        """Student's t with delete-a-group errors for groups of about one size; else signs are flipped, too.

        Flips alone are enough for a mean over the same rows of both models.
        """
        if self.reach.balanced or self.reach.groups < self.reach.fewest:
            return "t"
        return "flips" if is_mean(self.a.metric) else "both"

    def decided(self, by_t: Comparison) -> Comparison:
        """Let the flips decide, or both tests, where groups are unequal; p and interval are of the same test."""
        test = self.test
        flips = None if test == "t" else self.flips()
        if flips is None or flips.least_p >= self.design.alpha:
            return self.described(by_t, "t", flips)
        p, (low, high) = flips.p(), flips.interval(self.design.alpha)
        outcome = self.design.outcome(flips.difference, p)
        by_flips = replace(by_t, p=p, low=low, high=high, critical=None, outcome=outcome)
        return self.described(by_flips if test == "flips" else both_agree(by_flips, by_t, self.design), test, flips)

    def flips(self) -> SignFlips:
        difference, sums = self.a.value - self.b.value, self.a.group_sums - self.b.group_sums
        return flips_of(difference, sums, self.a, self.b, self.design.seed)

    def described(self, found: Comparison, test: Test, flips: SignFlips | None = None) -> Comparison:
        """With what the verdict has to say of the groups."""
        known: dict[str, Any] = {
            "groups": self.a.units,
            "counting": self.reach.groups,
            "rows": self.reach.rows,
            "worth_equal": self.reach.as_equal,
            "balanced": self.reach.balanced,
            "test": test,
            "flips": None if flips is None or test == "t" else flips.flipped.shape[1],
            "too_few": self._too_few(flips),
            "approximate": self._approximate(),
        }
        return replace(found, details={**found.details, "groups": known})

    @property
    def _unit(self) -> str:
        return "group" if self.a.predictions.group is not None else "id"

    @property
    def _counting(self) -> str:
        unequal = "" if self.reach.balanced else " of unequal size"
        return (
            f"{self.reach.groups:,} {self._unit}s{unequal} hold {self.reach.rows} that count for {self.a.metric.name}"
        )

    def _too_few(self, flips: SignFlips | None) -> str | None:
        if self.reach.groups < self.reach.fewest:
            what = f"with fewer than {self.reach.fewest} no test can be trusted"
        elif flips is not None and flips.least_p >= self.design.alpha:
            what = f"the smallest p that they can show is {flips.least_p:.3g}, and alpha is {self.design.alpha:g}"
        else:
            return None
        return f"only {self._counting}: {what}; collect more {self._unit}s"

    def _approximate(self) -> str | None:
        if self.reach.groups < FEW:
            return f"only {self._counting}"
        if self.reach.as_equal < FEW_AS_EQUAL:
            return f"the {self._counting}, and are worth only {self.reach.as_equal:.1f} equal ones"
        return None


def flips_of(difference: float, sums: Array, a: Contender, b: Contender, seed: int) -> SignFlips:
    """The sign flips of a difference to which groups add such sums of influences, beside what their size explains."""
    assert a.groups is not None and b.groups is not None
    share = (a.groups.share + b.groups.share) / 2
    counting = share > 0
    return SignFlips.of((sums + difference * share)[counting], share[counting], seed)


def both_agree(one: Comparison, other: Comparison, design: Design) -> Comparison:
    """Two tests of one difference as a single one, which rejects what both reject."""
    assert one.difference is not None and one.p is not None and other.p is not None
    ends = [end for found in (one, other) for end in (found.low, found.high) if end is not None]
    p = max(one.p, other.p)
    return replace(one, p=p, low=min(ends), high=max(ends), outcome=design.outcome(one.difference, p))


def is_mean(metric: Metric) -> bool:
    """Whether the difference of two values is a mean over rows: all of them, or those of one true class."""
    return metric.additive or (averages_a_class(metric) and metric.settings.get("average") is None)
