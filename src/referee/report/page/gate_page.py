"""The page of a gate: whether the candidate may replace production, and the verdict that this rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.page.document import page, rendered
from referee.report.page.sections.things_to_check import things_to_check
from referee.report.page.sections.verdict_card import facts_of
from referee.report.page.subject import Subject
from referee.report.page.verdict_page import verdict_sections
from referee.wording import message_line

if TYPE_CHECKING:
    from referee.verdict import Gate


def gate_page(gate: Gate, *, command: str = "") -> str:
    """The gate's answer as one self-contained HTML file."""
    verdict = gate.verdict
    subject = Subject(verdict.scores, verdict, verdict.alpha, verdict.seed, command)
    candidate, production = subject.labels[gate.candidate], subject.labels[gate.production]
    headline = f"{candidate} may {'' if gate.passed else 'not '}replace {production}."
    card = rendered(
        "section/verdict_card.html",
        look="good" if gate.passed else "bad",
        tag="Pass" if gate.passed else "No",
        headline=headline,
        sentence=message_line(gate.sentence),
        luck=message_line(verdict.sentence),
        facts=[*facts_of(subject, verdict)],
        remarks=[],
        left=0,
    )
    return page(headline, verdict_sections(subject, verdict), opening=card + things_to_check(subject))
