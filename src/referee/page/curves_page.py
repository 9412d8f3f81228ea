"""Curves as a page: drawn together, with their areas and points as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.curve_points import areas_part, drawn_together, points_part
from referee.document import element, part_html
from referee.page.card import plain_card, result_card
from referee.page.curve_chart import curve_chart
from referee.page.sections.curves import legend
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page, rendered
from referee.scoring import described
from referee.wording import as_sentence, distinct_names, number

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    name = first.kind.replace("_", "-") + (f"-{place}" if place > 1 else "")
    drawing = figure(curve_chart(curves, places, areas.title), name=name, title=areas.title)
    pictures = rendered("section/pictures.html", pictures=[drawing], table=part_html(areas))
    named = labels | {curve.model: _with_area(labels[curve.model], curve) for curve in curves}
    body = element("div", legend(list(named.values())), pictures, class_="card", data_legend="")
    return Section(f"curves-{place}", areas.title, body, short=areas.title if place <= FEW else "")


def _with_area(label: str, curve: Curve) -> str:
    return label if curve.area is None else f"{label}, {curve.area_name} {number(curve.area, 3)}"


def _points(curves: Curves) -> Section:
    """The points that the screen shows."""
    shown = []
    for place, curve in enumerate(curves, 1):
        part = points_part(place, curve)
        shown.append(element("details", element("summary", part.title), part_html(part)))
    return Section("points", "Points", plain_card(*shown), short="Points")
