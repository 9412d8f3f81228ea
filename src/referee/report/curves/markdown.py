"""Curves as Markdown: their areas in sight, their points folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.curves.words import headings, remarks, shown_rows, title_of
from referee.report.markdown import escaped, folded_away, listed_items, table_row
from referee.wording import counted, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.curves import Curve
    from referee.predictions import Predictions


def to_markdown(predictions: Predictions, curves: Sequence[Curve]) -> str:
    first = curves[0]
    lines = [f"**{first.title}**, {counted(predictions.rows, 'row')}", ""]
    lines += [table_row(["model", "class", first.area_name or "points"]), "|---|---|--:|"]
    for one in curves:
        found = counted(one.points, "point") if one.area is None else number(one.area)
        lines.append(table_row([one.model, one.class_ or "", found]))
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in predictions.notices)
    for one in curves:
        lines += folded_away(escaped(title_of(one)), _points(one))
    return "\n".join(lines).rstrip() + "\n"


def _points(curve: Curve) -> Iterator[str]:
    names = headings(curve)
    yield table_row(names)
    yield "|" + "--:|" * len(names)
    for row in shown_rows(curve):
        yield table_row(row)
    yield from listed_items(remarks(curve))
