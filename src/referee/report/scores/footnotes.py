"""Marks beside dashes, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.wording import number, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.scoring import Score


class Footnotes:
    """The reasons why cells are undefined, marked in the order in which the cells are shown."""

    def __init__(self) -> None:
        self._marks: dict[str, str] = {}

    def cell(self, score: Score | None) -> str:
        """A value, or a dash with its mark."""
        if score is None or score.undefined is None:
            return number(score.value if score else None)
        return f"– {self._marks.setdefault(score.undefined, letters(len(self._marks)))}"

    def lines(self) -> Iterator[str]:
        for reason, mark in self._marks.items():
            yield f"{mark}  {visible(reason)}"


def letters(place: int) -> str:
    """Name places as a spreadsheet does.

    >>> [letters(place) for place in (0, 25, 26)]
    ['a', 'z', 'aa']
    """
    before, letter = divmod(place, 26)
    return (letters(before - 1) if before else "") + chr(ord("a") + letter)
