"""The decision: a winner, a tie or neither, and what keeps a verdict from naming a winner."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, isfinite
from typing import TYPE_CHECKING

import numpy as np

from referee.comparing.tie_set import confidence_set, size_as_z
from referee.errors import Notice
from referee.scoring import exact_bounds, has_kind, metrics
from referee.wording import counted, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.margins import Margin
    from referee.comparing.verdict import Outcome
    from referee.predictions import Model
    from referee.scoring import Metric

TOO_FEW, FEW = 10, 20
"""Rows of the rarer class, and rows that a model calls: below, no winner is named, or only approximately."""
FEWEST_HITS = 5
FEW_DEGREES = 10
HEAVY, HEAVIER = 0.1, 1.25
"""The winner's largest 1 % of rows carry this much of its squared error, and so much more than the loser's: normal
errors have 0.085. The winner may owe its lead to large errors that these rows lack."""


@dataclass(frozen=True)
class Doubt:
    """A reason why p cannot be trusted (worthless), or only roughly."""

    reason: str
    worthless: bool = False
    code: str = "W_APPROXIMATE"
    rows_needed: int | None = None
    """About how many rows like these would have enough, where there are too few."""


def judged(contest: Contest, pair: Comparison) -> Comparison:
    """Undecided where p is worthless, whatever it is."""
    doubt = None if pair.undefined else _worthless(contest, pair)
    if doubt is None:
        return pair
    notice = Notice(doubt.code, doubt.reason)
    return replace(pair, outcome="undecided", undecided=doubt.reason, warnings=(*pair.warnings, notice))


def _worthless(contest: Contest, pair: Comparison) -> Doubt | None:
    return next((doubt for doubt in doubts(contest, [pair]) if doubt.worthless), None)


def doubts(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """All that speaks against the comparisons that a verdict needs; models that do not differ need no p."""
    yield from _rows_of_a_class(contest)
    yield from _calls(contest, needed)
    yield from _medians(contest, needed)
    needed = [one for one in needed if one.standard_error != 0]
    yield from _groups(needed)
    yield from _degrees_of_freedom(contest, needed)
    yield from _tail(contest, needed)


def _rows_of_a_class(contest: Contest) -> Iterator[Doubt]:
    """Where the value hangs on the rows of the rarer class, however many others there are."""
    predictions, metric = contest.predictions, contest.metric
    in_memory = predictions.has_rows and contest.design.kind != "data_sets"
    if not in_memory or not predictions.classes or metric.additive:
        return
    rarer = next(iter(contest.contenders.values())).rarer_class
    if rarer is None or rarer[1] >= FEW:
        return
    label, rows = rarer
    verb = "is" if rows == 1 else "are"
    if rows < TOO_FEW:
        no_test = f"with fewer than {TOO_FEW} no test of {contest.goal} can be trusted"
        said = f"there {verb} {counted(rows, 'row')} of class {label!r}, and {no_test}"
        yield Doubt(said, True, "W_FEWROWS", _times(contest.rows, TOO_FEW, rows))
    else:
        yield Doubt(f"there {verb} only {counted(rows, 'row')} of class {label!r}")


def _calls(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """Few calls or few hits: the numerator of precision and its kin is then the rare event."""
    called = {
        (model, label): (calls, hits)
        for one in needed
        if "calls" in one.details and not _decide_alike(contest, one)
        for model, classes in one.details["calls"].items()
        for label, (calls, hits) in classes.items()
    }
    for (model, label), (calls, hits) in called.items():
        if calls >= FEW and hits >= FEWEST_HITS:
            continue
        said = f"{model} predicts {label!r} for only {counted(calls, 'row')} ({hits} correct)"
        if calls >= TOO_FEW and hits >= FEWEST_HITS:
            yield Doubt(said)
        elif len(contest.predictions.classes) > 2 and not contest.metric.needs_calls:
            yield Doubt(said)  # one class of several is diluted by the others
        else:
            goal = contest.goal
            limit = f"with fewer than {TOO_FEW} calls or {FEWEST_HITS} hits no test of {goal} can be"
            rows = [_times(contest.rows, *each) for each in ((TOO_FEW, calls), (FEWEST_HITS, hits))]
            needed_rows = None if None in rows else max(one for one in rows if one is not None)
            said += f": {limit} trusted; {_could_decide(contest, label)}"
            yield Doubt(said, True, "W_FEWCALLS", needed_rows)


def _medians(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """A median is as sure as rows are dense about it, which is estimated; where many are equal it jumps."""
    if contest.metric.name == "median" and contest.predictions.scored is not None:
        yield Doubt("how sure a median is hangs on the density of the scores about it, which is estimated")
        each = (contest.contenders[name] for name in sorted({name for one in needed for name in (one.a, one.b)}))
        yield from (Doubt(one.tied_median, True, "W_TIEDMEDIAN") for one in each if one.tied_median)


def _decide_alike(contest: Contest, pair: Comparison) -> bool:
    """Whether two models decide every row alike: then they do not differ, however few rows they call."""
    a, b = (contest.contenders[name].summary.rows.labels for name in (pair.a, pair.b))
    return pair.standard_error == 0 and np.array_equal(a, b)


def _times(rows: int, wanted: int, there: int) -> int | None:
    """So many rows have what is wanted, if these have what there is."""
    return ceil(rows * wanted / there) if there else None


def _could_decide(contest: Contest, label: str) -> str:
    """A metric that these rows can be tested on all the same."""
    predictions = contest.predictions
    ranked = all(has_kind(metrics["brier"], model) and _is_graded(model) for model in predictions.models)
    positive = predictions.positive is not None and predictions.classes[predictions.positive] == label
    share = "recall" if positive else "specificity" if len(predictions.classes) == 2 else "accuracy"
    return f"{'average_precision' if ranked and positive else 'roc_auc' if ranked else share} could still decide"


def _is_graded(model: Model) -> bool:
    """Whether its scores are more than decisions."""
    return model.scores is None or not np.isin(model.scores, (0, 1)).all()


def _groups(needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """What the tests of groups have to say: too few of them, or few."""
    in_groups = [one.details["groups"] for one in needed if "groups" in one.details]
    for concern, worthless, code in (("too_few", True, "W_FEWGROUPS"), ("approximate", False, "W_APPROXIMATE")):
        if reason := next((groups[concern] for groups in in_groups if groups[concern]), None):
            yield Doubt(reason, worthless, code)


def _degrees_of_freedom(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    alone = [one for one in needed if "groups" not in one.details]
    few = [one.df for one in alone if one.df is not None and isfinite(one.df) and one.df < FEW_DEGREES]
    if few and contest.by_rows:
        units, unit = needed[0].units, contest.design.unit
        many = units > 2 * FEW_DEGREES
        yield Doubt(f"a few {unit}s carry the difference" if many else f"there are only {units} {unit}s")


def _tail(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    for one in needed:
        if one.winner is not None and (reason := heavy_tail(one, one.winner, contest.metric, contest.rows)):
            yield Doubt(reason)
            return


def heavy_tail(found: Comparison, favoured: str, metric: Metric, rows: int) -> str | None:
    """Why a model with the heavier tail is not to be trusted: a few more large errors would change the order."""
    if "tails" not in found.details:
        return None
    own, other = (found.details["tails"]["models"][name] for name in (favoured, found.against(favoured)))
    if not (own > HEAVY and own > HEAVIER * other):
        return None
    largest, term = -(-rows // 100), (metric.carried_by or "").replace("_", " ")
    carry = "row carries" if largest == 1 else "rows carry"
    return (
        f"the largest {largest:,} {carry} {100 * own:.0f} % of the {term} of {favoured}, and a few more large errors "
        "would change the order"
    )


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


def decide(contest: Contest, found: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None) -> Decision:
    """Apply the rule to the comparisons; `dropped` are the models out of the tie set, where that was found already."""
    order = contest.order
    aside = set_aside(order, found)
    rest = [name for name in order if name not in aside]
    if not aside:
        return _decided(contest, found, dropped)
    if len(rest) < 2:
        return _not_judged(contest, _blocking(order, found)[0])
    decision = _decided(contest.among(rest), found, dropped)
    bounds = {name: _bounds(contest, name, rest[0]) for name in aside}
    surely_worse = {name: ends for name, ends in bounds.items() if ends is not None and ends[0] < ends[1]}
    left_open = tuple(name for name in aside if name not in surely_worse)
    if not left_open:
        return replace(decision, surely_worse=surely_worse)
    reason = next(pair for pair in _blocking(order, found) if left_open[0] in (pair.a, pair.b))
    return replace(_not_judged(contest, reason), left_open=left_open, rest=decision)


def set_aside(order: Sequence[str], found: Mapping[frozenset[str], Comparison]) -> list[str]:
    """The models that cannot be compared: those in most comparisons without an answer, until the best has all of its.

    What a model is set aside for, such as few calls, says nothing of its value, so that the others are no selection.
    """
    aside: list[str] = []
    while len(rest := [name for name in order if name not in aside]) > 1:
        if all(rest[0] not in (pair.a, pair.b) for pair in _blocking(rest, found)):
            break
        missing = Counter(name for pair in _blocking(rest, found) for name in (pair.a, pair.b))
        aside.append(max(rest, key=lambda name: missing[name]))
    return sorted(aside, key=order.index)


def _blocking(names: Sequence[str], found: Mapping[frozenset[str], Comparison]) -> list[Comparison]:
    """The comparisons without an answer, in the order of the models."""
    pairs = [found[pair] for pair in map(frozenset, combinations(names, 2)) if pair in found]
    return [pair for pair in pairs if pair.undefined or pair.undecided]


def _not_judged(contest: Contest, pair: Comparison) -> Decision:
    """Nobody is named, as a comparison has no answer."""
    doubt = None if pair.undefined else _worthless(contest, pair)
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


def _decided(contest: Contest, found: Mapping[frozenset[str], Comparison], dropped: Sequence[str] | None) -> Decision:
    """The rule, where every comparison of the best model has an answer."""
    best, *others = contest.order
    needed = [found[frozenset((best, other))] for other in others]
    doubted = [*doubts(contest, needed)]
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


def tie_set(contest: Contest, found: Mapping[frozenset[str], Comparison]) -> list[str]:
    """The models that could be the best one."""
    names = sorted(contest.values)
    pairs = len(names) * (len(names) - 1) // 2
    found = {pair: one for pair, one in found.items() if pair <= set(names)}
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
