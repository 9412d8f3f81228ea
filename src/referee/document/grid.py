"""A grid of texts: columns as wide as their longest line, two blanks between them, and no frame."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from referee.document.short_names import columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.document.screen import Screen

BETWEEN_COLUMNS = 2


class Styled(NamedTuple):
    """A text, and how it is shown where styles are seen."""

    text: str
    style: str = ""


class GridColumn(NamedTuple):
    """A column with its head, whose last line stands right above the first row; a row may lack its last cells."""

    head: str
    cells: Sequence[Styled]
    is_left: bool = True

    @property
    def width(self) -> int:
        texts = (self.head, *(cell.text for cell in self.cells))
        return max(columns_of(line) for text in texts for line in text.split("\n"))


class Grid(NamedTuple):
    r"""Columns side by side.

    >>> names, values = [Styled("a"), Styled("long")], [Styled("0.5"), Styled("12")]
    >>> for line in Grid([GridColumn("model", names), GridColumn("of\ntwo", values, False)]).texts():
    ...     print(line + "|")
            of|
    model  two|
    a      0.5|
    long    12|
    """

    columns: Sequence[GridColumn]

    @property
    def width(self) -> int:
        return sum(column.width for column in self.columns) + BETWEEN_COLUMNS * max(0, len(self.columns) - 1)

    def texts(self, screen: Screen | None = None) -> Iterator[str]:
        """Its lines, each as wide as the grid; in styles if the screen has them."""
        widths = [column.width for column in self.columns]
        heads = [Styled(column.head, "dim") for column in self.columns]
        for row in (heads, *zip_longest(*(column.cells for column in self.columns), fillvalue=Styled(""))):
            for line in zip(*_lines_of_equal_height(row), strict=True):
                yield (" " * BETWEEN_COLUMNS).join(
                    _aligned(text, cell.style, column.is_left, width, screen)
                    for text, cell, column, width in zip(line, row, self.columns, widths, strict=True)
                )


def _lines_of_equal_height(row: Sequence[Styled]) -> list[list[str]]:
    lines = [cell.text.split("\n") for cell in row]
    height = max(map(len, lines))
    return [[""] * (height - len(cell)) + cell for cell in lines]


def _aligned(text: str, style: str, is_left: bool, width: int, screen: Screen | None) -> str:
    text = text if is_left else text.rstrip()
    blanks = " " * (width - columns_of(text))
    shown = screen.styled(text, style) if screen else text
    return shown + blanks if is_left else blanks + shown
