"""The blocks of a document as HTML: what the page puts into its sections; everything given is escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from referee.document.model import Table, Terms
from referee.document.words import distinct_names, message_line, with_full_stop

if TYPE_CHECKING:
    from collections.abc import Iterable

    from referee.document.model import Block, Cell, Column, Document, Part, Term

LONGEST_NAME = 40
DRAWN = {"circle", "line", "path", "polygon", "rect"}
"""Elements of SVG that have nothing inside."""


def element(tag: str, *children: str, **attributes: object) -> Markup:
    """An element of HTML or SVG; everything given is escaped, `class_` is class and `stroke_width` is stroke-width.

    >>> element("text", "a < b", x=1.5, class_="label")
    Markup('<text x="1.5" class="label">a &lt; b</text>')
    """
    shown = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value))
        for key, value in attributes.items()
        if value is not None
    )
    if tag in DRAWN:
        return Markup("<{}{}/>").format(tag, shown)
    inside = Markup("").join(children)
    return Markup("<{0}{1}>{2}</{0}>").format(tag, shown, inside)


def _plain(value: object) -> object:
    """A place on a chart to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def document_html(document: Document) -> str:
    """The answer and the parts, for a page of somebody else's."""
    answer = element("p", element("strong", message_line(document.sentence or document.opening)))
    return str(answer + Markup("").join(map(part_html, document.parts)))


def part_html(part: Part) -> Markup:
    """The blocks of a part, one below the other."""
    return Markup("\n").join(block_html(block, part.title) for block in part.blocks)


def block_html(block: Block, caption: str = "") -> Markup:
    if isinstance(block, Table):
        said = [*filter(None, [block.more]), *block.remarks]
        return table_html(block, caption) + Markup("").join(map(_remark, said))
    if isinstance(block, Terms):
        return element("dl", *(item for term in block.items for item in _term(term)), class_="properties")
    if block.kind == "code":
        return element("pre", "\n".join(block.items))
    if block.kind == "steps":
        return Markup("").join(element("p", item) for item in block.items)
    return element("ul", *(element("li", coded(message_line(item))) for item in block.items))


def coded(text: str) -> Markup:
    """A text with what is between its backticks as code.

    >>> coded("`a < b` runs it")
    Markup('<code>a &lt; b</code> runs it')
    """
    before, *rest = text.split("`")
    if len(rest) % 2:
        return escape(text)
    shown = (element("code", part) if place % 2 == 0 else part for place, part in enumerate(rest))
    return Markup("").join([before, *shown])


def _remark(text: str) -> Markup:
    return element("p", coded(with_full_stop(message_line(text))), class_="remark")


def _term(term: Term) -> list[Markup]:
    return [element("dt", term.name), *(element("dd", line) for line in term.lines)]


def table_html(table: Table, caption: str = "") -> Markup:
    """A table with a caption for those who cannot see it, and all digits for those who take it along."""
    labels = distinct_names((name for row in table.rows for cell in row for name in cell.names), LONGEST_NAME)
    head = element("thead", element("tr", *map(_head, table.columns)))
    body = element("tbody", Markup("\n").join(_row(row, table.columns, labels, table.labels) for row in table.rows))
    title = table.caption or caption
    inside = element(
        "table", element("caption", title), head, body,
        data_name=table.name, data_sortable="" if table.sortable else None, class_=table.style or None,
    )  # fmt: skip
    return element("div", inside, class_="scroll", tabindex=0, role="group", aria_label=title)


def _head(column: Column) -> Markup:
    if not column.title:
        return element("td")  # an empty head says nothing to those who listen
    style = "words" if column.words else None
    return element("th", column.title, scope="col", class_=style, data_value=column.value, title=column.hint or None)


def _row(row: Iterable[Cell], columns: Iterable[Column], labels: dict[str, str], names: int) -> Markup:
    cells = [
        _cell(cell, column, labels, is_label=place < names)
        for place, (cell, column) in enumerate(zip(row, columns, strict=False))
    ]
    return element("tr", *cells)


def _cell(cell: Cell, column: Column, labels: dict[str, str], *, is_label: bool) -> Markup:
    style = " ".join(filter(None, ["words" if column.words and not is_label else "", cell.mark])) or None
    small = [element("small", cell.small)] if cell.small else []
    exact = ", ".join(cell.names) if cell.names and cell.shown(labels) != cell.shown() else cell.exact
    return element(
        "th" if is_label else "td", cell.shown(labels), *small,
        scope="row" if is_label else None, class_=style, data_value=exact, title=cell.hint or None,
    )  # fmt: skip
