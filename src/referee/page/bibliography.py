"""References as BibTeX, from the lines in which metrics, tests and schemes cite them.

A line is `Authors (Year). Title. Place. Remark`: authors with their initials first, in the title a book's edition, and
the remark only where there is one. The place is `Journal 44, 837-845`, `In Conference, 233-240`,
`PhD thesis, University` or `Publisher, section 8.5`. What is not of this form is quoted as it is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from referee import __version__
from referee.document.latex import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

LINE = re.compile(r"(?P<author>[^()]+) \((?P<year>\d{4})\)\. (?P<title>.+?)\. (?P<place>.+?)(?:\. .+|\.)?")
EDITION = re.compile(r"(?P<title>.+), (?P<edition>\d+(?:st|nd|rd|th)) edition")
PAGES = r"(?:, (?P<pages>\d+(?:-\d+)?))?"
PLACES = {
    "inproceedings": re.compile(rf"In (?P<booktitle>.+?){PAGES}"),
    "phdthesis": re.compile(r"PhD thesis, (?P<school>.+)"),
    "book": re.compile(r"(?P<publisher>[^\W\d][^\d,:/]+)(?:, (?:chapter|section|pages) [\d.-]+)?"),
    "article": re.compile(rf"(?P<journal>.+?) (?P<volume>\d+){PAGES}"),
    "misc": re.compile(r"(?P<howpublished>.+)"),
}
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0328": "k",
}  # fmt: skip
LETTERS = {
    "ı": r"{\i}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "ß": r"{\ss}", "æ": r"{\ae}", "Æ": r"{\AE}",
    "²": "$^2$", "×": r"$\times$",
}  # fmt: skip
OWN = f"""@misc{{referee,
  author = {{{{the referee developers}}}},
  title = {{referee: which model won, or a tie}},
  note = {{Version {__version__}}},
}}"""


class Work(NamedTuple):
    """What is cited: an entry type of BibTeX, and its fields as plain text."""

    kind: str
    fields: dict[str, str]


def bibliography(references: Iterable[str]) -> str:
    r"""BibTeX of each work once, and of referee itself.

    >>> line = "B. Efron (1987). Better bootstrap confidence intervals. JASA 82, 171-185. BCa"
    >>> print(bibliography([line]).split("\n\n")[0])
    @article{efron1987,
      author = {B. Efron},
      title = {Better bootstrap confidence intervals},
      journal = {JASA},
      volume = {82},
      pages = {171--185},
      year = {1987},
    }
    """
    entries: dict[str, str] = {}
    for work in _unique(map(work_of, references)):
        key = _key(work, entries)
        entries[key] = _written(key, work)
    return "\n\n".join([*entries.values(), OWN])


def work_of(reference: str) -> Work:
    """Read a line; one that is not of the form above is a note."""
    line = LINE.fullmatch(reference)
    if line is None:
        return Work("misc", {"note": reference})
    kind, place = next((kind, match) for kind, form in PLACES.items() if (match := form.fullmatch(line["place"])))
    book = EDITION.fullmatch(line["title"])
    title = book.groupdict() if book else {"title": line["title"]}
    within = {name: value for name, value in place.groupdict().items() if value}
    return Work(kind, {"author": _authors(line["author"]), **title, **within, "year": line["year"]})


def _unique(works: Iterable[Work]) -> list[Work]:
    """A work is the same wherever in it something stands."""
    return list({repr(work): work for work in works}.values())


def _authors(names: str) -> str:
    """Names as BibTeX separates them.

    >>> _authors("A. Kumar, P. Liang and T. Ma"), _authors("M. Kull et al.")
    ('A. Kumar and P. Liang and T. Ma', 'M. Kull and others')
    """
    return re.sub(r", | and ", " and ", names.replace(" et al.", " and others"))


def _key(work: Work, taken: Iterable[str]) -> str:
    """The first author's surname and the year, numbered where that is taken."""
    first = (work.fields.get("author") or "reference").partition(" and ")[0]
    surname = "".join(word for word in first.split() if not word.endswith(".")).replace("ı", "i")
    plain = unicodedata.normalize("NFKD", surname).encode("ascii", "ignore").decode()
    key = (re.sub(r"\W", "", plain).lower() or "reference") + work.fields.get("year", "")
    number = 1
    while (numbered := key if number == 1 else f"{key}-{number}") in taken:
        number += 1
    return numbered


def _written(key: str, work: Work) -> str:
    lines = "".join(f"  {name} = {{{_value(work.kind, name, text)}}},\n" for name, text in work.fields.items())
    return f"@{work.kind}{{{key},\n{lines}}}"


def _value(kind: str, name: str, text: str) -> str:
    if name == "pages":
        return text.replace("-", "--")
    if name == "title" and kind in ("article", "inproceedings", "phdthesis"):
        return " ".join(_kept(word, first=place == 0) for place, word in enumerate(text.split(" ")))
    return in_bibtex(text)


def _kept(word: str, *, first: bool) -> str:
    """In braces where a style would make a small letter of a capital one that has to stay."""
    capital = any(letter.isupper() for letter in (word[1:] if first else word))
    return f"{{{in_bibtex(word)}}}" if capital else in_bibtex(word)


def in_bibtex(text: str) -> str:
    r"""A text with its special letters and accents as BibTeX sorts and prints them everywhere.

    >>> print(in_bibtex("Demšar & Schütze"))
    Dem{\v{s}}ar \& Sch{\"{u}}tze
    """
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFC", text))


def _letter(letter: str) -> str:
    if letter.isascii() or letter in LETTERS:
        return LETTERS.get(letter, escaped(letter))
    apart = unicodedata.normalize("NFD", letter)
    if len(apart) == 2 and apart[1] in ACCENTS:
        return rf"{{\{ACCENTS[apart[1]]}{{{apart[0]}}}}}"
    return escaped(letter)
