"""Cards: all that is known of an entry of a catalogue, under headings; and the list of the entries."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from referee.catalogue import write_value
from referee.document import json_text, write_table
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.catalogue import Entry

EntryType = TypeVar("EntryType", bound="Entry")


@dataclass(frozen=True)
class Card:
    """One entry: its values as JSON holds them, name, title and question first; and those in words."""

    values: dict[str, Any]
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The lines of a value that does not simply read as it is."""
    code: frozenset[str] = frozenset()
    """What is to be typed: headings whose lines are code."""

    def lines(self, heading: str) -> list[str]:
        return list(self.words.get(heading, [in_words(self.values[heading])]))

    def below(self, *shown: str) -> Iterator[tuple[str, str, list[str]]]:
        """All that has something to say, except what is shown elsewhere: key, heading, lines."""
        for key, value in self.values.items():
            if key not in shown and value not in (None, [], {}, ""):
                yield key, key.replace("_", " "), self.lines(key)


@dataclass(frozen=True)
class Shelf(Generic[EntryType]):
    """How the entries of one kind are shown."""

    kind: str
    card: Callable[[EntryType], Card]
    summary: tuple[str, ...]
    """What a table of all of them shows; the question comes last."""
    headings: Mapping[Any, str]
    """The groups of the list, in their order."""
    group: Callable[[EntryType], str]


def show_catalogue(entries: Sequence[EntryType], form: str, shelf: Shelf[EntryType]) -> None:
    """List entries, one line each."""
    rows = [[in_words(getattr(entry, key)) for key in shelf.summary] for entry in entries]
    if form == "json":
        cards = [shelf.card(entry).values for entry in entries]
        sys.stdout.write(json_text({f"{shelf.kind}s": cards}) + "\n")
    elif form == "csv":
        write_table([shelf.summary, *rows])
    elif form == "md":
        lines = ["| " + " | ".join(row) + " |" for row in (shelf.summary, *rows)]
        lines.insert(1, "|---" * len(shelf.summary) + "|")
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        _print_catalogue(entries, shelf)


def _print_catalogue(entries: Sequence[EntryType], shelf: Shelf[EntryType]) -> None:
    from referee.document.screen import plain, screen  # rich is for the screen only

    console = screen()
    indent = max((len(entry.name) for entry in entries), default=0) + 4
    for group, heading in shelf.headings.items():
        chosen = [entry for entry in entries if shelf.group(entry) == group]
        if chosen:
            console.print(plain(heading, "bold"), soft_wrap=True)
        for entry in chosen:
            name = f"  {entry.name}".ljust(indent)
            question = str(getattr(entry, shelf.summary[-1]))
            lines = wrap(question, console.width, initial_indent=name, subsequent_indent=" " * indent)
            console.print(plain("\n".join(lines)), soft_wrap=True)
    ending = f"`referee {shelf.kind}s NAME` shows a card" if entries else "widen the filter"
    console.print(plain(f"{counted(len(entries), shelf.kind)}; {ending}", "dim"))


def show_card(card: Card, form: str) -> None:
    """Show all that is known about one entry."""
    if form == "json":
        sys.stdout.write(json_text(card.values) + "\n")
    elif form == "csv":
        rows = [[key, "; ".join(card.lines(key))] for key in card.values]
        write_table(rows)
    elif form == "md":
        sys.stdout.write(markdown_card(card))
    else:
        _print_card(card)


def markdown_card(card: Card) -> str:
    """The card as a section of the documentation; several lines under one heading are a list of their own."""
    name, title, question = (card.values[key] for key in ("name", "title", "question"))
    lines = [f"## {name}", "", f"**{title}**. {question}", ""]
    for key, heading, words in card.below("name", "title", "question"):
        items = [f"`{line}`" for line in words] if key in card.code else words
        lines += [f"- {heading}: {items[0]}"] if len(items) == 1 else [f"- {heading}:", *(f"  - {i}" for i in items)]
    return "\n".join(lines) + "\n"


def _print_card(card: Card) -> None:
    from rich.table import Table  # rich is for the screen only
    from rich.text import Text

    from referee.document.screen import plain, screen, writable

    console = screen()
    console.print(plain(f"{card.values['name']}: {card.values['title']}", "bold"))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for _, heading, lines in card.below("name", "title"):
        for place, line in enumerate(lines):
            table.add_row("" if place else heading, Text(writable(line)))
    console.print(table)


def parameters(entry: Entry) -> dict[str, dict[str, Any]]:
    """Each parameter with its meaning and default, and its value in this entry."""
    return {
        name: {
            "default": default,
            "value": entry.settings.get(name, default),
            "meaning": entry.parameter(name).meaning,
        }
        for name, default in entry.defaults.items()
    }


def in_words(value: Any) -> str:
    """A card's value as text.

    >>> in_words(True), in_words(["a", "b"]), in_words(None)
    ('yes', 'a, b', 'no')
    """
    if value is None or isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def parameter_in_words(name: str, about: dict[str, Any]) -> str:
    """Give a parameter as it would be written, its default if that is another, and its meaning.

    >>> parameter_in_words("beta", {"default": 1.0, "value": 2, "meaning": "what recall weighs"})
    'beta=2 (default 1.0): what recall weighs'
    """
    default = f" (default {write_value(about['default'])})" if about["value"] != about["default"] else ""
    return f"{name}={write_value(about['value'])}{default}" + (f": {about['meaning']}" if about["meaning"] else "")
