"""Thresholds as a page: each model's best one, what it is worth on other rows, and who is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import part_html
from referee.page.card import plain_card, result_card
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, page
from referee.scoring import described
from referee.thresholds import title_of
from referee.wording import as_sentence, message_line

if TYPE_CHECKING:
    from referee.thresholds import Thresholds

NAMES = {"thresholds": "Thresholds", "comparisons": "Comparisons", "regions": "Costs"}
"""Of the sections in the navigation."""


def thresholds_page(thresholds: Thresholds, *, command: str = "") -> str:
    """Thresholds as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.thresholds import threshold
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 20, {"m": [0.9, 0.7, 0.6, 0.1] * 20})
    >>> "Threshold for" in thresholds_page(threshold(predictions, "f_beta"))
    True
    """
    document, predictions = thresholds.document(), thresholds.predictions
    headline = as_sentence(message_line(title_of(thresholds)))
    answer = f"{message_line(document.sentence)}." if document.sentence else as_sentence(described(predictions))
    card = result_card("Thresholds", headline, answer, document=document, rows=predictions.rows)
    sections = []
    for part in document.parts:
        key = part.tables[0].name
        title = "The best threshold of each model" if key == "thresholds" else part.title
        sections.append(Section(key, title, plain_card(part_html(part)), short=NAMES[key]))
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{thresholds.alpha:g}")]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)
