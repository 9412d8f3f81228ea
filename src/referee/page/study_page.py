"""A study as a page: the claims first, then every table with the paper's numbers beside ours, and Figure 1 drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.document import element, part_html
from referee.page.card import Fact, plain_card
from referee.page.document_page import document_card, part_section
from referee.page.sections.flows import flow
from referee.page.sections.reproducing import reproduction
from referee.page.shell import figure, page
from referee.paper import NOT, PARTLY, REPRODUCED, TWO, flows, paper, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.document import Part
    from referee.page.shell import Section
    from referee.paper import Study

QUESTION = "Which metric selects the model that is best on the goal metric?"
LEAD = (
    "X is the pruned tree and Y the grown one. Blue is selected correctly, orange takes a tie for a difference or a "
    "difference for a tie, and pink the worse tree for the better."
)


def study_page(study: Study, *, command: str = "") -> str:
    """The whole as one self-contained HTML file; the same study gives the same bytes."""
    document = study.document()
    sections = [_with_drawings(study, part) for part in document.parts]
    tag, reference = "The paper's experiment, repeated", paper()["reference"]
    opening = document_card(document, tag, QUESTION, reference, _facts(study))
    return page(QUESTION, [*sections, _reproducing(study, command)], opening=opening)


def _facts(study: Study) -> Iterator[Fact]:
    counts = Counter(claim.verdict for claim in study.claims)
    for verdict in (REPRODUCED, PARTLY, NOT) if study.claims else ():
        yield Fact(verdict.capitalize(), str(counts[verdict]), f"of {len(study.claims)} claims")


def _with_drawings(study: Study, part: Part) -> Section:
    section = part_section(part)
    if section.key != "figure-1":
        return section
    drawings = element("div", *_drawings(study), class_="three")
    return replace(section, body=plain_card(drawings, part_html(part)), lead=LEAD)


def _drawings(study: Study) -> Iterator[Markup]:
    for metric in TWO:
        name = short_name(metric)
        for place, (title, crossed) in enumerate(flows(study).items()):
            drawing = flow(crossed[metric], f"{title}, selected by {name}")
            yield figure(drawing, name=f"figure-1-{name}-{place}", title=f"By {name}: {title}")


def _reproducing(study: Study, command: str) -> Section:
    facts = [
        ("Seed", str(study.settings.seed)),
        ("Repetitions", str(study.settings.repetitions)),
        *((f"Fingerprint of {name}", data.fingerprint) for name, data in study.work.data.items()),
    ]
    return reproduction(command, facts)
