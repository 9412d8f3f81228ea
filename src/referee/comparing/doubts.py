"""Doubts: what makes p worthless, or rough, whatever it is: few rows, calls, hits or groups, and heavy tails."""

from __future__ import annotations

from dataclasses import replace
from math import ceil, isfinite
from typing import TYPE_CHECKING

from referee.comparing.in_time import why_approximate
from referee.document import counted
from referee.errors import Notice
from referee.records import dataclass
from referee.scoring import FEW_PIECES, has_kind, metrics

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.predictions import Model, Predictions
    from referee.scoring import Metric

TOO_FEW, FEW = 10, 20
"""Rows of the rarer class, and rows that a model calls: below, no winner is named, or only approximately."""
FEWEST_HITS = 5
FEW_DEGREES, FEW_SEEDS = 10, 5
FEW_TO_REFIT = 100
"""Rows to deal out into groups that are left out: below, and on metrics of few calls, more than 7% false winners were
measured between equal procedures, and so they were of some unstable learners (docs/simulations/procedure_tests.md)."""
HEAVY, HEAVIER = 0.1, 1.25
"""The winner's largest 1% of rows carry this much of its squared error, and so much more than the loser's: normal
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
    doubt = None if pair.undefined else worthless(contest, pair)
    if doubt is None:
        return pair
    notice = Notice(doubt.code, doubt.reason)
    return replace(pair, outcome="undecided", undecided=doubt.reason, warnings=(*pair.warnings, notice))


def worthless(contest: Contest, pair: Comparison) -> Doubt | None:
    return next((doubt for doubt in doubts(contest, [pair]) if doubt.worthless), None)


def doubts(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """All that speaks against the comparisons that a verdict needs; models that do not differ need no p."""
    yield from _rows_of_a_class(contest)
    yield from _rows_beyond_the_cut(contest)
    yield from _calls(contest, needed)
    yield from _medians(contest, needed)
    needed = [pair for pair in needed if pair.standard_error != 0]
    yield from _groups(needed)
    yield from _seeds(needed)
    yield from _refits(contest, needed)
    yield from _time(contest, needed)
    yield from _degrees_of_freedom(contest, needed)
    yield from _tail(contest, needed)


def _rows_of_a_class(contest: Contest) -> Iterator[Doubt]:
    """Where the value hangs on the rows of the rarer class, however many others there are."""
    predictions, metric = contest.predictions, contest.metric
    if contest.design.kind == "data_sets" or not predictions.classes or metric.additive:
        return
    rarer = next(iter(contest.contenders.values())).rarer_class
    if rarer is None or rarer[1] >= FEW:
        return
    label, rows = rarer
    verb = "is" if rows == 1 else "are"
    if rows < TOO_FEW:
        no_test = f"with fewer than {TOO_FEW} no test of {contest.goal} is reliable"
        said = f"there {verb} {counted(rows, 'row')} of class {label!r}, and {no_test}"
        yield Doubt(said, True, "W_FEWROWS", _times(contest.rows, TOO_FEW, rows))
    else:
        yield Doubt(f"there {verb} only {counted(rows, 'row')} of class {label!r}")


def _rows_beyond_the_cut(contest: Contest) -> Iterator[Doubt]:
    """Where a cut is set by so few positive rows that another sample would set another one."""
    predictions, metric = contest.predictions, contest.metric
    if metric.cut_at is None or contest.design.kind == "data_sets":
        return
    above = float((metric.defaults | dict(metric.settings))[metric.cut_at])
    classes = [predictions.positive] if predictions.positive is not None else range(len(predictions.classes))
    rows, code = min((predictions.rows_of_classes[code], code) for code in classes)
    if 0 < (1 - above) * rows < TOO_FEW:
        label, few = predictions.classes[code], counted(round((1 - above) * rows), "row")
        yield Doubt(f"only about {few} of class {label!r} may lie beyond the cut at a {metric.cut_at} of {above:g}")


def _calls(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """Few calls or few hits: the numerator of precision and its kin is then the rare event."""
    called = {
        (model, label): (calls, hits)
        for pair in needed
        if "calls" in pair.details and not _decide_alike(contest, pair)
        for model, classes in pair.details["calls"].items()
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
            needed_rows = None if None in rows else max(number for number in rows if number is not None)
            said += f": {limit} trusted; {_could_decide(contest, label)}"
            yield Doubt(said, True, "W_FEWCALLS", needed_rows)


def _medians(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """A median is as sure as rows are dense about it, which is estimated; where many are equal it jumps."""
    if contest.metric.name == "median" and contest.predictions.scored is not None:
        yield Doubt("the precision of a median depends on the density of the scores around it, which is estimated")
        each = (contest.contenders[name] for name in sorted({name for pair in needed for name in (pair.a, pair.b)}))
        yield from (Doubt(model.tied_median, True, "W_TIEDMEDIAN") for model in each if model.tied_median)


def _decide_alike(contest: Contest, pair: Comparison) -> bool:
    """Whether two models decide every row alike: then they do not differ, however few rows they call."""
    a, b = (contest.contenders[name] for name in (pair.a, pair.b))
    return pair.standard_error == 0 and a.decides_like(b)


def _times(rows: int, wanted: int, there: int) -> int | None:
    """So many rows have what is wanted, if these have what there is."""
    return ceil(rows * wanted / there) if there else None


def _could_decide(contest: Contest, label: str) -> str:
    """A metric that these rows can be tested on all the same."""
    predictions = contest.predictions
    ranked = all(has_kind(metrics["brier"], model) and _is_graded(predictions, model) for model in predictions.models)
    positive = predictions.positive is not None and predictions.classes[predictions.positive] == label
    share = "recall" if positive else "specificity" if len(predictions.classes) == 2 else "accuracy"
    return f"{'average_precision' if ranked and positive else 'roc_auc' if ranked else share} could still decide"


def _is_graded(predictions: Predictions, model: Model) -> bool:
    """Whether its scores are more than decisions."""
    return model.scores is None or not predictions.facts[model.name].decisions_only


def _groups(needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """What the tests of groups have to say: too few of them, or few."""
    in_groups = [pair.details["groups"] for pair in needed if "groups" in pair.details]
    for concern, worthless, code in (("too_few", True, "W_FEWGROUPS"), ("approximate", False, "W_APPROXIMATE")):
        if reason := next((groups[concern] for groups in in_groups if groups[concern]), None):
            yield Doubt(reason, worthless, code)


def _seeds(needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """So few seeds were measured to name up to 8% false winners (docs/simulations/seed_tests.md)."""
    several = [pair.details["seeds"]["number"] for pair in needed if "seeds" in pair.details]
    if several and min(several) < FEW_SEEDS:
        yield Doubt(f"there are only {min(several)} seeds")


def _refits(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """Where leaving out groups was measured to name too many winners."""
    if contest.design.kind != "left_out" or not needed:
        return
    if contest.rows < FEW_TO_REFIT:
        yield Doubt(f"there are only {counted(contest.rows, 'row')} to leave groups out of")
    if contest.metric.called_classes and not contest.metric.additive:
        yield Doubt(f"{contest.goal} depends on few rows of each test set, and up to 14% false winners were measured")
    if any(pair.details.get("training", {}).get("unstable") for pair in needed):
        rate = "up to 9% false winners were measured between one-split trees"
        yield Doubt(f"a learner is unstable: its results depend mostly on which rows it was trained on, and {rate}")


def _time(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    """Few pieces of rows in the order of time."""
    reasons = (why_approximate(pair, contest.rows, contest.design) for pair in needed)
    yield from (Doubt(reason) for reason in dict.fromkeys(reasons) if reason)


def _degrees_of_freedom(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    few_pieces = [pair for pair in needed if pair.details.get("pieces", FEW_PIECES) < FEW_PIECES]
    alone = [pair for pair in needed if "groups" not in pair.details and pair not in few_pieces]
    degrees = [pair.details["seeds"]["items_df"] if "seeds" in pair.details else pair.df for pair in alone]
    few = [df for df in degrees if df is not None and isfinite(df) and df < FEW_DEGREES]
    if few and contest.by_rows:
        units, unit = needed[0].units, contest.design.unit
        many = units > 2 * FEW_DEGREES
        yield Doubt(f"a few {unit}s carry the difference" if many else f"there are only {units} {unit}s")


def _tail(contest: Contest, needed: Sequence[Comparison]) -> Iterator[Doubt]:
    for pair in needed:
        if pair.winner is not None and (reason := heavy_tail(pair, pair.winner, contest.metric, contest.rows)):
            yield Doubt(reason)
            return


def heavy_tail(pair: Comparison, favoured: str, metric: Metric, rows: int) -> str | None:
    """Why a model with the heavier tail is not to be trusted: a few more large errors would change the order."""
    if "tails" not in pair.details:
        return None
    own, other = (pair.details["tails"]["models"][name] for name in (favoured, pair.against(favoured)))
    if not (own > HEAVY and own > HEAVIER * other):
        return None
    largest, term = -(-rows // 100), (metric.carried_by or "").replace("_", " ")
    carry = "row carries" if largest == 1 else "rows carry"
    return (
        f"the largest {largest:,} {carry} {100 * own:.0f}% of the {term} of {favoured}, and a few more large errors "
        "would change the order"
    )
