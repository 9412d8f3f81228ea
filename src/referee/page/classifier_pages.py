"""Pages of what a classifier's scores allow: curves with their points, the best thresholds, and a calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.calibration import first_diagnoses
from referee.curve_points import areas_part, drawn_together, points_part
from referee.document import element, part_html
from referee.page.curve_chart import curve_chart
from referee.page.sections.calibration import diagram
from referee.page.sections.curves import legend
from referee.page.sections.reproduction import reproduction
from referee.page.shell import Section, figure, page, plain_card, rendered, result_card
from referee.scoring import described
from referee.thresholds import title_of
from referee.wording import as_sentence, distinct_names, level, message_line, number, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.calibration import Calibration
    from referee.curve_points import Curve, Curves
    from referee.document import Part
    from referee.thresholds import Thresholds


FEW_SECTIONS = 3
"""Sections that the navigation has room for."""
THRESHOLD_SECTIONS = {"thresholds": "Thresholds", "comparisons": "Comparisons", "regions": "Costs"}
CALIBRATION_SECTIONS = {"measures": "Measures", "changes": "Before and after", "methods": "Methods"}
"""The sections' names in the navigation."""
LONGEST_NAME = 40


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
    return Section(f"curves-{place}", areas.title, body, short=areas.title if place <= FEW_SECTIONS else "")


def _with_area(label: str, curve: Curve) -> str:
    return label if curve.area is None else f"{label}, {curve.area_name} {number(curve.area, 3)}"


def _points(curves: Curves) -> Section:
    """The points that the screen shows."""
    shown = []
    for place, curve in enumerate(curves, 1):
        part = points_part(place, curve)
        shown.append(element("details", element("summary", part.title), part_html(part)))
    return Section("points", "Points", plain_card(*shown), short="Points")


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
        sections.append(Section(key, title, plain_card(part_html(part)), short=THRESHOLD_SECTIONS[key]))
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{thresholds.alpha:g}")]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)


def calibration_page(calibration: Calibration, *, command: str = "") -> str:
    """A calibration as one self-contained HTML file."""
    document, predictions = calibration.document(), calibration.predictions
    name = one_line(calibration.model, LONGEST_NAME)
    said = message_line(calibration.headline or as_sentence(described(predictions)))
    headline, answer = f"Calibration of {name}.", message_line(document.sentence)
    card = result_card("Calibration", headline, answer, said, document=document, rows=predictions.rows)
    sections = [*_diagrams(calibration, name), *map(_part_section, document.parts)]
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{calibration.alpha:g}")]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)


def _part_section(part: Part) -> Section:
    key = part.tables[0].name if part.tables else "methods"
    return Section(key, part.title, plain_card(part_html(part)), short=CALIBRATION_SECTIONS.get(key, ""))


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
