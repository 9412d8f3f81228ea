"""Curves as a page: drawn together, with their areas and points as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.curve_points import areas_part, drawn_together, points_part
from referee.document import element, part_html
from referee.document.svg import Plot, look
from referee.page.card import plain_card, result_card
from referee.page.sections.curves import drawn_points, legend
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page, rendered
from referee.scoring import described
from referee.wording import as_sentence, distinct_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from referee.curve_points import Curve, Curves


FEW = 3
"""Sections that the navigation has room for."""


def curves_page(curves: Curves, *, command: str = "") -> str:
    """Curves as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.curve_points import curves
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]})
    >>> "<h1>ROC curve of 1 model.</h1>" in curves_page(curves(predictions, "roc"))
    True
    """
    predictions, headline = curves.predictions, f"{curves}."
    said = as_sentence(described(predictions))
    card = result_card("Curves", headline, said, document=curves.document(), rows=predictions.rows)
    labels = distinct_names(dict.fromkeys(curve.model for curve in curves), 40)
    sections = [_drawn(place, together, labels) for place, together in enumerate(drawn_together(curves), 1)]
    facts = [
        ("Fingerprint of the predictions", predictions.fingerprint),
        ("Seed", str(curves.seed)),
        ("Alpha", f"{curves.alpha:g}"),
    ]
    return page(headline, [*sections, _points(curves), reproduction(command, facts)], opening=card)


def _drawn(place: int, curves: Sequence[Curve], labels: dict[str, str]) -> Section:
    """All models on one class."""
    areas, first, places = areas_part(place, curves), curves[0], {name: number for number, name in enumerate(labels)}
    drawing = figure(_chart(curves, places, areas.title), name=f"{first.kind}-{place}", title=first.title)
    pictures = rendered("section/pictures.html", pictures=[drawing], table=part_html(areas))
    body = plain_card(legend(list(labels.values())), pictures)
    return Section(f"curves-{place}", areas.title, body, short=areas.title if place <= FEW else "")


def _chart(curves: Sequence[Curve], places: dict[str, int], title: str) -> Markup:
    first = curves[0]
    low, high = _ends(curves)
    plot = Plot.of((float(min(one.x.min() for one in curves)), float(max(one.x.max() for one in curves))), (low, high))
    parts = []
    for line in first.lines:
        inside = (line.y >= low) & (line.y <= high)
        parts += [plot.path(zip(line.x[inside], line.y[inside], strict=True), "reference")] if inside.any() else []
    for one in reversed(curves):
        style = look(places[one.model])
        ends = [np.clip(end, low, high) for end in (one.low, one.high) if end is not None]
        parts += [plot.path(zip(one.x, end, strict=True), f"curve faint {style}") for end in ends]
        parts.append(plot.path(drawn_points(one), f"curve {style} model-{places[one.model]}"))
    return plot.drawn(plot.axes(_title(first.x_title), _title(first.y_title)), *parts, label=title)


def _ends(curves: Sequence[Curve]) -> tuple[float, float]:
    """Of the y axis: with zero, and without what is beyond all numbers."""
    every = np.concatenate([one.y[np.isfinite(one.y)] for one in curves])
    return min(0.0, float(every.min())), float(every.max())


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]


def _points(curves: Curves) -> Section:
    """The points that the screen shows."""
    shown = []
    for place, curve in enumerate(curves, 1):
        part = points_part(place, curve)
        shown.append(element("details", element("summary", part.title), part_html(part)))
    return Section("points", "Points", plain_card(*shown), short="Points")
