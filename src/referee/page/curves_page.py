"""Curves as a page: drawn together, with their areas and points as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, element, number_cell
from referee.page.card import Fact, opening_card, plain_card
from referee.page.curve_chart import curve_chart
from referee.page.sections.curves import legend
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page, rendered, table
from referee.report.curves.words import headings, remarks, shown_rows, title_of
from referee.scoring.shown_scores import described
from referee.wording import as_sentence, counted, distinct_names, message_line, number, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.curve_points import Curve
    from referee.predictions import Predictions


FEW = 3
"""Sections that the navigation has room for."""


def curves_page(
    predictions: Predictions, curves: Sequence[Curve], *, alpha: float = 0.05, seed: int = 0, command: str = ""
) -> str:
    """Curves of one kind as one self-contained HTML file.

    >>> from referee import Predictions
    >>> from referee.curve_points import curves
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0], {"m": [0.9, 0.7, 0.6, 0.1]})
    >>> "<h1>ROC curve of 1 model.</h1>" in curves_page(predictions, curves(predictions, "roc"))
    True
    """
    labels = distinct_names(dict.fromkeys(one.model for one in curves), 40)
    headline = f"{curves[0].title} of {counted(len(labels), 'model')}."
    notices = [f"{one.code}: {message_line(one.message)}" for one in predictions.notices]
    card = opening_card(
        "Curves", headline, as_sentence(described(predictions)), facts=[Fact("Rows", f"{predictions.rows:,}")],
        remarks=map(as_sentence, notices),
    )  # fmt: skip
    classes = list(dict.fromkeys(one.class_ for one in curves))
    sections = [
        _drawn(place, [one for one in curves if one.class_ == name], labels) for place, name in enumerate(classes)
    ]
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Seed", str(seed)), ("Alpha", f"{alpha:g}")]
    return page(headline, [*sections, _points(curves), reproduction(command, facts)], opening=card)


def _drawn(place: int, curves: Sequence[Curve], labels: dict[str, str]) -> Section:
    """All models on one class."""
    first, places = curves[0], {name: one for one, name in enumerate(labels)}
    title = f"{first.title} for {one_line(first.class_ or '')!r}"
    name = first.kind.replace("_", "-") + (f"-{place + 1}" if place else "")
    drawing = figure(curve_chart(curves, places, title), name=name, title=title)
    rows = [
        [Cell(labels[one.model], visible(one.model)), number_cell(one.area), Cell(f"{one.points:,}", float(one.points))]
        for one in curves
    ]
    areas = table(title, ["Model", first.area_name or "Area", "Points"], rows, name=f"areas-{place + 1}", sortable=True)
    pictures = rendered("section/pictures.html", pictures=[drawing], table=areas)
    named = labels | {one.model: _with_area(labels[one.model], one) for one in curves}
    body = element("div", legend(list(named.values())), pictures, class_="card", data_legend="")
    return Section(f"curves-{place + 1}", title, body, short=one_line(title) if place < FEW else "")


def _with_area(label: str, curve: Curve) -> str:
    return label if curve.area is None else f"{label}, {curve.area_name} {number(curve.area, 3)}"


def _points(curves: Sequence[Curve]) -> Section:
    """The points that the screen shows."""
    parts = []
    for place, one in enumerate(curves, 1):
        found = table(title_of(one), headings(one), list(shown_rows(one)), name=f"points-{place}")
        said = [element("p", as_sentence(text), class_="remark") for text in remarks(one)]
        parts.append(element("details", element("summary", title_of(one)), found, *said))
    return Section("points", "Points", plain_card(*parts), short="Points")
