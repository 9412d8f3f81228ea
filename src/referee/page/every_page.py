"""The page of every result, as a file and inside a notebook: without charts, the parts of its document, or cards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from referee.catalogue import Card, Listing, in_words
from referee.document import (
    Document,
    Part,
    Result,
    as_sentence,
    block_html,
    counted,
    element,
    message_line,
    part_html,
    refuse_no_place,
    write_file,
)
from referee.errors import WriteError
from referee.page.metric_pictures import metric_picture
from referee.page.shell import Fact, Section, opening_card, page, plain_card, rendered, reproduction, with_sections
from referee.page.told_paths import without_folders
from referee.page.typeset_formula import typeset
from referee.scoring import metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from referee.lecture import Lecture


FIRST = b"<!doctype html>"
SHORT = {"roc": "ROC", "t-test": "t-test", "t-table": "t table"}
"""Names of sections that are not written like words."""
FRAME = Markup(
    '<p>{}</p><iframe title="{}" sandbox="allow-scripts allow-downloads" width="100%" height="780" srcdoc="{}">'
    "</iframe>"
)


def page_of(result: Result, *, command: str = "", explain: bool = False) -> str:
    """A result as one self-contained HTML file; `command` is what it says of how to make it again."""
    from importlib import import_module

    module, function = PAGES.get(type(result).__name__, ("every_page", "document_page"))
    build = getattr(import_module(f"referee.page.{module}"), function)
    text = build(result, command=command)
    text = with_sections(text, map(part_section, result.explanation())) if explain else text
    return without_folders(text, result, command)


PAGES = {
    "Verdict": ("verdict_page", "verdict_page"),
    "Scores": ("verdict_page", "scores_page"),
    "Gate": ("verdict_page", "gate_page"),
    "Thresholds": ("thresholds_page", "thresholds_page"),
    "Calibration": ("calibration_page", "calibration_page"),
    "Calibrations": ("calibration_page", "calibrations_page"),
    "Curves": ("curves_page", "curves_page"),
    "Plan": ("plan_page", "plan_page"),
    "Study": ("study_page", "study_page"),
    "OwnStudy": ("study_page", "own_study_page"),
    "RegretMap": ("map_page", "map_page"),
    "Lecture": ("every_page", "lecture_page"),
    "Listing": ("every_page", "catalogue_page"),
    "Card": ("every_page", "card_page"),
}
"""Where the page of a result is made that has more than the parts of its document: loaded when it is asked for."""


def refuse_no_page(path: str | PathLike[str]) -> None:
    """Stop before the work where a page cannot be written; a file that is no page stays as it is."""
    refuse_no_place("--html", path)
    place = Path(path)
    if place.exists() and place.stat().st_size and not _is_page(place):
        raise WriteError(
            "E_EXISTS", f"--html {path}: this file already exists, and is not an HTML page", hint="name another file"
        )


def save_page(path: str | PathLike[str], text: str) -> None:
    """Write a page."""
    refuse_no_page(path)
    write_file("--html", path, text.encode())


def _is_page(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(FIRST)).lower() == FIRST


class FramedPage:
    """A page in a frame of a notebook: nothing of it can reach the notebook, and the sentence is there without it.

    >>> FramedPage("The verdict", "a wins", "<h1>A & B</h1>")._repr_html_().partition("srcdoc=")[2]
    '"&lt;h1&gt;A &amp; B&lt;/h1&gt;"></iframe>'
    """

    def __init__(self, title: str, sentence: str, text: str) -> None:
        self.title, self.sentence, self.text = title, sentence, text

    def __repr__(self) -> str:
        return f"<page: {self.sentence}>"

    def _repr_html_(self) -> str:
        return str(FRAME.format(message_line(self.sentence), self.title, self.text))


LECTURE = "Performance evaluation, worked through with numbers."
LOOKS = {"": "", "good": "good", "even": "warn", "bad": "bad"}
FILTERS = {
    "metric": (
        "tasks", "needs", "better", "proper", "depends_on_threshold", "depends_on_prevalence", "additive", "per_class",
    ),
}  # fmt: skip
"""The properties of a kind of entry by which people look for one."""
MARKS = " In the pictures, one more row in a cell marked + raises the metric, and in one marked − lowers it."
FIRST_FILTERS = 2
"""The others are unfolded on request."""
NEEDS = {
    "decisions": "I need to decide: is the right class named?",
    "ranking": "I need to rank: do the right rows come first?",
    "probabilities": "I need to trust probabilities: do they come true?",
    "numbers": "I need to predict numbers: how far off are they?",
    "quantiles": "I need intervals: do they contain the truth as often as they should?",
    "given scores, without a truth": "I have scores without a truth: how good are they as a whole?",
    "the data, whatever the model": "I need to know the data, whatever the model",
}


def document_page(result: Result, *, command: str = "") -> str:
    """Everything that the document says, without charts."""
    document = result.document()
    title = document.opening or document.sentence
    sections = [*map(part_section, document.parts), *([reproduction(command, ())] if command else [])]
    return page(title, sections, opening=document_card(document, document.kind.capitalize(), title))


def lecture_page(lecture: Lecture, *, command: str = "") -> str:
    """Each section of the lecture on a card, with its numbers under headings of their own.

    >>> from referee.lecture import lecture
    >>> lecture_page(lecture(["holdout"])).count("<h2")
    1
    """
    document = lecture.document()
    sections = [_lecture_section(name, *lecture.parts_of(name)) for name in lecture.names]
    card = opening_card("Lecture", LECTURE, as_sentence(document.about), remarks=_remarks(document))
    return page(LECTURE, [*sections, *([reproduction(command, ())] if command else [])], opening=card)


def _lecture_section(name: str, first: Part, *rest: Part) -> Section:
    parts = [html for part in rest for html in (element("h3", part.title), part_html(part)) if html]
    return Section(name, first.title, plain_card(part_html(first), *parts), short=_short(name))


def document_card(document: Document, tag: str, headline: str, below: str = "", facts: Iterable[Fact] = ()) -> Markup:
    """What a page opens with: the answer, what it is about, and what else is to be known."""
    sentence = document.sentence if document.sentence != headline else ""
    look = LOOKS[document.tone]
    return opening_card(tag, headline, sentence, below, look=look, facts=facts, remarks=_remarks(document))


def _remarks(document: Document) -> Iterator[str]:
    yield from map(as_sentence, document.notes)
    yield from (as_sentence(f"{notice.code}: {notice.message}") for notice in document.notices)


def part_section(part: Part) -> Section:
    """A part on a card of its own; its first table gives it its name in the navigation.

    >>> from referee.document import Part, table
    >>> section = part_section(Part("Table 2. Ratios", (table("table-2", ["a"], [["b"]]),)))
    >>> section.key, section.short
    ('table-2', 'Table 2')
    """
    key = part.tables[0].name if part.tables else re.sub(r"\W+", "-", part.title.lower()).strip("-")
    return Section(key or "details", part.title or "Details", plain_card(part_html(part)), short=_short(key))


def _short(key: str) -> str:
    return SHORT.get(key) or key.replace("-", " ").capitalize()


def catalogue_page(listing: Listing[Any], *, command: str = "") -> str:
    """Every entry's card, in the order of the groups.

    >>> from referee import metrics
    >>> from referee.scoring import METRIC_CARDS
    >>> text = catalogue_page(Listing(METRIC_CARDS, (metrics["brier"], metrics["mae"])))
    >>> text.count("<article"), "Brier score" in text
    (2, True)
    """
    groups = {group: [listing.shelf.card(entry) for entry in entries] for group, entries in listing.groups()}
    kind, cards = listing.shelf.kind, [card for group in groups.values() for card in group]
    return _cards_page(
        f"{kind.capitalize()}s", counted(len(cards), kind), cards, FILTERS.get(kind, ()), command, groups
    )


def card_page(card: Card, *, command: str = "") -> str:
    """One entry's card."""
    return _cards_page(f"{card.kind.capitalize()}s", counted(1, card.kind), [card], (), command)


def _cards_page(
    title: str,
    heading: str,
    cards: Sequence[Card],
    keys: Sequence[str],
    command: str,
    groups: Mapping[str, Sequence[Card]] | None = None,
) -> str:
    offered, shown = _filters(cards, keys), [_shown(card, keys) for card in cards]
    first, rest = offered[:FIRST_FILTERS], offered[FIRST_FILTERS:]
    body = rendered("section/cards.html", filters=first, more_filters=rest, cards=shown)
    lead = "Each card is generated from the entry's own file, and what it declares is tested."
    lead += MARKS if any(card["picture"] for card in shown) else ""
    again = [reproduction(command, ())] if command else []
    index = [_index(groups)] if groups and any(group in NEEDS for group in groups) else []
    return page(title, [*index, Section("cards", heading, body, lead, "All" if index else ""), *again])


def _index(groups: Mapping[str, Sequence[Card]]) -> Section:
    """The entries by what somebody wants to judge, each with the question that it answers."""
    asked = [
        {"need": NEEDS.get(group, group), "entries": [_shown(card, ()) for card in cards]}
        for group, cards in groups.items()
    ]
    return Section("index", "What do you need?", rendered("section/index.html", groups=asked), short="Index")


def _filters(cards: Sequence[Card], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Each property with the values that some card has; none where all have the same."""
    offered = {key: sorted({value for card in cards for value in _properties(card, key)}) for key in keys}
    return [
        {"key": key, "heading": key.replace("_", " ").capitalize(), "choices": values}
        for key, values in offered.items()
        if len(values) > 1
    ]


def _properties(card: Card, key: str) -> list[str]:
    value = card.values[key]
    return [in_words(part) for part in (value if isinstance(value, list) else [value])]


def _shown(card: Card, keys: Sequence[str]) -> dict[str, Any]:
    headline = ("name", "title", "question", "formula", "statistic")
    said = {key: card.values.get(key) for key in headline}
    lines = [said["formula"]] if said["formula"] else said["statistic"] or []
    return {
        **said,
        "question": said["question"] or card.values.get("what"),
        "formulas": [*map(typeset, lines)],
        "picture": metric_picture(metrics[card.values["name"]]) if card.kind == "metric" else None,
        "anchor": card.values["name"].partition("(")[0],
        "properties": json.dumps({key: _properties(card, key) for key in keys}),
        "details": block_html(card.terms(*headline, "what")),
    }
