"""Pieces of Markdown; names are shown as they are, also by GitHub, which reads more into a text than Markdown does."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from referee.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PUNCTUATION = re.compile(r"[\\`*_{}\[\]<>|~&]")
FOR_GITHUB = re.compile(r"[$@#]|:(?=[\w+-]+:|//)|(?<=www)\.")
"""What begins mathematics, a mention of somebody, an issue, an emoji or a link, whatever Markdown says of it."""
BEGINS_A_LIST = re.compile(r"([-+]|\d+[.)])(?=\s|$)")


def folded_away(title: str, lines: Iterable[str]) -> list[str]:
    """Lines below a title that opens them; in the title Markdown is not read."""
    shown = FOR_GITHUB.sub(r"<span>\g<0></span>", html.escape(visible(title), quote=False))
    return ["", f"<details><summary>{shown}</summary>", "", *lines, "", "</details>"]


def listed_items(lines: Iterable[str]) -> list[str]:
    items = [f"- {BEGINS_A_LIST.sub(_not_a_list, escaped(line), count=1)}" for line in map(str.strip, lines)]
    return ["", *items] if items else []


def _not_a_list(found: re.Match[str]) -> str:
    return found[0] if found.start() else f"{found[0][:-1]}\\{found[0][-1]}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    r"""A table with so many columns of words at the left, and numbers in the others.

    >>> print(*table(["model", "value"], [["a_b", "0.9"]]), sep=chr(10))
    | model | value |
    |---|--:|
    | a\_b | 0.9 |
    """
    alignment = "|" + "---|" * words + "--:|" * (len(head) - words)
    return [table_row(head), alignment, *map(table_row, rows)]


def table_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def escaped(text: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> print(escaped("a|b, 5 $"))
    a\|b, 5 <span>\$</span>
    """
    return FOR_GITHUB.sub(r"<span>\\\g<0></span>", PUNCTUATION.sub(r"\\\g<0>", visible(text)))
