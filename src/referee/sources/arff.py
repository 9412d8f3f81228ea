"""ARFF, Weka's format: attributes with declared types, dense and sparse rows, `?` for a missing value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from referee.errors import InputError, did_you_mean
from referee.predictions import ReadOptions, Source, Table, as_utf8, memory_limit, refuse_beyond
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

START = re.compile(rb"(?:\s|%[^\n]*\n)*@relation\b", re.IGNORECASE)
TOKEN = re.compile(
    r"""[\s,]*(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<brace>[{}])|(?P<word>[^\s,{}'"%]+))"""
)
NEWLINE = re.compile(r"\r\n|\n|\r")
REST = re.compile(r"[\s,]*(?:%.*)?")
PLAIN = re.compile(r"[^'\"{}%\\\t ]*")
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
DATE = "yyyy-MM-dd'T'HH:mm:ss"
"""Where a date has no pattern of its own."""
LETTERS = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "MMM": "%b", "dd": "%d", "d": "%d", "HH": "%H", "mm": "%M", "ss": "%S",
           "SSS": "%f", "Z": "%z", "a": "%p", "hh": "%I"}  # fmt: skip
"""What Java writes, and Python reads; a pattern with other letters is refused."""
PATTERN = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+")

COPIES = 10
"""Of the text, while its cells are values of Python."""


@dataclass(frozen=True)
class Word:
    """A part of a line; a quoted `?` is a value, a bare one is none."""

    text: str
    quoted: bool = False

    @property
    def value(self) -> str | None:
        return None if self.text == "?" and not self.quoted else self.text


@dataclass(frozen=True)
class Attribute:
    """A column: how its cells are read, and what a sparse row means that leaves it out."""

    name: str
    read: Callable[[str], Any]
    type: Any
    left_out: Any = None
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """Where something stands, for errors."""

    source: str
    line: int

    def refuse(self, what: str, hint: str | None = None) -> NoReturn:
        raise InputError("E_ARFF", f"{self.source}, line {self.line}: {what}", hint=hint)


def read_arff(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of an ARFF file; nominal attributes are categories with their declared levels.

    >>> text = b"@relation r\n@attribute 'a b' numeric\n@attribute c {no,yes}\n@data\n1,yes\n{0 2}\n?,no\n"
    >>> read_arff("r.arff", text, ReadOptions()).columns.to_pylist()
    [{'a b': 1.0, 'c': 'yes'}, {'a b': 2.0, 'c': 'no'}, {'a b': None, 'c': 'no'}]
    """
    text, encoding = as_utf8(source, data, options.encoding)
    refuse_beyond(memory_limit(options), COPIES * len(text), source, "its cells")
    lines = enumerate(NEWLINE.split(text.decode()), start=1)
    attributes = _header(source, lines)
    rows: list[list[Any]] = []
    weights: list[float] = []
    for number, line in lines:
        place = Place(source, number)
        if not PLAIN.fullmatch(line):
            words, weight = _without_weight(place, [*_words(place, line)])
            if not words:
                continue
            rows.append(_row(place, words, attributes))
            weights.append(weight)
        elif line:
            rows.append(_row(place, [Word(cell) for cell in line.split(",")], attributes))
            weights.append(1.0)
    levels = {attribute.name: attribute.levels for attribute in attributes if attribute.levels}
    return Table(source, _columns(attributes, rows, weights), notes=notes + encoding, levels=levels)


def _header(source: str, lines: Iterator[tuple[int, str]]) -> list[Attribute]:
    attributes: list[Attribute] = []
    for number, line in lines:
        place, stripped = Place(source, number), line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        keyword, *_ = stripped.split(None, 1)
        if keyword.lower() == "@attribute":
            attributes.append(_attribute(place, stripped[len(keyword) :]))
        elif keyword.lower() == "@data":
            return attributes
        elif keyword.lower() != "@relation":
            words = ("@relation", "@attribute", "@data")
            place.refuse(
                f"{keyword!r} is not expected here, only an attribute or @data; {did_you_mean(keyword, words)}"
            )
    raise InputError("E_ARFF", f"{source} has no @data: it is cut off, or has a header only")


def _words(place: Place, line: str) -> Iterator[Word]:
    at = 0
    while match := TOKEN.match(line, at):
        at = match.end()
        quoted = match["single"] if match["single"] is not None else match["double"]
        if quoted is None:
            yield Word(match["brace"] or match["word"])
        else:
            yield Word(re.sub(r"\\(.)", lambda escape: ESCAPED.get(escape[1], escape[1]), quoted), quoted=True)
    if not REST.fullmatch(line, at):
        place.refuse(f"the quote in {line[at:].strip()[:40]!r} is not closed")


def _attribute(place: Place, declared: str) -> Attribute:
    words = [*_words(place, declared)]
    if len(words) < 2:
        place.refuse("an attribute needs a name and a type", "such as @attribute age numeric")
    name, kind, *rest = words
    if kind.text == "{" and not kind.quoted:
        return _nominal(place, name.text, rest)
    readers = {"numeric": _numeric, "real": _numeric, "integer": _numeric, "string": _string, "date": _date}
    reader = readers.get(kind.text.lower())
    if kind.text.lower() == "relational":
        place.refuse(
            f"attribute {name.text!r} is relational: each of its cells is a table, and a row of a table here has one "
            "value in each column",
            "unfold it into plain attributes first (Weka: MultiInstanceToPropositional)",
        )
    if reader is None:
        place.refuse(f"attribute {name.text!r} has the type {kind.text!r}; {did_you_mean(kind.text, readers)}")
    return reader(place, name.text, [word.text for word in rest])


def _nominal(place: Place, name: str, words: list[Word]) -> Attribute:
    import pyarrow as pa

    if not words or words[-1].text != "}":
        place.refuse(f"the levels of attribute {name!r} do not end in '}}'")
    levels = tuple(word.text for word in words[:-1])
    known = {level: code for code, level in enumerate(levels)}

    def code(cell: str) -> int:
        if cell not in known:
            raise ValueError(f"{cell!r} is not one of its levels; {did_you_mean(cell, levels)}")
        return known[cell]

    return Attribute(name, code, pa.int32(), 0, levels)


def _numeric(_place: Place, name: str, _rest: list[str]) -> Attribute:
    import pyarrow as pa

    def number(cell: str) -> float:
        if not NUMBER.fullmatch(cell):
            raise ValueError(f"{cell!r} is not a number")
        return float(cell)

    return Attribute(name, number, pa.float64(), 0.0)


def _string(_place: Place, name: str, _rest: list[str]) -> Attribute:
    import pyarrow as pa

    return Attribute(name, str, pa.string())


def _date(place: Place, name: str, rest: list[str]) -> Attribute:
    from datetime import datetime

    import pyarrow as pa

    pattern = rest[0] if rest else DATE
    parts = [*PATTERN.finditer(pattern)]
    form = "".join(LETTERS.get(part[0]) or (part[1] or part[0]).replace("%", "%%") for part in parts)
    unknown = [part[0] for part in parts if part[2] and part[0] not in LETTERS]
    if unknown:
        place.refuse(f"attribute {name!r}: the date pattern {pattern!r} has {unknown[0]!r}, which is not read here")

    def date(cell: str) -> datetime:
        try:
            return datetime.strptime(cell, form)
        except ValueError:
            raise ValueError(f"{cell!r} is not a date of the pattern {pattern!r}") from None

    zoned = "UTC" if "%z" in form else None
    return Attribute(name, date, pa.timestamp("ms", zoned), datetime(1970, 1, 1))


def _without_weight(place: Place, words: list[Word]) -> tuple[list[Word], float]:
    """A row may end in its weight in braces; a sparse row is in braces itself."""
    ends_so = len(words) > 3 and [words[-3].text, words[-1].text] == ["{", "}"]
    if not ends_so or words[-3].quoted:
        return words, 1.0
    if not NUMBER.fullmatch(words[-2].text):
        place.refuse(f"the weight {words[-2].text!r} is not a number")
    return words[:-3], float(words[-2].text)


def _row(place: Place, words: list[Word], attributes: list[Attribute]) -> list[Any]:
    if words[0].text == "{" and not words[0].quoted:
        return _sparse(place, words, attributes)
    if len(words) != len(attributes):
        hint = "a missing value is written as ?, and a value with a blank, a comma or % in quotes"
        place.refuse(f"{len(words)} values for {len(attributes)} attributes", hint)
    return [_cell(place, word, attribute) for word, attribute in zip(words, attributes, strict=True)]


def _cell(place: Place, word: Word, attribute: Attribute) -> Any:
    if word.value is None:
        return None
    try:
        return attribute.read(word.value)
    except ValueError as error:
        place.refuse(f"attribute {attribute.name!r}: {error}")


def _sparse(place: Place, words: list[Word], attributes: list[Attribute]) -> list[Any]:
    if words[-1].text != "}" or len(words) % 2:
        place.refuse("a sparse row is a list of places and values in braces", "such as {0 5.1, 3 yes}")
    row = [attribute.left_out for attribute in attributes]
    named: set[int] = set()
    for at, value in zip(words[1:-1:2], words[2:-1:2], strict=True):
        if not at.text.isdecimal() or int(at.text) >= len(attributes):
            place.refuse(f"{at.text!r} is not the place of an attribute: these are 0 to {len(attributes) - 1}")
        if int(at.text) in named:
            place.refuse(f"attribute {attributes[int(at.text)].name!r} has two values")
        named.add(int(at.text))
        row[int(at.text)] = _cell(place, value, attributes[int(at.text)])
    for at_place, attribute in enumerate(attributes):
        if attribute.left_out is None and at_place not in named:
            place.refuse(f"attribute {attribute.name!r} is a string, which a sparse row must not leave out")
    return row


def _columns(attributes: list[Attribute], rows: list[list[Any]], weights: list[float]) -> pa.Table:
    import pyarrow as pa

    cells = [*zip(*rows, strict=True)] if rows else [()] * len(attributes)
    columns = [pa.array(column, attribute.type) for attribute, column in zip(attributes, cells, strict=True)]
    columns = [
        pa.DictionaryArray.from_arrays(column, list(attribute.levels)) if attribute.levels else column
        for attribute, column in zip(attributes, columns, strict=True)
    ]
    names = [attribute.name for attribute in attributes]
    if set(weights) - {1.0}:
        columns, names = [*columns, pa.array(weights)], [*names, "weight"]
    return pa.table(columns, names=names)


source = Source(
    "ARFF",
    what="Weka's table of attributes with types: categories keep their declared levels; also as DATA for `select`.",
    shown="preds.arff",
    looks_like=lambda head: START.match(head) is not None,
    suffixes=(".arff",),
    content=read_arff,
)
