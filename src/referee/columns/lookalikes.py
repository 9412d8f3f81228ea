"""Names that look the same on screen but are not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable

CYRILLIC_AND_GREEK = "АВЕЗКМНОРСТУХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρ"
LATIN_TWINS = "ABE3KMHOPCTYXaeopcyxijsABEZHIKMNOPTYXovp"
TWIN = dict(zip(CYRILLIC_AND_GREEK, LATIN_TWINS, strict=True)) | dict.fromkeys("\u200b\u200c\u200d\ufeff\u00ad", "")


def lookalikes(names: Iterable[str], *, fold_case: bool = False) -> list[list[str]]:
    r"""Group the names that a reader cannot tell apart, or that differ only in case, too.

    >>> lookalikes(["A", "\u0410", "b"])
    [['A', 'А']]
    >>> lookalikes(["yes", "Yes ", "no"], fold_case=True)
    [['yes', 'Yes ']]
    """
    seen = defaultdict(list)
    for name in names:
        seen[folded(name, fold_case=fold_case)].append(name)
    return [group for group in seen.values() if len(group) > 1]


def folded(name: str, *, fold_case: bool = False) -> str:
    r"""What names that look alike have in common.

    >>> folded("\u00a0N/A ", fold_case=True)
    'n/a'
    """
    plain = "".join(TWIN.get(letter, letter) for letter in " ".join(normalize("NFKC", name).split()))
    return plain.casefold() if fold_case else plain
