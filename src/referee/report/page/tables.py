"""Tables: numbers to the right, a caption for those who cannot see it, and all digits for those who take it along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from referee.report.page.document import rendered
from referee.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

UNDEFINED = number(None)


@dataclass(frozen=True)
class Column:
    """The head of a column; words stand to the left, numbers to the right."""

    title: str
    words: bool = False
    hint: str = ""
    """The title in full, where it was cut."""
    value: str | None = None
    """What it is in a CSV file, where the title is another."""


@dataclass(frozen=True)
class Cell:
    """What a cell shows; `value` is what it is in a CSV file and in sorting, where that has more digits."""

    text: str
    value: float | str | None = None
    mark: str = ""
    """Names of styles, such as `best`, `heat3`, `quiet`."""
    small: str = ""
    """A second line."""
    hint: str = ""

    @property
    def exact(self) -> str | None:
        """The value in full, where the text is another: nothing where it is undefined."""
        if self.value is None:
            return "" if self.text.partition(" ")[0] == UNDEFINED else None
        said = repr(self.value) if isinstance(self.value, float) else str(self.value)
        return None if said == self.text else said


def of_number(value: float | None, mark: str = "", **more: str) -> Cell:
    """A number with sensible digits, and with all of them for CSV.

    >>> of_number(0.123456)
    Cell(text='0.1235', value=0.123456, mark='', small='', hint='')
    """
    return Cell(number(value), value, mark, **more)


def table(
    caption: str,
    columns: Sequence[Column | str],
    rows: Sequence[Sequence[Cell | str]],
    *,
    name: str,
    sortable: bool = False,
    style: str = "",
) -> Markup:
    """A table whose first column has the names of the rows; `name` is that of the CSV file that it is saved as.

    >>> str(table("Scores", ["model", "value"], [["<a>", of_number(0.5)]], name="scores")).count("&lt;a&gt;")
    1
    """
    head = [Column(one, words=place == 0) if isinstance(one, str) else one for place, one in enumerate(columns)]
    cells = [[Cell(one) if isinstance(one, str) else one for one in row] for row in rows]
    return rendered("table.html", caption=caption, columns=head, rows=cells, name=name, sortable=sortable, style=style)
