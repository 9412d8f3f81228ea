"""Two models compared on groups of rows, by the test that the groups allow."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import inf, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from referee.arrays import total
from referee.records import dataclass
from referee.scoring import Reach, averages_a_class, scarcest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contender import Contender
    from referee.comparing.design import Design
    from referee.scoring import Metric

ALL_SIGNS = 12
"""Up to so many groups all signs are tried."""
DRAWS = 9_999
AT_ONCE = 1_000
ONE_BY_ONE = 1_000
"""Of more groups, those that add most are flipped one by one, and the sum of the others is drawn as normal."""
ROUNDING = 1e-9
ENDS = 1e-7
"""How exactly the ends of an interval are found, in errors of the difference."""


@dataclass(frozen=True, eq=False)
class SignFlips:
    """The studentised sign-flip test of a difference to which each group adds its own part.

    For signs e, Y = sum e x is compared with the root of sum (e x - h Y)^2, where h is what a group should add if
    all were alike. The interval holds the differences that the same test of x - delta h does not reject.

    >>> flips = SignFlips.of(np.array([0.3, 0.2, 0.2, 0.1]), np.full(4, 0.25))
    >>> flips.p()
    0.125
    """

    added: Array
    """x: what each group adds; their sum is the difference."""
    shares: Array
    """h: what each group holds; their sum is 1."""
    flipped: Array
    """For all signs but those that were seen: the sums of e times x, h, h x and h^2: (4, flip)."""

    @classmethod
    def of(cls, added: Array, shares: Array, seed: int = 0, draws: int = DRAWS) -> SignFlips:
        added, shares = _in_order(added, shares)
        terms = np.stack([added, shares, shares * added, shares**2], axis=1)
        return cls(added, shares, np.concatenate([*_sums(terms, seed, draws)]).T)

    @cached_property
    def difference(self) -> float:
        return total(self.added)

    @cached_property
    def error(self) -> float:
        """The root of the sum of squares that the difference itself is compared with."""
        return sqrt(total((self.added - self.difference * self.shares) ** 2))

    @property
    def least_p(self) -> float:
        """What is the smallest p that these groups can show."""
        return 1 / (self.flipped.shape[1] + 1)

    def p(self, delta: float = 0.0) -> float:
        """Of the hypothesis that the true difference is delta; with the signs that were seen among all."""
        y, shares, products, squares = self.flipped
        moved = y - delta * shares
        inner = products - delta * squares
        size = total((self.added - delta * self.shares) ** 2)
        spread = np.maximum(size - moved * (2 * inner - moved * total(self.shares**2)), 0.0)
        seen = (self.difference - delta) ** 2 * (1 - ROUNDING)
        return (int(np.count_nonzero(moved**2 * self.error**2 >= seen * spread)) + 1) * self.least_p

    def interval(self, alpha: float) -> tuple[float, float]:
        """The differences that are not rejected; 0 is one of them exactly where p is at least alpha."""
        return self._end(-1, alpha), self._end(1, alpha)

    def _end(self, side: int, alpha: float) -> float:
        inside, step = self.difference, side * self.error
        outside = inside + step
        if side * inside < 0:
            inside, outside = (0.0, step) if self.p() >= alpha else (inside, 0.0)
        while self.p(outside) >= alpha:
            inside, step = outside, 2 * step
            outside = inside + step
            if not 0 < abs(step) <= 1e9 * self.error:  # nor where squares of the errors are nothing
                return side * inf
        while abs(outside - inside) > ENDS * self.error:
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self.p(middle) >= alpha else (inside, middle)
        return inside


def _in_order(added: Array, shares: Array) -> tuple[Array, Array]:
    """Groups in an order that depends on what they add only, and not on which of two models comes first."""
    forward = 1 if total(added) >= 0 else -1
    keys = [np.round(key / max(np.abs(key).max(), 1e-300), 9) for key in (shares, forward * added)]
    order = np.lexsort(keys)
    return added[order], shares[order]


def _sums(terms: Array, seed: int, draws: int) -> Iterator[Array]:
    """Over all groups with other signs than those that were seen: (flip, term)."""
    groups = len(terms)
    if groups <= ALL_SIGNS:
        # Turning all signs changes nothing, so that the last group keeps its own.
        turned = np.arange(1, 2 ** (groups - 1))[:, None] >> np.arange(groups) & 1
        yield (1.0 - 2.0 * turned) @ terms
        return
    random = np.random.Generator(np.random.Philox(key=seed % 2**64))
    largest = np.argsort(-np.abs(terms[:, 0]), kind="stable")
    alone, together = terms[np.sort(largest[:ONE_BY_ONE])], _root(terms[largest[ONE_BY_ONE:]])
    for first in range(0, draws, AT_ONCE):
        some = min(AT_ONCE, draws - first)
        signs = 1.0 - 2.0 * random.integers(0, 2, (some, len(alone)), np.int8)
        yield signs @ alone + random.standard_normal((some, terms.shape[1])) @ together


def _root(terms: Array) -> Array:
    """What turns independent normal numbers into sums of so many terms with random signs."""
    sizes, directions = np.linalg.eigh(terms.T @ terms)
    return np.asarray((directions * np.sqrt(np.clip(sizes, 0, None))).T)


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
        return cls(a, b, design, scarcest([groups for groups in (a.groups, b.groups) if groups])) if both else None

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

    def described(self, comparison: Comparison, test: Test, flips: SignFlips | None = None) -> Comparison:
        """With what the verdict has to say of the groups."""
        known: dict[str, Any] = {
            "groups": self.a.units,
            "counting": self.reach.groups,
            "rows": self.reach.rows,
            "worth_equal": self.reach.as_equal,
            "balanced": self.reach.balanced,
            "test": test,
            "clustered_standard_error": self._clustered_error(),
            "flips": None if flips is None or test == "t" else flips.flipped.shape[1],
            "too_few": self._too_few(flips),
            "approximate": self._approximate(),
        }
        return replace(comparison, details={**comparison.details, "groups": known})

    def _clustered_error(self) -> float:
        """Miller's (2024, arXiv 2411.00640): that of independent rows, and what the rows of a group share.

        The error that decides leaves out each group in turn, and is larger where groups are few.
        """
        rows, sums = max(self.a.weighted_rows.rows_seen - 1, 1), self.a.group_sums - self.b.group_sums
        return sqrt(max(0.0, self.a.squares_apart(self.b) / rows + total(sums**2)))

    @property
    def _unit(self) -> str:
        return "group" if self.a.predictions.group is not None else "id"

    @property
    def _counting(self) -> str:
        unequal, goal = "" if self.reach.balanced else " of unequal size", self.a.metric.shown_name
        return f"{self.reach.groups:,} {self._unit}s{unequal} hold {self.reach.rows} that count for {goal}"

    def _too_few(self, flips: SignFlips | None) -> str | None:
        if self.reach.groups < self.reach.fewest:
            what = f"with fewer than {self.reach.fewest} no test is reliable"
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


def both_agree(first: Comparison, other: Comparison, design: Design) -> Comparison:
    """Two tests of one difference as a single one, which rejects what both reject."""
    assert first.difference is not None and first.p is not None and other.p is not None
    ends = [end for comparison in (first, other) for end in (comparison.low, comparison.high) if end is not None]
    p = max(first.p, other.p)
    return replace(first, p=p, low=min(ends), high=max(ends), outcome=design.outcome(first.difference, p))


def is_mean(metric: Metric) -> bool:
    """Whether the difference of two values is a mean over rows: all of them, or those of one true class."""
    return metric.additive or (averages_a_class(metric) and metric.settings.get("average") is None)
