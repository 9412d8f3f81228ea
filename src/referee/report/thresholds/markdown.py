"""Thresholds as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document.markdown import escaped, folded_away, listed_items, table
from referee.report.thresholds.words import (
    HEADINGS,
    cells,
    region_sentences,
    region_table,
    remarks,
    sentence,
    title_of,
)
from referee.wording import level, message_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.thresholds import Regions, Thresholds


def to_markdown(found: Thresholds) -> str:
    headings = [level(found.alpha) if name == "interval" else name for name in HEADINGS]
    lines = [f"**{escaped(title_of(found))}**", "", *table(headings, cells(found))]
    lines += listed_items(map(sentence, found.comparisons))
    lines += listed_items(remarks(found))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in found.notices)
    if found.regions is not None:
        lines += folded_away("The cheaper model, by share of positives and ratio of costs", _regions(found.regions))
    return "\n".join(lines).rstrip() + "\n"


def _regions(regions: Regions) -> Iterator[str]:
    head, *rows = region_table(regions)
    yield from table(head, rows, words=len(head))
    yield from listed_items(region_sentences(regions))
