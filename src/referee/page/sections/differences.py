"""What is tested: the interval of each difference, with 0 and the margin; the reader picks pair, margin and alpha."""

from __future__ import annotations

from math import isclose, isfinite
from typing import TYPE_CHECKING, Any

from referee.comparing import Comparison, Margin, Verdict, against_margin, of_ranks
from referee.document import level, number, p_value, signed
from referee.document.svg import SHAPES
from referee.page.sections.forest import Row, forest
from referee.page.sections.verdict_card import card_data
from referee.page.shell import Section, figure, rendered
from referee.page.subject import MOST_SHOWN
from referee.scoring import quantile, tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.page.subject import Subject

MOST_WITH_EVERY_PAIR = 6
"""Of more models, the pairs of the best one are there to be picked; the list of pairs has the others."""
MOST_UNDER_OTHER_GOALS = 4
DIGITS = 8
CLOSE = 1e-9
ANY_MARGIN = 0.25


def differences_section(subject: Subject, verdict: Verdict) -> Section | None:
    """Nothing where a gate has drawn its own difference, or no pair has one."""
    pairs = [pair for pair in pairs_with_best(verdict) if pair.difference is not None]
    if subject.gate is not None or not pairs:
        return None
    body = rendered(
        "section/differences.html",
        figure=figure(_drawn(subject, verdict, pairs), name="differences", title=_title(subject, verdict)),
        sentence=" ".join(_said(subject, verdict, pairs[0])),
        alpha=f"{verdict.alpha:g}",
        margin="" if verdict.margin is None else f"{verdict.margin:g}",
    )
    lead, data = _lead(verdict, len(pairs)), _data_for_script(subject, verdict)
    return Section("differences", "The difference", body, lead, "Difference", data)


def pairs_with_best(verdict: Verdict) -> list[Comparison]:
    """The best model's comparisons, seen from it, with the better models first."""
    with_best = {
        pair.against(verdict.best): pair.seen_from(verdict.best)
        for pair in verdict.comparisons
        if verdict.best in (pair.a, pair.b)
    }
    return [with_best[name] for name in verdict.values if name in with_best]


def _lead(verdict: Verdict, pairs: int) -> str:
    what = "".join(f"It is the {words}. " for words in of_ranks(verdict))
    adjusted = "" if pairs == 1 else "The intervals are for single pairs, not adjusted for several comparisons. "
    return (
        f"The difference is what is tested, so its interval decides. {what}Where it crosses 0, these data cannot "
        f"separate the two. {adjusted}"
    ).strip()


def _title(subject: Subject, verdict: Verdict) -> str:
    each = subject.labels[verdict.runner_up] if len(verdict.values) == 2 else "each other model"
    return f"{subject.labels[verdict.best]} minus {each} on {verdict.goal_name}, {verdict.goal.better} is better"


def _drawn(subject: Subject, verdict: Verdict, pairs: list[Comparison]) -> Markup:
    rows = [_row(subject, pair) for pair in pairs if pair.b in subject.shown]
    ends = {} if verdict.margin is None else {f"margin {signed(end)}": end for end in (-verdict.margin, verdict.margin)}
    lines = {"no difference": 0.0, **ends}
    label = f"Differences in {verdict.goal_name}, with their {level(verdict.alpha)} intervals"
    return forest(rows, lines, label, spanned=[*lines.values()])


def _row(subject: Subject, pair: Comparison) -> Row:
    better = f"{subject.labels[pair.winner]} is better" if pair.winner else pair.answer
    return Row(subject.labels[pair.b], subject.places[pair.b], pair.difference, pair.low, pair.high, (), better, True)


def _said(subject: Subject, verdict: Verdict, pair: Comparison) -> Iterator[str]:
    """A pair in words, as the script says it of any other."""
    a, b = subject.labels[pair.a], subject.labels[pair.b]
    facts = [signed(pair.difference or 0.0)]
    if pair.low is not None and pair.high is not None:
        facts.append(f"{level(pair.alpha)} interval {number(pair.low)} to {number(pair.high)}")
    facts += [] if pair.p is None else [p_value(pair.p)]
    answer = WORDS[pair.outcome or ""].format(a=a, b=b) if pair.outcome in WORDS else pair.undecided or pair.undefined
    yield f"{a} minus {b} on {verdict.goal_name}: {', '.join(facts)}; {answer}."
    margins = {frozenset(names): margin for names, margin in (verdict.margins or {}).items()}
    if (margin := margins.get(frozenset((pair.a, pair.b)))) is not None:
        first, second = next(names for names in verdict.margins or {} if set(names) == {pair.a, pair.b})
        said = against_margin(subject.labels[first], subject.labels[second], margin)
        yield f"{said[:1].upper()}{said[1:]}." if said.startswith("it ") else f"{said}."


WORDS = {
    "a": "{a} is significantly better",
    "b": "{b} is significantly better",
    "tie": "these data cannot separate the two",
}


def words_for_script() -> dict[str, str]:
    """Sentences with {a}, {b} and {margin} to be filled in, so that the page has no words of its own."""
    relations = ("practically equal", "a is better by more", "b is better by more", "cannot be said")
    filled = {
        relation: against_margin("{a}", "{b}", Margin(ANY_MARGIN, relation, 0, 0, False, False))  # type: ignore[arg-type]
        for relation in relations
    }
    return WORDS | {relation: said.replace(number(ANY_MARGIN), "{margin}") for relation, said in filled.items()}


def _data_for_script(subject: Subject, verdict: Verdict) -> dict[str, Any]:
    """What the page says under every goal that was tested, all of it made here: the script only shows it."""
    metrics = {metric.full_name: metric for metric in verdict.goal_scores.metrics}
    others = [verdict.under(metrics[other.metric]) for other in verdict.other_goals] if verdict.contest else []
    goals = [_goal(subject, verdict, MOST_WITH_EVERY_PAIR)]
    goals += [_goal(subject, other, MOST_UNDER_OTHER_GOALS) for other in others]
    used = {place for goal in goals for pair in goal["pairs"] for place in pair[:2]}
    return {
        "alpha": verdict.alpha,
        "margin": verdict.margin,
        "models": {place: subject.labels[name] for name, place in subject.places.items() if place in used},
        "shapes": SHAPES,
        "words": words_for_script(),
        "goals": goals,
    }


def _goal(subject: Subject, verdict: Verdict, most: int) -> dict[str, Any]:
    """The verdict on a goal, and every pair of few models; of more, those of the best one."""
    pairs = verdict.comparisons if len(verdict.values) <= most else pairs_with_best(verdict)[:MOST_SHOWN]
    return card_data(subject, verdict) | {
        "pairs": [_data(subject, pair) for pair in pairs if pair.difference is not None]
    }


def _data(subject: Subject, pair: Comparison) -> list[Any]:
    """Short, as there are many: places, difference, p, outcome; then standard error and df, or else the interval."""
    by_t = by_student_t_alone(pair)
    spread = (pair.standard_error, pair.df) if by_t else (pair.low, pair.high)
    known = [None if value is None or not isfinite(value) else float(f"{value:.{DIGITS}g}") for value in spread]
    shown = [None if value is None else float(f"{value:.{DIGITS}g}") for value in (pair.difference, pair.p)]
    why = [pair.undecided] if pair.undecided else []
    return [subject.places[pair.a], subject.places[pair.b], *shown, pair.outcome, int(by_t), *known, *why]


def by_student_t_alone(pair: Comparison) -> bool:
    """Whether interval and p follow from the difference, its standard error and the degrees of freedom."""
    if not pair.standard_error or pair.difference is None or None in (pair.p, pair.low, pair.high):
        return False
    df = float("inf") if pair.df is None else pair.df
    reach = quantile(1 - pair.alpha / 2, df) * pair.standard_error
    p = 2 * tail(abs(pair.difference) / pair.standard_error, df)
    known = ((pair.low, pair.difference - reach), (pair.high, pair.difference + reach), (pair.p, p))
    return all(isclose(a or 0.0, b, rel_tol=CLOSE, abs_tol=CLOSE * reach) for a, b in known)
