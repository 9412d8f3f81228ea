"""The page of a gate: whether the candidate may replace production, and the verdict that this rests on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.comparing import deciding_interval
from referee.page.card import Fact, opening_card
from referee.page.sections.forest import Row, forest
from referee.page.sections.goal import goal_section
from referee.page.sections.things_to_check import things_to_check
from referee.page.sections.verdict_card import guessing_facts, rows_fact
from referee.page.shell import figure, page
from referee.page.subject import Subject
from referee.page.verdict_page import verdict_sections
from referee.wording import level, message_line, number, p_value, signed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.comparing import Gate


HEADLINES = {
    "pass": "{} may replace {}.",
    "fail": "{} must not replace {}.",
    "inconclusive": "It is not shown whether {} may replace {}.",
}
LOOKS = {"pass": "good", "fail": "bad", "inconclusive": "warn"}


def gate_page(gate: Gate, *, command: str = "") -> str:
    """The gate's answer as one self-contained HTML file."""
    verdict = gate.verdict
    subject = Subject(verdict.scores, verdict, verdict.alpha, verdict.seed, command, gate)
    candidate, production = subject.labels[gate.candidate], subject.labels[gate.production]
    headline = HEADLINES[gate.outcome].format(candidate, production)
    card = opening_card(
        gate.outcome.capitalize(),
        headline,
        message_line(gate.sentence),
        _rule(gate),
        look=LOOKS[gate.outcome],
        facts=_facts(gate, subject),
    )
    roles = {gate.candidate: "candidate", gate.production: "production"}
    goal = goal_section(subject, verdict, roles=roles, above=_difference(gate, subject))
    goal = replace(goal, lead=f"The difference and the interval that decides; below, the values. {goal.lead}")
    return page(headline, verdict_sections(subject, verdict, goal), opening=card + things_to_check(subject))


def _rule(gate: Gate) -> str:
    """What passing asks for."""
    side = f"above {signed(gate.limit)}" if gate.verdict.goal.better == "higher" else f"below {signed(gate.limit)}"
    more = "; and the candidate must be significantly better" if gate.superiority else ""
    return f"To pass, the whole interval of the difference, candidate minus production, must lie {side}{more}."


def _facts(gate: Gate, subject: Subject) -> Iterator[Fact]:
    comparison = gate.comparison
    if comparison.difference is not None:
        name = f"{subject.labels[gate.candidate]} minus {subject.labels[gate.production]}"
        yield Fact(name, signed(comparison.difference), deciding_interval(gate))
    yield Fact("Margin", number(gate.margin), "the most that it may be worse")
    if gate.superiority and comparison.p is not None:
        yield Fact("Chance of such a gap if equal", p_value(comparison.p), gate.verdict.test.title)
    yield from guessing_facts(gate.verdict, gate.candidate)
    yield rows_fact(subject)


def _difference(gate: Gate, subject: Subject) -> Markup:
    """The difference with the interval that decides, and where it must not reach."""
    comparison, held = gate.comparison, gate.held
    low, high = (None, None) if held is None else (held.low, held.high)
    label = f"{subject.labels[gate.candidate]} minus {subject.labels[gate.production]}"
    said = {"pass": "passes", "fail": "fails", "inconclusive": "inconclusive"}[gate.outcome]
    row = Row("difference", subject.places[gate.candidate], comparison.difference, low, high, (), said)
    lines = {"no difference": 0.0, f"margin {signed(gate.limit)}": gate.limit}
    drawing = forest([row], lines, f"{label}, and the margin", spanned=[*lines.values()])
    return figure(drawing, name="gate", title=f"{label}, with its {level(2 * gate.verdict.alpha)} interval")
