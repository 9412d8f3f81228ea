"""Texts cut to a width, so that those which look alike show what they differ by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NARROWEST_PART = 3
MOST_COMPARED = 200
"""Texts of which each is held against each other."""
NARROW = frozenset([*map(chr, range(0x20, 0x7F)), *map(chr, range(0xC0, 0x250)), *"±²×–−…↑↓≥≤∞├┤─│└●▲"])
"""Western letters, and the signs that we draw: each takes one column of a terminal."""


def told_apart(texts: Sequence[str], longest: int) -> dict[str, str]:
    """Each text cut in the middle; of those that are then the same, the part in which they differ is kept.

    >>> list(told_apart(["xgb_depth6_eta0.1", "xgb_depth8_eta0.1"], 11).values())
    ['xgb_depth6…', 'xgb_depth8…']
    """
    shown: dict[str, str] = {}
    for group in _alike({text: cut(text, longest) for text in texts}):
        shown |= group if len(group) == 1 else _around_what_differs(list(group), longest)
    return shown


def _alike(labels: Mapping[str, str]) -> list[dict[str, str]]:
    """Texts that have the same label, or one that could be another's."""
    groups: dict[str, dict[str, str]] = {}
    for text, label in labels.items():
        groups.setdefault(label, {})[text] = label
    if len(groups) > MOST_COMPARED:
        return list(groups.values())
    apart: list[dict[str, str]] = []
    for group in groups.values():
        near = [known for known in apart if _are_alike(known, group)]
        apart = [known for known in apart if known not in near] + [
            dict(pair for joined in (*near, group) for pair in joined.items())
        ]
    return apart


def _are_alike(some: Mapping[str, str], others: Mapping[str, str]) -> bool:
    pairs = ((label, text) for a, b in ((some, others), (others, some)) for label in set(a.values()) for text in b)
    return any(could_be(label, text) for label, text in pairs)


def could_be(label: str, text: str) -> bool:
    """Whether a text, cut anywhere but within a number, could read like the label."""
    start, gap, rest = label.partition("…")
    if not text.startswith(start) or not gap:
        return text == label
    between = "(?:(?<!\\d)|(?!\\.?\\d)).*(?:(?<!\\d)|(?!\\d))"
    return re.fullmatch(between.join(map(re.escape, (start, *rest.split("…")))), text, re.DOTALL) is not None


def _around_what_differs(texts: Sequence[str], longest: int) -> dict[str, str]:
    """Texts with the same start and end: as much of these as there is room for beside the rest."""
    if longest <= 2 * NARROWEST_PART:
        return {text: cut(text, longest) for text in texts}
    before = _without_number(_same_start(texts))
    after = _without_number(_same_start([text[len(before) :][::-1] for text in texts]))[::-1]
    cores = [text[len(before) : len(text) - len(after)] for text in texts]
    shown = told_apart(cores, longest - 2)
    room = longest - max(map(columns_of, shown.values()))
    return {text: _in_its_place(before, shown[core], after, room) for text, core in zip(texts, cores, strict=True)}


def _same_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    place = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:place]


def _without_number(text: str) -> str:
    """Without a number at its end, of which the rest may follow: half a number would be another one."""
    return re.sub(r"\d[\d.]*$", "", text) or text


def _in_its_place(before: str, core: str, after: str, room: int) -> str:
    """A core between a start and an end, one of them whole if it fits, so that there is one gap only."""
    if columns_of(before) < room:
        return f"{before}{core}…{_end(after, room - columns_of(before) - 1)}"
    if columns_of(after) < room:
        return f"{_start(before, room - columns_of(after) - 1)}…{core}{after}"
    half = (room - 2) // 2
    return f"{_start(before, room - 2 - half)}…{core}…{_end(after, half)}"


def columns_of(text: str) -> int:
    """The columns of a terminal that a text takes: some letters are as wide as two, some have no width.

    >>> columns_of("model"), columns_of("模型")
    (5, 4)
    """
    if text.isascii() or NARROW.issuperset(text):
        return len(text)
    from rich.cells import cell_len  # a table of all letters

    return cell_len(text)


def first_columns(text: str, width: int) -> str:
    """The start of a text that takes at most so many columns, and no part of a letter."""
    if text.isascii() or NARROW.issuperset(text):
        return text[:width]
    from rich.cells import chop_cells

    return chop_cells(text, width)[0]


def cut(text: str, longest: int) -> str:
    half = (longest - 1) // 2
    return text if columns_of(text) <= longest else f"{_start(text, half)}…{_end(text, half)}"


def _start(text: str, longest: int) -> str:
    """As many letters as fit, and no part of a number."""
    place = fitting(text, longest)
    is_inside = re.match(r"\.?\d", text[place:])
    return _without_number(text[:place]) if is_inside else text[:place]


def _end(text: str, longest: int) -> str:
    return _start(text[::-1], longest)[::-1]


def fitting(text: str, longest: int) -> int:
    """How many letters fit."""
    place, taken = 0, 0
    while place < len(text) and (taken := taken + columns_of(text[place])) <= longest:
        place += 1
    return place
