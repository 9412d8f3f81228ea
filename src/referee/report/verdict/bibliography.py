"""References as BibTeX, from the lines in which metrics, tests and schemes cite them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from referee import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

JOURNAL = re.compile(
    r"^(?P<author>.+?), (?:(?P<title>.+), )?(?P<journal>[^,(]+?) (?P<volume>\d+) \((?P<year>\d{4})\)(?:[,:].*)?$"
)
"""Efron, Better bootstrap confidence intervals, JASA 82 (1987)."""
JOURNAL_WITH_PAGES = re.compile(
    r"^(?P<author>.+?) \((?P<year>\d{4})\), (?:(?P<title>.+), )?(?P<journal>[^,(]+?) (?P<volume>\d+)"
    r"(?:, (?P<pages>\d+(?:-\d+)?))?(?: \(.*\))?$"
)
"""Brier (1950), Verification of forecasts expressed in terms of probability, Monthly Weather Review 78, 1-3."""
CONFERENCE = re.compile(r"^(?P<author>.+?), (?P<title>.+), (?P<booktitle>[A-Z][\w ]+?) (?P<year>\d{4})(?::.*)?$")
CONFERENCE_WITH_PAGES = re.compile(
    r"^(?P<author>.+?) \((?P<year>\d{4})\), (?P<title>.+), (?P<booktitle>[A-Z][\w ]+), (?P<pages>\d+-\d+)$"
)
KINDS = (
    ("article", JOURNAL_WITH_PAGES), ("inproceedings", CONFERENCE_WITH_PAGES), ("article", JOURNAL),
    ("inproceedings", CONFERENCE),
)  # fmt: skip


def bibliography(references: Iterable[str]) -> str:
    r"""BibTeX of each reference once, and of referee itself.

    >>> print(bibliography(["Efron, Better bootstrap confidence intervals, JASA 82 (1987): BCa"]).split("\n\n")[0])
    @article{efron1987,
      author = {Efron},
      title = {Better bootstrap confidence intervals},
      journal = {JASA},
      volume = {82},
      year = {1987},
    }
    """
    entries: dict[str, str] = {}
    for reference in dict.fromkeys(references):
        key, text = _entry(reference)
        entries.setdefault(key, text)
    own = {"title": "referee: which model won, or a tie", "version": __version__}
    return "\n\n".join([*entries.values(), _written("software", "referee", own)])


def _entry(reference: str) -> tuple[str, str]:
    for kind, pattern in KINDS:
        if found := pattern.match(reference):
            fields = {name: value for name, value in found.groupdict().items() if value}
            fields["author"] = _authors(fields["author"])
            order = [
                name
                for name in ("author", "title", "journal", "booktitle", "volume", "pages", "year")
                if name in fields
            ]
            return (key := _key(fields["author"], fields["year"])), _written(kind, key, {n: fields[n] for n in order})
    years = re.findall(r"\b(1[89]\d\d|20\d\d)\b", reference)
    author = _authors(re.split(r", | \(", reference)[0])
    key = _key(author, years[0] if years else "")
    return key, _written("misc", key, {"author": author, "note": reference} | ({"year": years[0]} if years else {}))


def _authors(names: str) -> str:
    """Names as BibTeX separates them."""
    return re.sub(r", | and ", " and ", names.replace(" et al.", " and others"))


def _key(author: str, year: str) -> str:
    plain = unicodedata.normalize("NFKD", author.partition(" and ")[0]).encode("ascii", "ignore").decode()
    return re.sub(r"\W", "", plain).lower() + year


def _written(kind: str, key: str, fields: dict[str, str]) -> str:
    escaped = {
        name: re.sub(r"([&%#_])", r"\\\1", value).replace("-", "--" if name == "pages" else "-")
        for name, value in fields.items()
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in escaped.items())
    return f"@{kind}{{{key},\n{lines}}}"
