"""Curves as Markdown: their areas in sight, their points folded away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document.markdown import folded_away, listed_items, table
from referee.report.curves.words import headings, remarks, shown_rows, title_of
from referee.wording import counted, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.curve_points import Curve
    from referee.predictions import Predictions


def to_markdown(predictions: Predictions, curves: Sequence[Curve]) -> str:
    first = curves[0]
    lines = [f"**{first.title}**, {counted(predictions.rows, 'row')}", ""]
    lines += table(["model", "class", first.area_name or "points"], map(_area, curves), words=2)
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in predictions.notices)
    for one in curves:
        lines += folded_away(title_of(one), _points(one))
    return "\n".join(lines).rstrip() + "\n"


def _area(curve: Curve) -> list[str]:
    found = counted(curve.points, "point") if curve.area is None else number(curve.area)
    return [curve.model, curve.class_ or "", found]


def _points(curve: Curve) -> Iterator[str]:
    yield from table(headings(curve), shown_rows(curve), words=0)
    yield from listed_items(remarks(curve))
