"""What is shown of a result, whatever the format: sentences, tables of cells, remarks, warnings.

A result builds a `Document`; the renderers beside this file show it on a screen, in Markdown, in LaTeX or as HTML.
Builders know results, renderers know formats, and nobody knows both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from referee.document.words import number, visible
from referee.errors import Notice
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


UNDEFINED = number(None)
MOST_ALIKE = 5
"""Warnings of a code that people are shown."""
COLUMN = re.compile(r"column ('(?:[^'\\]|\\.)*'|\"[^\"]*\")")
DIFFERING = re.compile(rf"{COLUMN.pattern}|\d[\d,.]*")
MOST_NAMED = 2
Tone = Literal["", "good", "even", "bad"]


@dataclass(frozen=True)
class Cell:
    """What a cell shows.

    >>> Cell("{} > {}", names=("forest", "tree")).shown()
    'forest > tree'
    """

    text: str
    value: float | str | None = None
    """What it is in a CSV file and in sorting, where that has more digits."""
    mark: str = ""
    """How it stands out: `best` is bold everywhere, a row whose name is a `part` belongs to the one above; the page
    knows more styles, such as `heat3` and `quiet`."""
    small: str = ""
    """What stands beside or below it in smaller print, such as an interval."""
    hint: str = ""
    """What the page shows when asked."""
    names: tuple[str, ...] = ()
    """Names of models or classes for the braces in the text: a narrow screen shortens them, and nothing else."""

    @property
    def is_bold(self) -> bool:
        return bool({"best", "heading"} & {*self.mark.split()})

    @property
    def exact(self) -> str | None:
        """The value in full, where the text is another: nothing where it is undefined."""
        if self.value is None:
            return "" if self.text.partition(" ")[0] == UNDEFINED else None
        said = repr(self.value) if isinstance(self.value, float) else str(self.value)
        return None if said == self.text else said

    def shown(self, labels: Mapping[str, str] | None = None) -> str:
        """The text with its names, or with what is shown instead of them."""
        if not self.names:
            return self.text
        return self.text.format(*((labels or {}).get(name, name) for name in self.names))

    def both(self, labels: Mapping[str, str] | None = None) -> str:
        """The text with what stands beside it."""
        return f"{self.shown(labels)} {self.small}".strip() if self.small else self.shown(labels)


@dataclass(frozen=True)
class Column:
    """The head of a column; words stand to the left, numbers to the right."""

    title: str
    words: bool = False
    hint: str = ""
    """The title in full, where it was cut."""
    value: str | None = None
    """What it is in a CSV file, where the title is another."""
    is_name: bool = False
    """Whether the title is a name of a model or a class, which a narrow screen may shorten."""
    in_each: bool = False
    """Whether it stands in each part of a table that is too wide for the screen."""


@dataclass(frozen=True)
class Bar:
    """A value with its interval, to be drawn where there is room."""

    low: float | None
    value: float | None
    high: float | None


@dataclass(frozen=True)
class Table:
    """Rows of cells below a head; the first column, or the first few, have the names of the rows."""

    name: str
    """The file that it is saved as, the anchor in LaTeX."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    remarks: tuple[str, ...] = ()
    """What is said below it."""
    bars: tuple[Bar | None, ...] = ()
    """One for each row: a screen that is wide enough draws them."""
    narrower: tuple[Table | Terms, ...] = ()
    """What a narrow screen shows instead, widest first."""
    labels: int = 1
    """How many columns name a row: a screen repeats them where the others do not fit side by side."""
    longest_name: int = 18
    """So many letters of a name are shown on a screen."""
    more: str = ""
    """What was left out, and how to see it."""
    sortable: bool = False
    style: str = ""


@dataclass(frozen=True)
class Lines:
    """Remarks, one below the other; `steps` and `formulas` explain numbers, `code` is to be typed."""

    items: tuple[str, ...]
    kind: Literal["remarks", "list", "steps", "formulas", "code"] = "remarks"


@dataclass(frozen=True)
class Term:
    """A word, and what is said of it."""

    name: str
    lines: tuple[str, ...]
    is_code: bool = False
    """Whether the lines are to be typed."""


@dataclass(frozen=True)
class Terms:
    """Words with their explanations, below each other."""

    items: tuple[Term, ...]
    more: str = ""
    """What was left out, and how to see it."""


Block = Table | Lines | Terms
Columns = list[Column | str]
Cells = list[Cell | str]


class Later(Sequence[Block]):
    """Blocks that are made when a format shows them: a screen leaves most details out."""

    def __init__(self, made: Callable[[], tuple[Block, ...]]) -> None:
        self._made = made

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        return self._made()

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, place: Any) -> Any:
        return self._blocks[place]


@dataclass(frozen=True)
class Part:
    """Something with a heading of its own; without one it belongs to what stands above it."""

    title: str
    blocks: Sequence[Block]
    folded: bool = False
    """Whether a summary folds it away: what a reader asks for only at times."""
    detail: bool = False
    """Whether a screen leaves it out, and says so, unless everything was asked for."""
    asked: bool = False
    """Whether it is the result itself, or an option asked for it: also where little is to be said."""

    @property
    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]


@dataclass(frozen=True)
class Document:
    """A result as it is shown."""

    kind: str
    """What it is about, in a word: `verdict`, `scores`."""
    sentence: str
    """The answer."""
    parts: tuple[Part, ...]
    about: str = ""
    """What was looked at: rows, truth, positive class."""
    notes: tuple[str, ...] = ()
    """What was understood, and left out, in reading."""
    notices: tuple[Notice, ...] = ()
    tone: Tone = ""
    opening: str = ""
    """What is said above everything; of a verdict the answer, too."""
    more: tuple[str, ...] = ()
    """Where more can be found: said right before the answer."""

    def with_parts(self, *parts: Part) -> Document:
        """With further parts; one that is here already is replaced by the one of its title."""
        titles = {part.title for part in parts} - {""}
        return replace(self, parts=(*(part for part in self.parts if part.title not in titles), *parts))


def number_cell(value: float | None, mark: str = "", small: str = "", hint: str = "") -> Cell:
    """A number with sensible digits, and with all of them for CSV.

    >>> number_cell(0.123456).text, number_cell(0.123456).value, number_cell(None).text
    ('0.1235', 0.123456, '–')
    """
    return Cell(number(value), value, mark, small, hint)


def name_cell(name: str, mark: str = "", hint: str = "") -> Cell:
    """The name of a model or a class.

    >>> name_cell("forest").shown({"forest": "f…t"})
    'f…t'
    """
    return Cell("{}", name, mark, hint=hint, names=(name,))


def pair_cell(a: str, sign: str, b: str) -> Cell:
    """Two models, and how they stand to each other."""
    return Cell(f"{{}} {sign} {{}}", names=(a, b))


def interval_cell(low: float | None, high: float | None) -> Cell:
    """Both ends of an interval; empty where there is none.

    >>> interval_cell(0.25, 0.75).text, interval_cell(None, None).text
    ('[0.2500, 0.7500]', '')
    """
    return Cell("" if low is None or high is None else f"[{number(low)}, {number(high)}]")


def table(
    name: str, columns: Sequence[Column | str], rows: Iterable[Sequence[Cell | str]], caption: str = "", **more: object
) -> Table:
    """A table from plain texts and cells: the first column has words, the others numbers."""
    head = tuple(column_of(column, is_first=place == 0) for place, column in enumerate(columns))
    cells = tuple(tuple(map(cell_of, row)) for row in rows)
    return Table(name, head, cells, caption, **more)  # type: ignore[arg-type]


def column_of(column: Column | str, *, is_first: bool) -> Column:
    return column if isinstance(column, Column) else Column(column, words=is_first)


def cell_of(cell: Cell | str) -> Cell:
    return cell if isinstance(cell, Cell) else Cell(cell)


def remarks(*items: str) -> Lines:
    return Lines(tuple(items))


def listed(items: Iterable[str]) -> Lines:
    return Lines(tuple(items), "list")


class Footnotes:
    """The reasons why cells are undefined, marked in the order in which the cells are shown."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def marked(self, reason: str) -> str:
        """A dash with its mark."""
        return f"{UNDEFINED} {self._marks.setdefault(reason, letters(len(self._marks)))}"

    def text(self, value: float | None, reason: str | None) -> str:
        """A value, or a dash with its mark."""
        return number(value) if reason is None else self.marked(reason)

    def cell(self, value: float | None, reason: str | None, mark: str = "", small: str = "") -> Cell:
        """A value, or a dash with its mark."""
        return number_cell(value, mark, small) if reason is None else Cell(self.marked(reason))

    def lines(self) -> tuple[str, ...]:
        return tuple(f"{mark}  {visible(reason)}" for reason, mark in self._marks.items())


def letters(place: int) -> str:
    """Name places as a spreadsheet does.

    >>> [letters(place) for place in (0, 25, 26)]
    ['a', 'z', 'aa']
    """
    before, letter = divmod(place, 26)
    return (letters(before - 1) if before else "") + chr(ord("a") + letter)


def few_of_each(notices: Iterable[Notice]) -> list[Notice]:
    """Those that are the same but for the column in one, and at most five of a code; JSON has them all.

    >>> [few] = few_of_each([Notice("W_CERTAIN", f"preds.csv: column '{n}': {ord(n)} rows") for n in "abcdef"])
    >>> few.message
    "preds.csv: column 'a': 97 rows; likewise 'b', 'c' and 3 more"
    >>> [notice.message for notice in few_of_each([Notice("W_CERTAIN", f"model {n}") for n in range(7)])][-2:]
    ['model 4', '2 more like these; to_json() has all']
    """
    seen: Counter[str] = Counter()
    few: list[Notice] = []
    for notice in _alike_in_one(notices):
        seen[notice.code] += 1
        if seen[notice.code] <= MOST_ALIKE:
            few.append(notice)
    more = {code: count - MOST_ALIKE for code, count in seen.items() if count > MOST_ALIKE}
    return few + [Notice(code, f"{count:,} more like these; --format json has all") for code, count in more.items()]


def _alike_in_one(notices: Iterable[Notice]) -> Iterator[Notice]:
    """The first of those that differ in a column's name and in numbers alone, with the other columns."""
    alike: dict[tuple[str, str], list[Notice]] = {}
    for notice in notices:
        alike.setdefault((notice.code, DIFFERING.sub("", notice.message)), []).append(notice)
    for first, *others in alike.values():
        columns = [name[1] for notice in others if (name := COLUMN.search(notice.message))]
        yield Notice(first.code, f"{first.message}; likewise {_few_named(columns)}") if columns else first
        yield from () if columns else others


def _few_named(columns: list[str]) -> str:
    left = len(columns) - MOST_NAMED
    return " and ".join([", ".join(columns[:MOST_NAMED]), f"{left:,} more"]) if left > 0 else ", ".join(columns)
