"""The lecture as a result: sections in their order, each with the slides' numbers and then with the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.document import Cell, Column, Document, Lines, Part, Result, Table, counted, table
from referee.errors import UnknownNameError, did_you_mean
from referee.lecture.sections import SECTIONS
from referee.records import dataclass
from referee.scoring import described

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.lecture.sections import Section
    from referee.predictions import Predictions

SOURCE = 'the numbers come from CS699, lecture 6, "Performance Evaluation"'


@dataclass(frozen=True, eq=False, repr=False)
class Lecture(Result):
    """Some sections, and the predictions that they are gone through with a second time."""

    names: tuple[str, ...]
    predictions: Predictions | None = None

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (it is long because it was asked for)
        predictions = self.predictions
        parts = tuple(part for name in self.names for part in self.parts_of(name))
        about = SOURCE if predictions is None else f"{SOURCE}; yours: {_read(predictions)}"
        return Document("lecture", "", parts, about, notices=() if predictions is None else predictions.notices)

    def parts_of(self, name: str) -> Iterator[Part]:
        """A section: what it says, the slides' numbers, and the user's."""
        section = SECTIONS[name]
        place = [*SECTIONS].index(name) + 1
        yield Part(f"{place}. {section.title}", (Lines(section.says),) if section.says else (), asked=True)
        yield from section.slides()
        yield from self._yours(section)

    def _yours(self, section: Section) -> Iterator[Part]:
        predictions = self.predictions
        if predictions is None or section.yours is None:
            return
        title = f"{section.title}: your rows"
        if predictions.task not in section.tasks:
            said = f"this is about {' and '.join(section.tasks)} truths, and yours is {predictions.task}"
            yield Part(title, (Lines((said,)),), asked=True)
            return
        yield Part(title, (), asked=True)
        yield from section.yours(predictions)

    def to_dict(self) -> dict[str, Any]:
        given = self.predictions
        return {
            "sections": {name: [_as_json(part) for part in self.parts_of(name)] for name in self.names},
            "read": None if given is None else given.reading,
            "warnings": [] if given is None else [vars(notice) for notice in given.notices],
        }

    def records(self) -> list[dict[str, Any]]:
        """The cells of every table."""
        return [
            {"section": name, "table": part.title, "row": place, "column": column.title, "value": _value(cell)}
            for name in self.names
            for part in self.parts_of(name)
            for shown in part.tables
            for place, row in enumerate(shown.rows, 1)
            for column, cell in zip(shown.columns, row, strict=False)
        ]


def _read(predictions: Predictions) -> str:
    return f"{counted(predictions.rows, 'row')}, {described(predictions)}"


def _as_json(part: Part) -> dict[str, Any]:
    lines = [line for block in part.blocks if isinstance(block, Lines) for line in block.items]
    return {"title": part.title, "lines": lines, "tables": [_rows(shown) for shown in part.tables]}


def _rows(shown: Table) -> list[dict[str, Any]]:
    heads = [column.title for column in shown.columns]
    return [{head: _value(cell) for head, cell in zip(heads, row, strict=False)} for row in shown.rows]


def _value(cell: Cell) -> Any:
    return cell.shown() if cell.value is None else cell.value


@dataclass(frozen=True, repr=False)
class SectionList(Result):
    """The names of all sections."""

    @property
    def command(self) -> str:
        return "lecture"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        rows = [[record["section"], record["title"]] for record in self.records()]
        shown = table("sections", [Column("name", words=True), Column("title", words=True)], rows)
        return Document("lecture", "", (Part("Sections", (shown,), asked=True),))

    def to_dict(self) -> dict[str, Any]:
        return {"sections": self.records()}

    def records(self) -> list[dict[str, Any]]:
        return [{"section": name, "title": section.title} for name, section in SECTIONS.items()]


def lecture(names: Sequence[str] = (), predictions: Predictions | None = None) -> Lecture:
    """Go through sections of the lecture, or through all, with the slides' numbers and then with these predictions.

    >>> [part.title for part in lecture(["holdout"]).document().parts][0]
    '4. Holdout'
    """
    for name in names:
        if name not in SECTIONS:
            hint = "`referee lecture --list` shows all"
            raise UnknownNameError(f"the lecture has no section {name!r}; {did_you_mean(name, [*SECTIONS])}", hint)
    return Lecture(tuple(names or SECTIONS), predictions)
