"""The catalogues on the site: a list of each, which is also kept in docs/, and a page for each entry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from referee import learners, metrics, schemes, tests
from referee.catalogue import Listing
from referee.comparing import TEST_CARDS
from referee.fitting import LEARNER_CARDS, SCHEME_CARDS
from referee.page import metric_picture, typeset
from referee.predictions import SOURCE_CARDS, sources
from referee.scoring import METRIC_CARDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.catalogue import Card, Catalogue, Shelf
    from referee.document import Term

SHOWN_ABOVE = ("name", "title", "question", "what", "formula", "statistic", "related")


@dataclass(frozen=True)
class Room:
    """A catalogue with how its entries are shown, and the folder of src/referee that holds them."""

    catalogue: Catalogue[Any]
    shelf: Shelf[Any]
    folder: str
    title: str
    lead: str

    @property
    def name(self) -> str:
        return f"{self.shelf.kind}s"

    def file(self, entry: str) -> str:
        return f"src/referee/{self.folder}/{entry}.py"


ROOMS = (
    Room(metrics, METRIC_CARDS, "metrics", "Metrics", "The formula, what it is blind to, and how it is tested."),
    Room(tests, TEST_CARDS, "significance_tests", "Significance tests",
         "Which one answers which question is in [comparing models](guide/compare.md)."),
    Room(schemes, SCHEME_CARDS, "schemes", "Resampling schemes",
         "Where rows belong together (`--group`), every scheme draws whole groups."),
    Room(learners, LEARNER_CARDS, "learners", "Learners", "What [`referee select`](guide/select.md) fits by name."),
    Room(sources, SOURCE_CARDS, "sources", "Sources", "What can be read; [what `compare` takes](guide/inputs.md)."),
)  # fmt: skip


def lists() -> dict[str, str]:
    """Each catalogue as a page of docs/, on which a name leads to the entry's file."""
    return {f"{room.name}.md": _list(room) for room in ROOMS}


def _list(room: Room) -> str:
    listing = Listing(room.shelf, tuple(room.catalogue.values()))
    groups = (_group(room, heading, entries) for heading, entries in listing.groups())
    command = f"`referee {room.name} NAME` shows the card of one."
    return f"# {room.title}\n{room.lead} {command}\n\n" + "\n".join(groups)


def _group(room: Room, heading: str, entries: list[Any]) -> str:
    rows = [
        f"| [`{entry.name}`](../{room.file(entry.name)}) | {_question(room.shelf.card(entry))} |" for entry in entries
    ]
    title = heading[:1].upper() + heading[1:]
    return "\n".join([f"## {title}", "| name | what it is about |", "|---|---|", *rows, ""])


def _question(card: Card) -> str:
    return str(card.values.get("question") or card.values.get("what")).replace("|", "\\|")


def entry_pages() -> Iterator[tuple[str, str]]:
    """The place of each entry's page on the site, and its text."""
    for room in ROOMS:
        for name, entry in room.catalogue.items():
            yield f"{room.name}/{name}.md", _page(room, room.shelf.card(entry))


def _page(room: Room, card: Card) -> str:
    name = str(card.values["name"]).partition("(")[0]
    known = [f"| {term.name} | {_cell(term)} |" for term in card.terms(*SHOWN_ABOVE).items]
    parts = [
        f"# {name}",
        f"**{card.values.get('title', name)}.** {_question(card)}",
        _drawn(card),
        "\n".join(["| property | value |", "|---|---|", *known]),
        _related(room, card),
        f"Written from [{room.file(name)}](../files/{room.file(name)}); what it declares is tested.",
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _cell(term: Term) -> str:
    lines = [f"`{line}`" if term.is_code else re.sub(r"([*_<\[])", r"\\\1", line) for line in term.lines]
    return "<br>".join(lines).replace("|", "\\|")


def _drawn(card: Card) -> str:
    """Formulas and picture; an empty line would end the HTML."""
    lines = [card.values["formula"]] if card.values.get("formula") else card.values.get("statistic") or []
    formulas = "".join(f'<p class="formula">{typeset(line)}</p>' for line in lines)
    picture = metric_picture(metrics[card.values["name"]]) if card.kind == "metric" else None
    shown = f'<div class="picture">{picture}</div>' if picture else ""
    html = f'<div class="entry described"><div>{formulas}</div>{shown}</div>'
    return re.sub(r"\s*\n\s*", " ", html) if formulas or shown else ""


def _related(room: Room, card: Card) -> str:
    names = [name for name in card.values.get("related") or [] if name.partition("(")[0] in room.catalogue]
    links = [f"[`{name}`]({room.catalogue[name].name}.md)" for name in names]
    return f"See also: {', '.join(links)}." if links else ""
