"""Pieces of Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.wording import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def folded_away(title: str, lines: Iterable[str]) -> list[str]:
    return ["", f"<details><summary>{title}</summary>", "", *lines, "", "</details>"]


def listed_items(lines: Iterable[str]) -> list[str]:
    items = [f"- {escaped(line)}" for line in lines]
    return ["", *items] if items else []


def table_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escaped, cells)) + " |"


def escaped(text: str) -> str:
    r"""A text that Markdown shows as it is.

    >>> print(escaped("a|b"))
    a\|b
    """
    return "".join(f"\\{letter}" if letter in r"\`*_{}[]<>|#" else letter for letter in visible(text))
