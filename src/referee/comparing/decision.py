"""The decision: a winner, a tie or neither."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing.doubts import doubts, worthless
from referee.comparing.tie_set import confidence_set, size_as_z
from referee.errors import Notice
from referee.records import dataclass
from referee.scoring import exact_bounds
from referee.wording import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
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
    """
    aside: list[str] = []
    while len(rest := [name for name in order if name not in aside]) > 1:
        if all(rest[0] not in (pair.a, pair.b) for pair in _blocking(rest, compared)):
            break
        missing = Counter(name for pair in _blocking(rest, compared) for name in (pair.a, pair.b))
        aside.append(max(rest, key=lambda name: missing[name]))
    return sorted(aside, key=order.index)


def _blocking(names: Sequence[str], compared: Mapping[frozenset[str], Comparison]) -> list[Comparison]:
    """The comparisons without an answer, in the order of the models."""
    pairs = [compared[pair] for pair in map(frozenset, combinations(names, 2)) if pair in compared]
    return [pair for pair in pairs if pair.undefined or pair.undecided]


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
        exact_bounds(contest.contenders[one].summary, contest.metric, contest.design.alpha / 2) for one in (name, best)
    ]
    return None if ends[0] is None or ends[1] is None else (ends[0][1], ends[1][0])


def _decided(
    contest: Contest, compared: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None
) -> Decision:
    """The rule, where every comparison of the best model has an answer."""
    best, *others = contest.order
    needed = [compared[frozenset((best, other))] for other in others]
    doubted = [*doubts(contest, needed)]
    if others_win := [one for one in needed if one.winner not in (None, best)]:
        return _undecided(best, "W_DISAGREE", _disagreement(best, others_win[0], contest))
    rough = " and ".join(one.reason for one in doubted) or None
    warnings = (Notice("W_APPROXIMATE", f"p values are approximate: {rough}"),) if rough else ()
    if all(one.winner == best for one in needed):
        return Decision("winner", (best,), best, warnings, approximate=rough)
    level = {best} | {one.against(best) for one in needed if one.winner != best}
    kept = level | set(tie_set(contest, compared) if dropped is None else set(contest.values) - set(dropped))
    last = max(place for place, name in enumerate(contest.order) if name in kept)
    tied = tuple(contest.order[: last + 1])  # no better value is left out where a worse one is kept
    beaten = tuple(one.against(best) for one in needed if one.winner == best and one.against(best) in tied)
    return Decision("tie", tied, best, warnings, approximate=rough, beaten=beaten)


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


def tie_set(contest: Contest, compared: Mapping[frozenset[str], Comparison]) -> list[str]:
    """The models that could be the best one."""
    names = sorted(contest.values)
    pairs = len(names) * (len(names) - 1) // 2
    compared = {pair: one for pair, one in compared.items() if pair <= set(names)}
    if len(names) == 2:
        return []
    if len(compared) < pairs or any(one.p is None for one in compared.values()) or not _known(contest.covariance):
        return _not_clearly_beaten(contest, compared, pairs)
    z = np.zeros((len(names), len(names)))
    for pair, comparison in compared.items():
        a, b = (names.index(name) for name in pair)
        z[a, b] = z[b, a] = size_as_z(comparison.p)
    order = contest.order

    def loses(a: int, b: int) -> int:
        return max(a, b, key=lambda place: order.index(names[place]))

    return confidence_set(names, z, loses, contest.covariance, contest.design.alpha, contest.design.seed)


def _known(covariance: Array) -> bool:
    return bool(np.isfinite(covariance).all())


def _not_clearly_beaten(contest: Contest, compared: Mapping[frozenset[str], Comparison], pairs: int) -> list[str]:
    """Where not all pairs are known: whom the best model beats at a level that is shared by all pairs (Bonferroni)."""
    best, *others = contest.order
    each = {other: compared[frozenset((best, other))].p for other in others}
    return [other for other, p in each.items() if p is None or p >= contest.design.alpha / pairs]


def _disagreement(best: str, comparison: Comparison, contest: Contest) -> str:
    unit = contest.design.unit
    return (
        f"the mean over the {unit}s speaks for {best}, but {unit} by {unit} {comparison.winner} is significantly "
        f"better: a few {unit}s outweigh the others"
    )
