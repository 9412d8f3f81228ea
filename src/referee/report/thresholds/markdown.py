"""Thresholds as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.report.scores.shown import level
from referee.report.thresholds.words import (
    HEADINGS,
    cells,
    region_sentences,
    region_table,
    remarks,
    sentence,
    title_of,
)
from referee.wording import message_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.thresholds import Regions, Thresholds


def to_markdown(found: Thresholds) -> str:
    headings = [level(found.alpha) if name == "interval" else name for name in HEADINGS]
    lines = [f"**{escaped(title_of(found))}**", "", table_row(headings), "|---|" + "--:|" * (len(headings) - 1)]
    lines += map(table_row, cells(found))
    lines += listed_items(map(sentence, found.comparisons))
    lines += listed_items(remarks(found))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in found.notices)
    if found.regions is not None:
        lines += folded_away("The cheaper model, by share of positives and ratio of costs", _regions(found.regions))
    return "\n".join(lines).rstrip() + "\n"


def _regions(regions: Regions) -> Iterator[str]:
    head, *rows = region_table(regions)
    yield table_row(head)
    yield "|---|" + "---|" * (len(head) - 1)
    yield from map(table_row, rows)
    yield from listed_items(region_sentences(regions))
