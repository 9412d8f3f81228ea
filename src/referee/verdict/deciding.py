"""The rule: the best model wins if it is significantly better than every other one; otherwise it is a tie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import Notice
from referee.verdict.confidence_set import confidence_set, size_as_z
from referee.verdict.doubts import doubts
from referee.wording import named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparison import Comparison
    from referee.verdict.contest import Contest
    from referee.verdict.margins import Margin
    from referee.verdict.verdict import Outcome


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

    def practically_equal(self, margin: Margin | None) -> bool:
        """Whether two models tie because their difference is shown to be smaller than the margin."""
        of_two = self.outcome == "tie" and len(self.winners) == 2
        return of_two and margin is not None and margin.relation == "practically equal"


def decide(contest: Contest, found: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None) -> Decision:
    """Apply the rule to the comparisons; `dropped` are the models out of the tie set, where that was found already."""
    best, *others = contest.order
    needed = [found[frozenset((best, other))] for other in others]
    if missing := next((one.undefined for one in needed if one.undefined), None):
        return _undecided(best, "W_UNDECIDED", missing)
    doubted = [*doubts(contest, needed)]
    if worthless := next((one for one in doubted if one.worthless), None):
        return _undecided(best, worthless.code, worthless.reason, worthless.rows_needed)
    if others_win := [one for one in needed if one.winner not in (None, best)]:
        return _undecided(best, "W_DISAGREE", _disagreement(best, others_win[0], contest))
    rough = " and ".join(one.reason for one in doubted) or None
    warnings = (Notice("W_APPROXIMATE", f"p values are approximate: {rough}"),) if rough else ()
    if all(one.winner == best for one in needed):
        return Decision("winner", (best,), best, warnings, approximate=rough)
    level = {best} | {one.against(best) for one in needed if one.winner != best}
    kept = level | set(tie_set(contest, found) if dropped is None else set(contest.values) - set(dropped))
    last = max(place for place, name in enumerate(contest.order) if name in kept)
    tied = tuple(contest.order[: last + 1])  # no better value is left out where a worse one is kept
    beaten = tuple(one.against(best) for one in needed if one.winner == best and one.against(best) in tied)
    return Decision("tie", tied, best, warnings, approximate=rough, beaten=beaten)


def _undecided(best: str, code: str, reason: str, rows_needed: int | None = None) -> Decision:
    notices = (Notice(code, reason),)
    return Decision("undecided", (), best, notices, undecided=reason, rows_to_decide=rows_needed)


def unless_doubtful(decision: Decision, contest: Contest) -> Decision:
    """Name nobody by an estimate that flatters one of those named; a model that lost in spite of it has lost."""
    flattered = [name for name in decision.winners if contest.is_doubtful(name)]
    if not flattered:
        return decision
    reason = (
        f"{named(flattered)} {'fits its' if len(flattered) == 1 else 'fit their'} training rows far better than new "
        f"ones, and the {contest.design.value_name} is too good for such a model; --scheme bootstrap_632_plus corrects "
        "for that"
    )
    return _undecided(decision.best, "W_OVERFITTED", reason)


def tie_set(contest: Contest, found: Mapping[frozenset[str], Comparison]) -> list[str]:
    """The models that could be the best one."""
    names = sorted(contest.values)
    pairs = len(names) * (len(names) - 1) // 2
    if len(names) == 2:
        return []
    if len(found) < pairs or any(one.p is None for one in found.values()) or not _known(contest.covariance):
        return _not_clearly_beaten(contest, found, pairs)
    z = np.zeros((len(names), len(names)))
    for pair, one in found.items():
        a, b = (names.index(name) for name in pair)
        z[a, b] = z[b, a] = size_as_z(one.p)
    order = contest.order

    def loses(a: int, b: int) -> int:
        return max(a, b, key=lambda place: order.index(names[place]))

    return confidence_set(names, z, loses, contest.covariance, contest.design.alpha, contest.design.seed)


def _known(covariance: Array) -> bool:
    return bool(np.isfinite(covariance).all())


def _not_clearly_beaten(contest: Contest, found: Mapping[frozenset[str], Comparison], pairs: int) -> list[str]:
    """Where not all pairs are known: whom the best model beats at a level that is shared by all pairs (Bonferroni)."""
    best, *others = contest.order
    each = {other: found[frozenset((best, other))].p for other in others}
    return [other for other, p in each.items() if p is None or p >= contest.design.alpha / pairs]


def _disagreement(best: str, found: Comparison, contest: Contest) -> str:
    unit = contest.design.unit
    return (
        f"the mean over the {unit}s speaks for {best}, but {unit} by {unit} {found.winner} is significantly better: "
        f"a few {unit}s outweigh the others"
    )
