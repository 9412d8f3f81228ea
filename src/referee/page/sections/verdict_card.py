"""What a page opens with: the verdict in plain words, and what a careful reader would look at first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from referee.comparing import OtherGoal, Verdict, after_opening, background, estimate, what_else
from referee.document import (
    count,
    counted,
    few_of_each,
    level,
    message_line,
    named,
    number,
    p_value,
    plural,
    signed,
)
from referee.page.sections.each_metric import is_main
from referee.page.shell import Fact, opening_card, rendered
from referee.scoring.shown_scores import guessing_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from referee.page.subject import Subject


CLEAR = 0.001
MOST_RULED_OUT = 3
LOOKS = {"winner": ("good", "Winner"), "tie": ("warn", "Tie"), "undecided": ("bad", "Undecided")}


def verdict_card(subject: Subject, verdict: Verdict) -> Markup:
    """Who won, by how much and how surely."""
    look, tag = LOOKS[verdict.outcome]
    return opening_card(
        _tag(verdict, tag),
        headline(subject, verdict),
        message_line(after_opening(verdict)),
        look=look,
        facts=[*facts_of(subject, verdict), rows_fact(subject)],
        remarks=map(message_line, [*background(verdict), *what_else(verdict)]),
    )


def card_data(subject: Subject, verdict: Verdict) -> dict[str, Any]:
    """What the card says under a goal."""
    look, tag = LOOKS[verdict.outcome]
    return {
        "metric": verdict.goal.full_name,
        "name": verdict.goal_name,
        "better": verdict.goal.better,
        "best": subject.places[verdict.best],
        "look": look,
        "tag": _tag(verdict, tag),
        "headline": headline(subject, verdict),
        "sentence": message_line(after_opening(verdict)),
        "facts": [*facts_of(subject, verdict)],
    }


def headline(subject: Subject, verdict: Verdict) -> str:
    """The verdict in a few words: whom it leaves out where these are few, and else how many are left."""
    goal, models, left = verdict.goal_name, len(verdict.values), len(verdict.winners)
    if verdict.outcome == "winner":
        best = subject.labels[verdict.best]
        return f"{best} is the {'better' if models == 2 else 'best'} of {models:,} models on {goal}."
    if verdict.outcome == "undecided":
        return f"Undecided on {goal}."
    if left == models:
        return f"No winner on {goal}: {'either' if models == 2 else f'any of the {models:,} models'} may be the best."
    out = [subject.labels[name] for name in verdict.values if name not in verdict.winners]
    ruled_out = (
        f"; only {named(out)} {'is' if len(out) == 1 else 'are'} ruled out" if len(out) <= MOST_RULED_OUT else ""
    )
    return f"No winner on {goal}: {left:,} of {models:,} models may be the best{ruled_out}."


def _tag(verdict: Verdict, tag: str) -> str:
    p = verdict.comparison(verdict.best, verdict.runner_up).p
    if verdict.outcome == "winner" and verdict.approximate:
        return "Winner, approximately"
    if verdict.outcome == "winner" and p is not None and p < CLEAR:
        return "Clear winner"
    return "Practically equal" if verdict.practically_equal else tag


def facts_of(subject: Subject, verdict: Verdict) -> Iterator[Fact]:
    comparison = verdict.comparison(verdict.best, verdict.runner_up)
    if comparison.difference is not None:
        sign = 1 if comparison.a == verdict.best else -1
        ends = sorted(sign * end for end in (comparison.low, comparison.high) if end is not None)
        interval = [f"{level(verdict.alpha)} interval {number(ends[0])} to {number(ends[1])}"] if ends else []
        remark = "; ".join([*interval, *estimate(comparison)])
        yield Fact(f"Difference from {subject.labels[verdict.runner_up]}", signed(sign * comparison.difference), remark)
    if comparison.p is not None:
        pairs, adjusted = len(verdict.comparisons), comparison.p_adjusted
        more = f"; {p_value(adjusted)} adjusted for {pairs:,} pairs" if adjusted is not None and pairs > 1 else ""
        yield Fact("Chance of such a gap if equal", p_value(comparison.p), verdict.test.title + more)
    yield from guessing_facts(verdict, verdict.best)


def guessing_facts(verdict: Verdict, name: str) -> Iterator[Fact]:
    """How far a model is from knowing nothing, both on all rows."""
    guessing, value = verdict.goal_scores.guessing.row_on(verdict.goal), verdict.goal_scores[name, verdict.goal].value
    guessed = None if guessing is None else guessing.value
    if guessed is not None and value is not None:
        guesser = guessing_name(list(verdict.values)).strip("()").capitalize()
        gain = (value - guessed) * (1 if verdict.goal.better == "higher" else -1)
        where = "" if verdict.design.by_rows else " on all rows"
        how = "Better" if gain >= 0 else "Worse"
        yield Fact(f"{how} than guessing by", number(abs(gain)), f"{guesser} has {number(guessed)}{where}")


def rows_fact(subject: Subject) -> Fact:
    """How many rows, and how many of them are positive."""
    predictions = subject.predictions
    remark = f"{len(predictions.classes):,} classes" if predictions.classes else ""
    if predictions.positive is not None and subject.scores.confusion:
        weights = next(iter(subject.scores.confusion.values())).sum(axis=1)
        positive, whole = weights[predictions.positive], weights.sum()
        of_weight = "" if predictions.weight is None else " of the weight"
        remark = f"{count(positive)} positive ({100 * positive / whole if whole else 0:.1f}%{of_weight})"
    rows = predictions.rows
    if subject.verdict is not None and subject.verdict.selection is not None:
        rows = subject.verdict.selection.rows
        remark = f"{predictions.rows:,} predictions" + (f", {remark}" if remark else "")
    return Fact(plural(predictions.row_name).capitalize(), f"{rows:,}", remark)


MOST_AT_ONCE = 4
MOST_WINNERS = 2


class Check(NamedTuple):
    """Something that a careful reader would look at."""

    word: str
    text: str
    code: str = ""
    look: str = ""


def things_to_check(subject: Subject) -> Markup:
    """A list of remarks; nothing where there are none."""
    checks = [*_failures(subject), *_other_winners(subject), *_miscalibrated(subject), *_warnings(subject)]
    return rendered("section/things_to_check.html", first=checks[:MOST_AT_ONCE], rest=checks[MOST_AT_ONCE:])


def _failures(subject: Subject) -> Iterator[Check]:
    selection = subject.verdict.selection if subject.verdict else None
    for error in selection.failures if selection else ():
        yield Check("Failed", f"{message_line(error.message)}. It is not part of the verdict.", error.code, "bad")


def _other_winners(subject: Subject) -> Iterator[Check]:
    """Whether the goal decides the winner: then it should be the right one."""
    if subject.verdict is None:
        return
    verdict = subject.verdict
    goal = verdict.goal
    usual = {metric.full_name for metric in verdict.scores.metrics if is_main(metric) or metric.name == goal.name}
    others = [
        other for other in verdict.other_goals if other.best != verdict.best and other.wins and other.metric in usual
    ]
    if not others:
        return
    winners = list(dict.fromkeys(other.best for other in others))
    said = [_wins(subject, name, [other for other in others if other.best == name]) for name in winners[:MOST_WINNERS]]
    if (left := len(winners) - MOST_WINNERS) > 0:
        said.append(f"On others, {counted(left, 'more model')} {'does' if left == 1 else 'do'} so.")
    said.append(f"You named {goal.shown_name} as the goal, so {goal.shown_name} decides.")
    yield Check("The winner depends on the metric", " ".join(said))


def _wins(subject: Subject, name: str, metrics: Sequence[OtherGoal]) -> str:
    """Where another model is significantly better than every other one, and what taking it would cost."""
    assert subject.verdict is not None
    where = named([goal.metric for goal in metrics])
    cost = metrics[0].cost
    worse = f"; on {subject.verdict.goal.shown_name} it is worse by {number(cost)}" if cost else ""
    return f"On {where}, {subject.labels[name]} is significantly better than every other model{worse}."


def _miscalibrated(subject: Subject) -> Iterator[Check]:
    """Whether the best model's scores can be read as risks."""
    for panel in subject.calibrated:
        if subject.verdict is not None and panel.name == subject.verdict.best and panel.helps:
            label = subject.labels[panel.name]
            yield Check(
                "Recalibrate", f"{label} gives probabilities that could be better: {panel.gain}. See Calibration."
            )


def _warnings(subject: Subject) -> Iterator[Check]:
    notices = subject.verdict.warnings if subject.verdict else subject.scores.notices
    for notice in few_of_each(notices):
        text = message_line(notice.message)
        yield Check("Note", text if text.endswith(".") else f"{text}.", notice.code)
