"""All cards of a catalogue as a page, to be searched and filtered by property."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from referee.catalogue import Listing, in_words
from referee.document import block_html
from referee.page.sections.reproduction import reproduction
from referee.page.shell import Section, page, rendered
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.catalogue import Card

FILTERS = {
    "metric": (
        "tasks", "needs", "better", "proper", "depends_on_threshold", "depends_on_prevalence", "additive", "per_class",
    ),
}  # fmt: skip
"""The properties of a kind of entry by which people look for one."""


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
    return _page(f"{kind.capitalize()}s", counted(len(cards), kind), cards, FILTERS.get(kind, ()), command)


def card_page(card: Card, *, command: str = "") -> str:
    """One entry's card."""
    return _page(f"{card.kind.capitalize()}s", counted(1, card.kind), [card], (), command)


def _page(title: str, heading: str, cards: Sequence[Card], keys: Sequence[str], command: str) -> str:
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
    return {
        **{key: card.values.get(key) for key in headline},
        "anchor": card.values["name"].partition("(")[0],
        "properties": json.dumps({key: _properties(card, key) for key in keys}),
        "details": block_html(card.terms(*headline)),
    }
