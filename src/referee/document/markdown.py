"""A document as Markdown for a pull request: the answer in sight, folded away what is asked for only at times.

Names are shown as they are, also by GitHub, which reads more into a text than Markdown does.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from referee.document.model import Table, Terms, few_of_each
from referee.document.words import distinct_names, message_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from referee.document.model import Block, Cell, Document, Part, Term

LONGEST_NAME = 60

PUNCTUATION = re.compile(r"[\\`*_{}\[\]<>|~&]")
FOR_GITHUB = re.compile(r"[$@#]|:(?=[\w+-]+:|//)|(?<=www)\.")
"""What begins mathematics, a mention of somebody, an issue, an emoji or a link, whatever Markdown says of it."""
BEGINS_A_LIST = re.compile(r"([-+]|\d+[.)])(?=\s|$)")


def markdown_text(document: Document) -> str:
    """Everything that the document says."""
    lines = [f"**{escaped(document.sentence)}**"] if document.sentence else []
    opening = [text for text in (document.opening, document.about) if text and text != document.sentence]
    lines += [line for text in opening for line in ("", escaped(message_line(text)))]
    for part in document.parts:
        lines += [] if part.folded else _in_sight(part)
    lines += _listed(
        [*document.notes, *(f"{notice.code}: {notice.message}" for notice in few_of_each(document.notices))]
    )
    for part in document.parts:
        lines += folded_away(part.title, _blocks(part)) if part.folded else []
    return "\n".join(lines).strip() + "\n"


def _in_sight(part: Part) -> list[str]:
    return ["", *([f"**{escaped(part.title)}**", ""] if part.title else []), *_blocks(part)]


def _blocks(part: Part) -> list[str]:
    lines = [line for block in part.blocks for line in ("", *_block(block))]
    return lines[1:]


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        yield from _table(block)
    elif isinstance(block, Terms):
        yield from (line for term in block.items for line in _term(term))
    elif block.kind == "code":
        yield from ("```", *block.items, "```")
    elif block.kind == "steps":
        yield from map(escaped, block.items)
    else:
        yield from _listed(block.items)[1:]


def _term(term: Term) -> Iterator[str]:
    """A word and what is said of it; several lines are a list of their own."""
    said = [f"`{line}`" if term.is_code else escaped(line) for line in term.lines]
    name = escaped(term.name)
    yield from [f"- {name}: {said[0]}"] if len(said) == 1 else [f"- {name}:", *(f"  - {line}" for line in said)]


def _table(block: Table) -> Iterator[str]:
    labels = distinct_names((name for row in block.rows for cell in row for name in cell.names), LONGEST_NAME)
    headers = distinct_names((column.title for column in block.columns if column.is_name), LONGEST_NAME)
    yield table_row([headers.get(column.title, column.title) for column in block.columns])
    yield "|" + "".join("---|" if column.words else "--:|" for column in block.columns)
    for row in block.rows:
        missing = [""] * (len(block.columns) - len(row))
        yield "| " + " | ".join([*(_cell(cell, labels) for cell in row), *missing]) + " |"
    yield from _listed([*filter(None, [block.more]), *block.remarks])


def _cell(cell: Cell, labels: dict[str, str]) -> str:
    text = escaped(cell.both(labels))
    return f"**{text}**" if cell.is_bold and text else text


def _listed(lines: Iterable[str]) -> list[str]:
    return listed_items(map(message_line, lines))


def folded_away(title: str, lines: Iterable[str]) -> list[str]:
    """Lines below a title that opens them; in the title Markdown is not read."""
    shown = FOR_GITHUB.sub(r"<span>\g<0></span>", html.escape(visible(title), quote=False))
    return ["", f"<details><summary>{shown}</summary>", "", *lines, "", "</details>"]


def listed_items(lines: Iterable[str]) -> list[str]:
    items = [f"- {BEGINS_A_LIST.sub(_not_a_list, escaped(line), count=1)}" for line in map(str.strip, lines)]
    return ["", *items] if items else []


def _not_a_list(mark: re.Match[str]) -> str:
    return mark[0] if mark.start() else f"{mark[0][:-1]}\\{mark[0][-1]}"


def table_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def escaped(text: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> print(escaped("a|b, 5 $"))
    a\|b, 5 <span>\$</span>
    """
    return FOR_GITHUB.sub(r"<span>\\\g<0></span>", PUNCTUATION.sub(r"\\\g<0>", visible(text)))
