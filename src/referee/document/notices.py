"""Warnings as people read them: of many that are alike, the first ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from referee.errors import Notice

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ALIKE = 5


def few_of_each(notices: Iterable[Notice]) -> list[Notice]:
    """At most five with the same code, and how many more there are; JSON has them all.

    >>> [notice.message for notice in few_of_each([Notice("W_CERTAIN", f"model {n}") for n in range(7)])][-2:]
    ['model 4', '2 more like these; JSON has them all']
    """
    seen: Counter[str] = Counter()
    few: list[Notice] = []
    for notice in notices:
        seen[notice.code] += 1
        if seen[notice.code] <= MOST_ALIKE:
            few.append(notice)
    more = {code: count - MOST_ALIKE for code, count in seen.items() if count > MOST_ALIKE}
    return few + [Notice(code, f"{count:,} more like these; JSON has them all") for code, count in more.items()]
