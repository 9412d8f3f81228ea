"""A calibration as a page: the diagrams of the model and of every map, the measures, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, element
from referee.page.card import Fact, opening_card, plain_card
from referee.page.sections.calibration import diagram
from referee.page.sections.reproducing import reproduction
from referee.page.shell import Section, figure, page, table
from referee.report.calibration.tables import change_lines, measure_lines, signs_in_words
from referee.scoring.shown_scores import described
from referee.wording import as_sentence, level, message_line, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.calibration import Calibration, Diagnosis

LONGEST_NAME = 40


def calibration_page(found: Calibration, *, command: str = "") -> str:
    """A calibration as one self-contained HTML file."""
    predictions, name = found.predictions, one_line(found.model, LONGEST_NAME)
    headline = f"Calibration of {name}."
    said = found.headline or as_sentence(described(predictions))
    notices = [f"{one.code}: {message_line(one.message)}" for one in found.notices]
    card = opening_card(
        "Calibration", headline, message_line(found.sentence), message_line(said),
        facts=[Fact("Rows", f"{predictions.rows:,}")], remarks=map(as_sentence, notices),
    )  # fmt: skip
    sections = [*_diagrams(found), *_measures(found), _changes(found), _methods(found)]
    facts = [("Fingerprint of the predictions", predictions.fingerprint), ("Alpha", f"{found.alpha:g}")]
    return page(headline, [*sections, reproduction(command, facts)], opening=card)


def _headings(found: Calibration) -> list[str]:
    return ["", one_line(found.model, LONGEST_NAME), *found.fitted]


def _each(found: Calibration) -> list[Diagnosis | None]:
    """Of every model: of the positive class, or of the top label."""
    return [found.diagnoses[name][0] if name in found.diagnoses else None for name in found.predictions.names]


def _diagrams(found: Calibration) -> Iterator[Section]:
    shown = [
        figure(diagram(one.binned, place), name=f"reliability-{place + 1}", title=title)
        for place, (title, one) in enumerate(zip(_headings(found)[1:], _each(found), strict=True))
        if one is not None
    ]
    lead = f"Dots are bins of rows; bars are where calibrated forecasts would be in {level(found.alpha)} of samples."
    if shown:
        yield Section("diagrams", "Said and happened", element("div", *shown, class_="two"), lead, "Diagrams")


def _measures(found: Calibration) -> Iterator[Section]:
    each = _each(found)
    if any(each):
        rows = [
            [Cell(line.name, mark="quiet" if line.part else ""), *map(Cell, line.cells)] for line in measure_lines(each)
        ]
        body = table("Measures of calibration", _headings(found), rows, name="measures")
        lead = "Intercept above 0: forecasts too low; slope below 1: forecasts too extreme."
        yield Section("measures", "Measures", plain_card(body), lead, "Measures")


def _changes(found: Calibration) -> Section:
    rows = [[line.name, *line.cells] for line in change_lines(found)]
    body = table("Before and after", _headings(found), rows, name="changes")
    lead = f"On rows that the maps were not fitted on. {as_sentence(signs_in_words(found))}"
    return Section("changes", "Before and after", plain_card(body), lead, "Before and after")


def _methods(found: Calibration) -> Section:
    lines = [f"{one.method.name}: {one.method.assumes}; {one.effect}" for one in found.fitted.values()]
    lines += [f"{name}: left out, {message_line(reason)}" for name, reason in found.skipped.items()]
    said = [element("p", as_sentence(line), class_="remark") for line in lines]
    return Section("methods", "What each method assumes", plain_card(*said), short="Methods")
