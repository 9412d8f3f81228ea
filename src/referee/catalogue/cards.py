"""Cards: all that is known of an entry of a catalogue, under headings; and the list of the entries."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from referee.catalogue.call_syntax import write_value
from referee.document import Column, Document, Lines, Part, Result, Term, Terms, counted, table
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.catalogue.entry import Entry

EntryType = TypeVar("EntryType", bound="Entry")


@dataclass(frozen=True, repr=False)
class Card(Result):
    """One entry: its values as JSON holds them, name, title and question first; and those in words."""

    kind: str
    values: dict[str, Any]
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The lines of a value that does not simply read as it is."""
    code: frozenset[str] = frozenset()
    """What is to be typed: headings whose lines are code."""

    @property
    def command(self) -> str:
        return f"{self.kind}s"

    def lines(self, heading: str) -> tuple[str, ...]:
        return tuple(self.words.get(heading, [in_words(self.values[heading])]))

    def terms(self, *shown: str) -> Terms:
        """All that has something to say, except what is shown elsewhere."""
        said = [key for key, value in self.values.items() if key not in shown and value not in (None, [], {}, "")]
        return Terms(tuple(Term(key.replace("_", " "), self.lines(key), key in self.code) for key in said))

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        opening = f"{self.values['name']}: {self.values['title']}"
        return Document(self.kind, "", (Part("", (self.terms("name", "title"),)),), opening=opening)

    def to_dict(self) -> dict[str, Any]:
        return self.values

    def records(self) -> list[dict[str, str]]:
        """Each property, below the name of the entry."""
        name = str(self.values["name"])
        return [{"name": key, name: "; ".join(self.lines(key))} for key in self.values if key != "name"]


@dataclass(frozen=True)
class Shelf(Generic[EntryType]):
    """How the entries of one kind are shown."""

    kind: str
    card: Callable[[EntryType], Card]
    summary: tuple[str, ...]
    """What a table of all of them shows; the name comes first, the question last."""
    headings: Mapping[Any, str]
    """The groups of the list, in their order."""
    group: Callable[[EntryType], str]


@dataclass(frozen=True, repr=False)
class Listing(Result, Generic[EntryType]):
    """Entries of a catalogue, in the groups of their shelf."""

    shelf: Shelf[EntryType]
    entries: tuple[EntryType, ...]

    @property
    def command(self) -> str:
        return f"{self.shelf.kind}s"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.shelf.summary

    def groups(self) -> Iterator[tuple[str, list[EntryType]]]:
        """Each heading with its entries, where there are some."""
        for group, heading in self.shelf.headings.items():
            if chosen := [entry for entry in self.entries if self.shelf.group(entry) == group]:
                yield heading, chosen

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        ending = f"`referee {self.command} NAME` shows a card" if self.entries else "widen the filter"
        said = Lines((f"{counted(len(self.entries), self.shelf.kind)}; {ending}",))
        parts = [self._part(heading, entries) for heading, entries in self.groups()]
        return Document(self.command, "", (*parts, Part("", (said,))))

    def _part(self, heading: str, entries: Sequence[EntryType]) -> Part:
        rows = [[*self._summary(entry).values()] for entry in entries]
        columns = [Column(key, words=True) for key in self.shelf.summary]
        few = Terms(tuple(Term(row[0], (row[-1],)) for row in rows))
        return Part(heading, (table(self.command, columns, rows, heading, narrower=(few,)),))

    def _summary(self, entry: EntryType) -> dict[str, str]:
        return {key: in_words(getattr(entry, key)) for key in self.shelf.summary}

    def to_dict(self) -> dict[str, Any]:
        return {self.command: [self.shelf.card(entry).values for entry in self.entries]}

    def records(self) -> list[dict[str, str]]:
        return [self._summary(entry) for entry in self.entries]


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
