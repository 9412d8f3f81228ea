"""The study of a user's own data as a page: what choosing by each metric is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import element, part_html
from referee.page.card import plain_card
from referee.page.document_page import document_card, part_section
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, page
from referee.paper import goal_part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.paper import OwnStudy

QUESTION = "By which metric should a model be chosen?"


def own_study_page(study: OwnStudy, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    document = study.document()
    sections = [*map(part_section, document.parts), *_every_goal(study), _reproducing(study, command)]
    opening = document_card(document, "The study on your data", QUESTION, document.opening)
    return page(QUESTION, sections, opening=opening)


def _every_goal(study: OwnStudy) -> Iterator[Section]:
    """Where no goal was named: each one in full, folded away."""
    if study.goal is not None:
        return
    parts = [goal_part(study, metric.full_name) for metric in study.metrics]
    folded = [element("details", element("summary", part.title), part_html(part)) for part in parts]
    yield Section("goals", "What choosing by each metric would have cost", plain_card(*folded), short="Costs")


def _reproducing(study: OwnStudy, command: str) -> Section:
    facts = [
        ("Seed", str(study.seed)),
        ("Scheme", study.scheme),
        ("Fingerprint of the data", study.fingerprint),
        ("Models", ", ".join(study.models)),
    ]
    return reproduction(command, facts)
