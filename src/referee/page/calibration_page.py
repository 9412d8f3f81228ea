"""A calibration as a page: the diagrams of the model and of every map, the measures, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.calibration import first_diagnoses
from referee.document import element, part_html
from referee.page.card import plain_card, result_card
from referee.page.sections.calibration import diagram
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page
from referee.scoring import described
from referee.wording import as_sentence, level, message_line, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration import Calibration
    from referee.document import Part

LONGEST_NAME = 40
NAMES = {"measures": "Measures", "changes": "Before and after", "methods": "Methods"}
"""Of the sections in the navigation."""


def calibration_page(calibration: Calibration, *, command: str = "") -> str:
    """A calibration as one self-contained HTML file."""
    document, predictions = calibration.document(), calibration.predictions
    name = one_line(calibration.model, LONGEST_NAME)
    said = message_line(calibration.headline or as_sentence(described(predictions)))
    headline, answer = f"Calibration of {name}.", message_line(document.sentence)
    card = result_card("Calibration", headline, answer, said, document=document, rows=predictions.rows)
    sections = [*_diagrams(calibration, name), *map(_section, document.parts)]
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{calibration.alpha:g}")]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)


def _section(part: Part) -> Section:
    key = part.tables[0].name if part.tables else "methods"
    return Section(key, part.title, plain_card(part_html(part)), short=NAMES.get(key, ""))


def _diagrams(calibration: Calibration, name: str) -> Iterator[Section]:
    each = zip([name, *calibration.fitted], first_diagnoses(calibration), strict=True)
    shown = [
        figure(diagram(diagnosis.binned, place), name=f"reliability-{place + 1}", title=title)
        for place, (title, diagnosis) in enumerate(each)
        if diagnosis is not None
    ]
    within = level(calibration.alpha)
    lead = f"Dots are bins of rows; bars are where calibrated forecasts would be in {within} of samples."
    if shown:
        yield Section("diagrams", "Said and happened", element("div", *shown, class_="two"), lead, "Diagrams")
