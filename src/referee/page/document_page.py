"""The page of any result: its answer in a card, and below it the parts of its document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from referee.document import part_html
from referee.page.sections.reproduction import reproduction
from referee.page.shell import Section, opening_card, page, plain_card
from referee.wording import as_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markupsafe import Markup

    from referee.document import Document, Part, Result
    from referee.page.shell import Fact

LOOKS = {"": "", "good": "good", "even": "warn", "bad": "bad"}


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
