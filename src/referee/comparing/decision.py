"""The decision: a winner, a tie or neither; the best score, corrected for having been chosen."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import quantile_of
from referee.comparing.all_pairs import all_pairs, draws_for, normal_draws, random_numbers
from referee.comparing.doubts import doubts, worthless
from referee.document import named
from referee.errors import Notice
from referee.records import dataclass
from referee.scoring import exact_bounds, on_its_scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.all_pairs import AllPairs
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.margins import Margin
    from referee.comparing.verdict import Outcome


@dataclass(frozen=True)
class Decision:
    outcome: Outcome
    winners: tuple[str, ...]
    best: str
    warnings: tuple[Notice, ...] = ()
    undecided: str | None = None
    """Why nobody can be named."""
    rows_to_decide: int | None = None
    """About how many rows would do, where there are too few."""
    approximate: str | None = None
    """What makes the p values rough, though not worthless."""
    beaten: tuple[str, ...] = ()
    """Those of the tie that the best model beats one by one, without regard to how many were compared."""
    left_open: tuple[str, ...] = ()
    """Models that cannot be judged, and may be the best for all that is known: they leave the verdict undecided."""
    rest: Decision | None = None
    """What can be said of the other models, where there are at least two."""
    surely_worse: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Models that cannot be tested, but are worse than the best: how good they are at most, and that one at least."""
    pairs: AllPairs | None = field(default=None, repr=False)
    """Of three and more models that are compared one by one."""
    critical: float | None = None
    """The |z| that two of a tie would have to exceed for one of them to be left out."""

    def practically_equal(self, margin: Margin | None) -> bool:
        """Whether two models tie because their difference is shown to be smaller than the margin."""
        of_two = self.outcome == "tie" and len(self.winners) == 2
        return of_two and margin is not None and margin.relation == "practically equal"


def decide(contest: Contest, compared: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None) -> Decision:
    """Apply the rule to the comparisons; `dropped` are the models out of the tie set, where that was found already."""
    order = contest.order
    aside = set_aside(order, compared)
    rest = [name for name in order if name not in aside]
    if not aside:
        return _decided(contest, compared, dropped)
    if len(rest) < 2:
        return _not_judged(contest, _blocking(order, compared)[0])
    decision = _decided(contest.among(rest), compared, dropped)
    bounds = {name: _bounds(contest, name, rest[0]) for name in aside}
    surely_worse = {name: ends for name, ends in bounds.items() if ends is not None and ends[0] < ends[1]}
    left_open = tuple(name for name in aside if name not in surely_worse)
    if not left_open:
        return replace(decision, surely_worse=surely_worse)
    reason = next(pair for pair in _blocking(order, compared) if left_open[0] in (pair.a, pair.b))
    return replace(_not_judged(contest, reason), left_open=left_open, rest=decision)


def set_aside(order: Sequence[str], compared: Mapping[frozenset[str], Comparison]) -> list[str]:
    """The models that cannot be compared: those in most comparisons without an answer, until the best has all of its.

    What a model is set aside for, such as few calls, says nothing of its value, so that the others are no selection.
    Of many models only the best is compared with each: those that it has no answer with are set aside, and it stays.
    """
    if len(order) > 2 and frozenset(order[1:3]) not in compared:
        return [name for pair in _blocking(order, compared) for name in (pair.a, pair.b) if name != order[0]]
    aside: list[str] = []
    while len(rest := [name for name in order if name not in aside]) > 1:
        if all(rest[0] not in (pair.a, pair.b) for pair in _blocking(rest, compared)):
            break
        missing = Counter(name for pair in _blocking(rest, compared) for name in (pair.a, pair.b))
        aside.append(max(rest, key=lambda name: missing[name]))
    return sorted(aside, key=order.index)


def _blocking(names: Sequence[str], compared: Mapping[frozenset[str], Comparison]) -> list[Comparison]:
    """The comparisons without an answer, in the order of the models."""
    place = {name: number for number, name in enumerate(names)}
    silent = [pair for pair in compared.values() if pair.undefined or pair.undecided]
    among = [pair for pair in silent if pair.a in place and pair.b in place]
    return sorted(among, key=lambda pair: sorted((place[pair.a], place[pair.b])))


def _not_judged(contest: Contest, pair: Comparison) -> Decision:
    """Nobody is named, as a comparison has no answer."""
    doubt = None if pair.undefined else worthless(contest, pair)
    if doubt is None:
        return _undecided(contest.order[0], "W_UNDECIDED", pair.undefined or "")
    return _undecided(contest.order[0], doubt.code, doubt.reason, doubt.rows_needed)


def _bounds(contest: Contest, name: str, best: str) -> tuple[float, float] | None:
    """How good a model is at most and another one at least, by exact intervals that err in alpha / 2 of the cases."""
    if not contest.by_rows or not contest.metric.called_classes or contest.metric.better != "higher":
        return None
    ends = [
        exact_bounds(contest.contenders[model].summary, contest.metric, contest.design.alpha / 2)
        for model in (name, best)
    ]
    return None if ends[0] is None or ends[1] is None else (ends[0][1], ends[1][0])


def _decided(
    contest: Contest, compared: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None
) -> Decision:
    """The rule, where every comparison of the best model has an answer."""
    best, *others = contest.order
    needed = [compared[frozenset((best, other))] for other in others]
    doubted = [*doubts(contest, needed)]
    if others_win := [pair for pair in needed if pair.winner not in (None, best)]:
        return _undecided(best, "W_DISAGREE", _disagreement(best, others_win[0], contest))
    pairs = all_pairs(contest, compared) if dropped is None and len(others) > 1 else None
    rough = " and ".join(doubt.reason for doubt in doubted) or None
    warnings = (Notice("W_APPROXIMATE", f"p values are approximate: {rough}"),) if rough else ()
    if all(pair.winner == best for pair in needed):
        return Decision("winner", (best,), best, warnings, approximate=rough, pairs=pairs)
    level = {best} | {pair.against(best) for pair in needed if pair.winner != best}
    may_be, critical = _may_be_best(contest, compared, dropped, pairs)
    kept = level | set(may_be)
    last = max(place for place, name in enumerate(contest.order) if name in kept)
    tied = tuple(contest.order[: last + 1])  # no better value is left out where a worse one is kept
    beaten = tuple(pair.against(best) for pair in needed if pair.winner == best and pair.against(best) in tied)
    return Decision("tie", tied, best, warnings, approximate=rough, beaten=beaten, pairs=pairs, critical=critical)


def _may_be_best(
    contest: Contest,
    compared: Mapping[frozenset[str], Comparison],
    dropped: Sequence[str] | None,
    pairs: AllPairs | None,
) -> tuple[list[str], float | None]:
    """The models that could be the best one, and the critical |z| of all pairs of them, where there is one."""
    if dropped is not None:
        return [name for name in contest.values if name not in dropped], None
    if len(contest.values) == 2:
        return [], None
    return (_not_clearly_beaten(contest, compared), None) if pairs is None else pairs.confidence_set(contest.order)


def _undecided(best: str, code: str, reason: str, rows_needed: int | None = None) -> Decision:
    notices = (Notice(code, reason),)
    return Decision("undecided", (), best, notices, undecided=reason, rows_to_decide=rows_needed)


def unless_doubtful(decision: Decision, contest: Contest) -> Decision:
    """Name nobody by an estimate that flatters one of those named; a model that lost in spite of it has lost."""
    if decision.rest is not None:
        return replace(decision, rest=unless_doubtful(decision.rest, contest))
    flattered = [name for name in decision.winners if contest.is_doubtful(name)]
    if not flattered:
        return decision
    reason = (
        f"{named(flattered)} {'fits its' if len(flattered) == 1 else 'fit their'} training rows far better than new "
        f"ones, and the {contest.design.value_name} is too good for such a model; --scheme bootstrap_632_plus corrects "
        "for that"
    )
    return _undecided(decision.best, "W_OVERFITTED", reason)


def _not_clearly_beaten(contest: Contest, compared: Mapping[frozenset[str], Comparison]) -> list[str]:
    """Where not all pairs are known: whom the best model does not beat at a level that is shared by all pairs.

    A posterior probability stands for itself, however many models there are.
    """
    best, *others = contest.order
    pairs, alpha = len(contest.order) * len(others) // 2, contest.design.alpha
    each = {other: compared[frozenset((best, other))] for other in others}
    return [
        other for other, pair in each.items() if (pair.winner != best if pair.p is None else pair.p >= alpha / pairs)
    ]


def _disagreement(best: str, comparison: Comparison, contest: Contest) -> str:
    unit = contest.design.unit
    return (
        f"the mean over the {unit}s favours {best}, but {unit} by {unit}, {comparison.winner} is significantly "
        f"better: a few {unit}s outweigh the others"
    )


@dataclass(frozen=True)
class CorrectedScore:
    """A value without most of its optimism, with an interval that holds for all models at once.

    In simulations 1 to 19% of the optimism was left (docs/validity.md); the interval then still held the true value in
    all but a few cases.
    """

    model: str
    value: float
    low: float
    high: float
    optimism: float
    """In the metric's own units: below 0 for a metric of which less is better."""


def chosen_score(contest: Contest, best: str, df: float = inf) -> ChosenScore | None:
    """The best model's value among the others; None where the values have no finite spread."""
    design = contest.design
    given = Given(dict(contest.values), contest.covariance, contest.metric.range, design.better, df)
    return ChosenScore(given, best, design.alpha, design.seed) if given.has_spread(best) else None


@dataclass(frozen=True, eq=False)
class ChosenScore:
    """The value of a model that was chosen for it; corrected when somebody looks, as that takes many draws."""

    given: Given
    best: str
    alpha: float
    seed: int

    @cached_property
    def corrected(self) -> CorrectedScore | None:
        return corrected(self.given, self.best, self.alpha, self.seed)


@dataclass(frozen=True)
class Given:
    """The models' values with their covariance, and what is known of them."""

    values: dict[str, float]
    covariance: Array
    """In the order of the models' names."""
    ends: tuple[float, float]
    better: str = "higher"
    df: float = inf

    def has_spread(self, name: str) -> bool:
        variance = self.covariance[sorted(self.values).index(name), sorted(self.values).index(name)]
        return bool(np.isfinite(self.covariance).all() and variance > 0)


def corrected(given: Given, best: str, alpha: float, seed: int) -> CorrectedScore | None:
    """Take off what the best of several equal values would show by luck.

    >>> same = {f"m{i}": 0.8 for i in range(9)} | {"best": 0.86}
    >>> honest = corrected(Given(same, np.eye(10) * 0.0008, (0, 1)), "best", 0.05, 0)
    >>> 0.8 < honest.value < 0.84
    True
    """
    names = sorted(given.values)
    observed, winner = np.array([given.values[name] for name in names]), names.index(best)
    errors = np.sqrt(np.diag(given.covariance))
    if not given.has_spread(best):
        return None
    generator = random_numbers(seed)
    noise = np.ascontiguousarray(normal_draws(given.covariance, generator, draws_for(len(names))).T)
    sign = 1 if given.better == "higher" else -1
    chosen = (sign * (_shrunk(observed, given.covariance)[:, None] + noise)).argmax(axis=0) == winner
    luck = float(noise[winner, chosen].mean()) if chosen.any() else 0.0
    optimism = sign * max(sign * luck, 0.0)  # being chosen never makes a value look worse
    value = float(np.clip(observed[winner] - optimism, *given.ends))
    widest = np.abs(noise / np.where(errors > 0, errors, np.inf)[:, None]).max(axis=0)
    if given.df < inf:
        widest /= np.sqrt(generator.chisquare(given.df, len(widest)) / given.df)
    reach = quantile_of(widest, 1 - alpha) * errors[winner]
    low, high = (value, value) if value in given.ends else on_its_scale(value, reach, *given.ends)
    return CorrectedScore(best, value, low, high, optimism)


def _shrunk(observed: Array, covariance: Array) -> Array:
    """The values drawn to their mean by the part of their variance that is noise."""
    models = len(observed)
    variance = float(observed.var(ddof=1))
    noise = float((np.trace(covariance) - covariance.sum() / models) / (models - 1))
    keep = max(0.0, 1 - noise / variance) if variance > 0 else 0.0
    return np.asarray(observed.mean() + keep * (observed - observed.mean()))
