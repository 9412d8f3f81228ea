"""Cards: the one that a page opens with, and the plain one that its tables stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from referee.document import element
from referee.page.shell import rendered
from referee.wording import as_sentence, message_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markupsafe import Markup

    from referee.document import Document


class Fact(NamedTuple):
    """A number that everybody looks for first."""

    name: str
    value: str
    remark: str = ""


def opening_card(
    tag: str,
    headline: str,
    sentence: str,
    below: str = "",
    *,
    look: str = "",
    facts: Iterable[Fact] = (),
    remarks: Iterable[str] = (),
) -> Markup:
    """The answer in words, the numbers that it rests on, and what else is to be known; `look` is good, warn or bad.

    >>> "<h1>a is best.</h1>" in opening_card("Winner", "a is best.", "It has 0.9 against 0.8.")
    True
    """
    return rendered(
        "section/verdict_card.html",
        tag=tag, headline=headline, sentence=sentence, below=below, look=look, facts=[*facts], remarks=[*remarks],
    )  # fmt: skip


def result_card(tag: str, headline: str, *said: str, document: Document, rows: int) -> Markup:
    """What a page of a result opens with, with its rows and its warnings."""
    warned = [as_sentence(f"{notice.code}: {message_line(notice.message)}") for notice in document.notices]
    return opening_card(tag, headline, *said, facts=[Fact("Rows", f"{rows:,}")], remarks=warned)


def plain_card(*parts: str) -> Markup:
    """What belongs together."""
    return element("div", *parts, class_="card")
