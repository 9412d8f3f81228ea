"""Pages of calibrations: of one model, before and after each method; of several, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.calibration import Calibration, Calibrations, Reliability, first_diagnoses
from referee.document import Part, as_sentence, distinct_names, element, level, message_line, one_line, part_html
from referee.page.sections.calibration import diagram
from referee.page.sections.curves import legend
from referee.page.shell import Section, figure, folded_part, page, plain_card, reproduction, result_card
from referee.page.subject import LONGEST_NAME, MOST_DETAILED, MOST_SHOWN
from referee.scoring import described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup


SHORT_TITLES = {
    "measures": "Measures", "changes": "Before and after", "methods": "Methods", "diagnosis": "Diagnosis",
    "before-and-after": "Before and after",
}  # fmt: skip
"""The sections' names in the navigation."""
READING = (
    "Dots are bins of rows, larger ones with more rows; on the diagonal, forecasts come true as often as they should."
)


def calibration_page(calibration: Calibration, *, command: str = "") -> str:
    """A calibration as one self-contained HTML file."""
    document, predictions = calibration.document(), calibration.predictions
    name = one_line(calibration.model, LONGEST_NAME)
    said = message_line(calibration.headline or as_sentence(described(predictions)))
    headline, answer = f"Calibration of {name}.", message_line(document.sentence)
    card = result_card("Calibration", headline, answer, said, document=document, rows=predictions.rows)
    drawn = element("div", *_diagrams(calibration, name), class_="two")
    sections = [Section("diagrams", "Forecast and outcome", drawn, _lead(calibration), "Diagrams")]
    sections += map(_part_section, document.parts)
    return page(headline, [*sections, _reproduction(calibration, command)], opening=card)


def calibrations_page(calibrations: Calibrations, *, command: str = "") -> str:
    """Several calibrations as one self-contained HTML file.

    >>> from referee import Predictions, calibrate
    >>> models = {"a": [0.9, 0.7, 0.6, 0.1] * 20, "b": [0.8, 0.4, 0.6, 0.3] * 20}
    >>> text = calibrations_page(calibrate(Predictions.from_arrays([1, 0, 1, 0] * 20, models), method="platt"))
    >>> text.count('data-name="reliability-before"'), text.count("<section")
    (1, 5)
    """
    document, rows = calibrations.document(), calibrations.predictions.rows
    said = as_sentence(described(calibrations.predictions))
    card = result_card("Calibration", message_line(document.sentence), said, document=document, rows=rows)
    labels = distinct_names(calibrations, LONGEST_NAME)
    sections = [_together(calibrations, labels), *map(_part_section, document.parts), _each(calibrations, labels)]
    title = f"Calibration of {len(calibrations)} models"
    return page(title, [*sections, _reproduction(calibrations.first, command)], opening=card)


def _together(calibrations: Calibrations, labels: dict[str, str]) -> Section:
    """All models in one diagram as they are, and in one after the best method of each."""
    shown = [*calibrations.each.values()][:MOST_SHOWN]
    before = {place: _bins(calibration, calibration.model) for place, calibration in enumerate(shown)}
    after = {
        place: _bins(calibration, calibration.fitted[calibration.best].model.name)
        for place, calibration in enumerate(shown)
    }
    drawn = [_diagram_of(before, "reliability-before", "As delivered")]
    drawn += [_diagram_of(after, "reliability-after", "After the best method for each")]
    left = len(calibrations) - len(shown)
    lead = READING + (f" The first {MOST_SHOWN} of {len(calibrations):,} models are drawn." if left else "")
    names = legend([labels[calibration.model] for calibration in shown])
    body = element("div", names, element("div", *drawn, class_="two"), class_="card", data_legend="")
    return Section("together", "Forecast and outcome", body, lead, "Diagrams")


def _bins(calibration: Calibration, model: str) -> Reliability | None:
    """Of scores that are not probabilities there are none."""
    return calibration.diagnoses[model][0].binned if model in calibration.diagnoses else None


def _diagram_of(each: dict[int, Reliability | None], name: str, title: str) -> Markup:
    given = {place: bins for place, bins in each.items() if bins is not None}
    return figure(diagram(given), name=name, title=title)


def _each(calibrations: Calibrations, labels: dict[str, str]) -> Section:
    """Each model before and after each method, with all that is measured."""
    shown = [*calibrations.each.values()][:MOST_DETAILED]
    panels = [_panel(calibration, labels[calibration.model], place) for place, calibration in enumerate(shown)]
    left = len(calibrations) - len(shown)
    lead = _lead(shown[0]) + (f" The first {MOST_DETAILED} models are shown here." if left else "")
    body = element("div", *panels, class_="card", data_panels="Model")
    return Section("models", "Each model before and after", body, lead, "Each model")


def _panel(calibration: Calibration, label: str, place: int) -> Markup:
    return element(
        "div",
        element("h3", label, class_="panel-title"),
        element("p", message_line(calibration.sentence)),
        element("div", *_diagrams(calibration, label, place, f"-{place + 1}"), class_="three"),
        *map(folded_part, calibration.document().parts),
        data_panel=label,
    )


def _diagrams(calibration: Calibration, name: str, colour: int = 0, suffix: str = "") -> Iterator[Markup]:
    """The model as it is, then after each method."""
    each = zip([name, *calibration.fitted], first_diagnoses(calibration), strict=True)
    for place, (title, diagnosis) in enumerate(each, 1):
        if diagnosis is not None:
            yield figure(diagram({colour: diagnosis.binned}), name=f"reliability{suffix}-{place}", title=title)


def _lead(calibration: Calibration) -> str:
    within = level(calibration.alpha)
    return f"Dots are bins of rows; bars show where calibrated forecasts would be in {within} of samples."


def _part_section(part: Part) -> Section:
    key = part.tables[0].name if part.tables else "methods"
    return Section(key, part.title, plain_card(part_html(part)), short=SHORT_TITLES.get(key, ""))


def _reproduction(calibration: Calibration, command: str) -> Section:
    predictions = calibration.predictions
    facts = [("Read as", described(predictions)), ("Fingerprint of the predictions", predictions.fingerprint)]
    return reproduction(command, [*facts, ("Alpha", f"{calibration.alpha:g}")])
