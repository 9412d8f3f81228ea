"""All cards of a catalogue as a page, to be searched and filtered by property."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from referee.page.shell import Section, page, rendered
from referee.report.catalogue.cards import in_words
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.report.catalogue.cards import Card, EntryType, Shelf

FILTERS = {
    "metric": (
        "tasks", "needs", "better", "proper", "depends_on_threshold", "depends_on_prevalence", "additive", "per_class",
    ),
}  # fmt: skip
"""The properties of a kind of entry by which people look for one."""


def catalogue_page(entries: Sequence[EntryType], shelf: Shelf[EntryType]) -> str:
    """Every entry's card under the heading of its group.

    >>> from referee import metrics
    >>> from referee.report.catalogue.metric_cards import METRICS
    >>> text = catalogue_page([metrics["brier"], metrics["mae"]], METRICS)
    >>> text.count("<article"), "Brier score" in text
    (2, True)
    """
    keys = FILTERS.get(shelf.kind, ())
    cards = [(shelf.headings[shelf.group(entry)], shelf.card(entry)) for entry in entries]
    headings = [heading for heading in shelf.headings.values() if any(heading == found for found, _ in cards)]
    ordered = [card for heading in headings for found, card in cards if found == heading]
    body = rendered("section/cards.html", filters=_filters(ordered, keys), cards=[_shown(c, keys) for c in ordered])
    lead = "Each card is written from the entry's own file; what it declares is tested."
    title = f"{shelf.kind.capitalize()}s"
    return page(title, [Section("cards", f"{counted(len(entries), shelf.kind)}", body, lead)])


def _filters(cards: Sequence[Card], keys: Sequence[str]) -> list[dict[str, Any]]:
    """Each property with the values that some card has; none where all have the same."""
    found = {key: sorted({value for card in cards for value in _properties(card, key)}) for key in keys}
    return [
        {"key": key, "heading": key.replace("_", " "), "choices": values}
        for key, values in found.items()
        if len(values) > 1
    ]


def _properties(card: Card, key: str) -> list[str]:
    value = card.values[key]
    return [in_words(one) for one in (value if isinstance(value, list) else [value])]


def _shown(card: Card, keys: Sequence[str]) -> dict[str, Any]:
    headline = ("name", "title", "question", "formula")
    return {
        **{key: card.values.get(key) for key in headline},
        "anchor": card.values["name"].partition("(")[0],
        "properties": json.dumps({key: _properties(card, key) for key in keys}),
        "below": [(heading, lines) for _, heading, lines in card.below(*headline)],
    }
