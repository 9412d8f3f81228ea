"""Thresholds as a page: each model's best one, what it is worth on other rows, and who is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, Column, element
from referee.page.card import Fact, opening_card, plain_card
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, page, table
from referee.report.thresholds.words import (
    HEADINGS,
    cells,
    region_sentences,
    region_table,
    remarks,
    sentence,
    title_of,
)
from referee.scoring.shown_scores import described
from referee.wording import as_sentence, level, message_line, visible

if TYPE_CHECKING:
    from referee.thresholds import Regions, Thresholds


def thresholds_page(found: Thresholds, *, command: str = "") -> str:
    """Thresholds as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.thresholds import best_thresholds
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 20, {"m": [0.9, 0.7, 0.6, 0.1] * 20})
    >>> "Threshold for" in thresholds_page(best_thresholds(predictions, "f_beta"))
    True
    """
    predictions, notices = found.predictions, [f"{one.code}: {message_line(one.message)}" for one in found.notices]
    said = [f"{message_line(sentence(one))}." for one in found.comparisons]
    headline = f"{message_line(title_of(found))}."
    card = opening_card(
        "Thresholds", headline, " ".join(said) or as_sentence(described(predictions)),
        facts=[Fact("Rows", f"{predictions.rows:,}")], remarks=map(as_sentence, notices),
    )  # fmt: skip
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{found.alpha:g}")]
    regions = [] if found.regions is None else [_regions(found.regions)]
    return page(headline, [_chosen(found), *regions, reproduction(command, facts)], opening=card)


def _chosen(found: Thresholds) -> Section:
    columns = [level(found.alpha) if name == "interval" else name for name in HEADINGS]
    said = [element("p", f"{line}.", class_="remark") for line in remarks(found)]
    rows: list[list[Cell | str]] = [
        [Cell(name, visible(one.model)), *texts] for (name, *texts), one in zip(cells(found), found.chosen, strict=True)
    ]
    body = plain_card(table("The best threshold of each model", columns, rows, name="thresholds"), *said)
    return Section("thresholds", "The best threshold of each model", body, short="Thresholds")


def _regions(regions: Regions) -> Section:
    head, *rows = region_table(regions)
    columns = [Column(name, words=True) for name in head]
    title = "The cheaper model, by share of positives and cost of a miss / false alarm"
    said = "; ".join(map(message_line, region_sentences(regions)))
    lead = f"{said}. A dot: no significant difference, all conditions taken together."
    return Section("regions", title, plain_card(table(title, columns, rows, name="regions")), lead, "Costs")
