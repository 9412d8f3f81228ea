"""The verdict in plain words, above everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.report.page.document import rendered
from referee.report.scores.shown import guessing_name, level
from referee.report.verdict.words import what_else
from referee.verdict.sentence import named, p_value
from referee.wording import count, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.report.page.subject import Subject
    from referee.verdict import Verdict

MOST_REMARKS = 12
CLEAR = 0.001
LOOKS = {"winner": ("good", "Winner"), "tie": ("warn", "Tie"), "undecided": ("bad", "Undecided")}


class Fact(NamedTuple):
    """A number that everybody looks for first."""

    name: str
    value: str
    remark: str = ""


def verdict_card(subject: Subject, verdict: Verdict) -> Markup:
    """Who won, by how much and how surely."""
    look, tag = LOOKS[verdict.outcome]
    remarks = what_else(verdict)
    return rendered(
        "section/verdict_card.html",
        look=look,
        tag=_tag(verdict, tag),
        headline=headline(subject, verdict),
        sentence=message_line(verdict.sentence),
        luck=_luck(verdict),
        facts=[*facts_of(subject, verdict)],
        remarks=[message_line(remark) for remark in remarks[:MOST_REMARKS]],
        left=max(0, len(remarks) - MOST_REMARKS),
    )


def headline(subject: Subject, verdict: Verdict) -> str:
    """The verdict in a few words."""
    goal, models = metric_words(verdict), len(verdict.values)
    if verdict.outcome == "winner":
        best = subject.labels[verdict.best]
        return f"{best} is the {'better' if models == 2 else 'best'} of {models:,} models on {goal}."
    if verdict.outcome == "undecided":
        return f"Undecided on {goal}."
    if len(verdict.winners) == models:
        return f"No winner on {goal}: {'either' if models == 2 else f'any of the {models:,} models'} may be the best."
    tied = named([subject.labels[name] for name in verdict.winners])
    return f"No winner on {goal}: {tied} may each be the best."


def metric_words(verdict: Verdict) -> str:
    """The goal as it is spoken of: its title, or its name with the parameters that are not the default."""
    goal = verdict.goal
    return goal.full_name if goal.settings else spoken(goal.title)


def spoken(title: str) -> str:
    """A title within a sentence, without what only explains it.

    >>> spoken("AUC, area under the ROC curve"), spoken("Average precision (PR AUC)"), spoken("Cohen's kappa")
    ('AUC', 'average precision', "Cohen's kappa")
    """
    short = title.partition(",")[0].partition(" (")[0]
    first = short.partition(" ")[0]
    is_word = first[1:].islower() and first.isalpha()
    return short[0].lower() + short[1:] if is_word else short


def _tag(verdict: Verdict, tag: str) -> str:
    p = verdict.comparison(verdict.best, verdict.runner_up).p
    if verdict.outcome == "winner" and "(approximately" in verdict.sentence:
        return "Winner, approximately"
    if verdict.outcome == "winner" and p is not None and p < CLEAR:
        return "Clear winner"
    practically = verdict.outcome == "tie" and verdict.sentence.startswith("Practically equal")
    return "Practically equal" if practically else tag


def _luck(verdict: Verdict) -> str:
    """What p means, for those who do not know."""
    found = verdict.comparison(verdict.best, verdict.runner_up)
    if verdict.outcome == "undecided" or found.p is None or not found.difference:
        return ""
    return f"If the two were equally good, a gap this large would turn up by luck {_how_often(found.p)}."


def _how_often(p: float) -> str:
    """A probability as people count.

    >>> _how_often(0.31), _how_often(0.0344), _how_often(0.00031), _how_often(1e-9)
    ('31 times in 100', '34 times in 1,000', '3 times in 10,000', 'less than once in 10,000 times')
    """
    if p < 1e-4:
        return "less than once in 10,000 times"
    of = 100 if p >= 0.1 else 1000 if p >= 0.01 else 10_000
    times = round(p * of)
    return f"{'once' if times == 1 else f'{times} times'} in {of:,}"


def facts_of(subject: Subject, verdict: Verdict) -> Iterator[Fact]:
    found = verdict.comparison(verdict.best, verdict.runner_up)
    if found.difference is not None:
        sign = 1 if found.a == verdict.best else -1
        ends = sorted(sign * end for end in (found.low, found.high) if end is not None)
        interval = f"{level(verdict.alpha)} interval {number(ends[0])} to {number(ends[1])}" if ends else ""
        yield Fact(f"Difference to {subject.labels[verdict.runner_up]}", signed(sign * found.difference), interval)
    if found.p is not None:
        adjusted = found.p_adjusted is not None and len(verdict.comparisons) > 1
        more = f"; {p_value(found.p_adjusted or 0)} adjusted for {len(verdict.comparisons):,} pairs" if adjusted else ""
        yield Fact("Chance of such a gap if equal", p_value(found.p), verdict.test.title + more)
    yield from _guessing(verdict)
    yield rows_fact(subject)


def _guessing(verdict: Verdict) -> Iterator[Fact]:
    """How far the best model is from knowing nothing."""
    guessed = next(row for row in verdict.scores.baseline if row.metric == verdict.goal.full_name)
    best = verdict.values[verdict.best]
    if guessed.value is not None and best is not None:
        name = guessing_name(list(verdict.values)).strip("()").capitalize()
        gain = (best - guessed.value) * (1 if verdict.goal.better == "higher" else -1)
        yield Fact("Better than guessing by", signed(gain), f"{name} has {number(guessed.value)}")


def rows_fact(subject: Subject) -> Fact:
    """How many rows, and how many of them are positive."""
    predictions = subject.predictions
    remark = f"{len(predictions.classes):,} classes" if predictions.classes else ""
    if predictions.positive is not None and subject.scores.confusion:
        weights = next(iter(subject.scores.confusion.values())).sum(axis=1)
        positive, whole = weights[predictions.positive], weights.sum()
        of_weight = "" if predictions.weight is None else " of the weight"
        remark = f"{count(positive)} positive ({100 * positive / whole if whole else 0:.1f} %{of_weight})"
    rows = predictions.rows
    if subject.verdict is not None and subject.verdict.selection is not None:
        rows = subject.verdict.selection.rows
        remark = f"{predictions.rows:,} predictions" + (f", {remark}" if remark else "")
    return Fact("Rows", f"{rows:,}", remark)


def signed(value: float) -> str:
    """A difference with its sign.

    >>> signed(0.0581), signed(-2.0)
    ('+0.0581', '−2.0000')
    """
    return f"{'+' if value >= 0 else '−'}{number(abs(value))}"
