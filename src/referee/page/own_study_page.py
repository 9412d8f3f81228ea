"""The study of a user's own data as a page: what choosing by each metric is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import element, part_html
from referee.page.card import plain_card
from referee.page.document_page import document_card, part_section
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, page

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.document import Part
    from referee.paper import OwnStudy

QUESTION = "By which metric should a model be chosen?"


def own_study_page(study: OwnStudy, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    document = study.document(whole=True)
    goals = [_folded(part) for part in document.parts if part.folded]
    title = "What choosing by each metric would have cost"
    sections = [part_section(part) for part in document.parts if not part.folded]
    sections += [Section("goals", title, plain_card(*goals), short="Costs")] if goals else []
    opening = document_card(document, "The study on your data", QUESTION, document.about)
    return page(QUESTION, [*sections, _reproducing(study, command)], opening=opening)


def _folded(part: Part) -> Markup:
    return element("details", element("summary", part.title), part_html(part))


def _reproducing(study: OwnStudy, command: str) -> Section:
    facts = [
        ("Seed", str(study.seed)),
        ("Scheme", study.scheme),
        ("Fingerprint of the data", study.fingerprint),
        ("Models", ", ".join(study.models)),
    ]
    return reproduction(command, facts)
