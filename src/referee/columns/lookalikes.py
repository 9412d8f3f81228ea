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


def lookalikes(names: Iterable[str]) -> list[list[str]]:
    r"""Group the names that a reader cannot tell apart.

    >>> lookalikes(["A", "\u0410", "b"])
    [['A', 'А']]
    """
    seen = defaultdict(list)
    for name in names:
        seen["".join(TWIN.get(letter, letter) for letter in " ".join(normalize("NFKC", name).split()))].append(name)
    return [group for group in seen.values() if len(group) > 1]
