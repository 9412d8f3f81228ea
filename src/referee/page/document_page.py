"""Pages without charts: of any result, the parts of its document below its answer; of a catalogue, all its cards."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from referee.catalogue import Listing, in_words
from referee.document import block_html, part_html
from referee.page.sections.reproduction import reproduction
from referee.page.shell import Section, opening_card, page, plain_card, rendered
from referee.wording import as_sentence, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from referee.catalogue import Card
    from referee.document import Document, Part, Result
    from referee.page.shell import Fact


LOOKS = {"": "", "good": "good", "even": "warn", "bad": "bad"}
FILTERS = {
    "metric": (
        "tasks", "needs", "better", "proper", "depends_on_threshold", "depends_on_prevalence", "additive", "per_class",
    ),
}  # fmt: skip
"""The properties of a kind of entry by which people look for one."""


def document_page(result: Result, *, command: str = "") -> str:
    """Everything that the document says, without charts."""
    document = result.document()
    title = document.opening or document.sentence
    sections = [*map(part_section, document.parts), *([reproduction(command, ())] if command else [])]
    return page(title, sections, opening=document_card(document, document.kind.capitalize(), title))


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
    return key.replace("-", " ").capitalize()


def catalogue_page(listing: Listing[Any], *, command: str = "") -> str:
    """Every entry's card, in the order of the groups.

    >>> from referee import metrics
    >>> from referee.scoring import METRIC_CARDS
    >>> text = catalogue_page(Listing(METRIC_CARDS, (metrics["brier"], metrics["mae"])))
    >>> text.count("<article"), "Brier score" in text
    (2, True)
    """
    cards = [listing.shelf.card(entry) for _, entries in listing.groups() for entry in entries]
    kind = listing.shelf.kind
    return _cards_page(f"{kind.capitalize()}s", counted(len(cards), kind), cards, FILTERS.get(kind, ()), command)


def card_page(card: Card, *, command: str = "") -> str:
    """One entry's card."""
    return _cards_page(f"{card.kind.capitalize()}s", counted(1, card.kind), [card], (), command)


def _cards_page(title: str, heading: str, cards: Sequence[Card], keys: Sequence[str], command: str) -> str:
    body = rendered("section/cards.html", filters=_filters(cards, keys), cards=[_shown(card, keys) for card in cards])
    lead = "Each card is written from the entry's own file; what it declares is tested."
    again = [reproduction(command, ())] if command else []
    return page(title, [Section("cards", heading, body, lead), *again])


def _filters(cards: Sequence[Card], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Each property with the values that some card has; none where all have the same."""
    offered = {key: sorted({value for card in cards for value in _properties(card, key)}) for key in keys}
    return [
        {"key": key, "heading": key.replace("_", " "), "choices": values}
        for key, values in offered.items()
        if len(values) > 1
    ]


def _properties(card: Card, key: str) -> list[str]:
    value = card.values[key]
    return [in_words(part) for part in (value if isinstance(value, list) else [value])]


def _shown(card: Card, keys: Sequence[str]) -> dict[str, Any]:
    headline = ("name", "title", "question", "formula")
    said = {key: card.values.get(key) for key in headline}
    return {
        **said,
        "question": said["question"] or card.values.get("what"),
        "anchor": card.values["name"].partition("(")[0],
        "properties": json.dumps({key: _properties(card, key) for key in keys}),
        "details": block_html(card.terms(*headline, "what")),
    }
