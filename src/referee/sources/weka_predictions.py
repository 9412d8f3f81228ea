"""Weka's predictions (`-classifications "...CSV"`, `-p 0`): the truth, and what a model says of it."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, Told, as_utf8, file_labels
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

START = re.compile(rb"\s*(?:=== Predictions [^\n]*===\s*)?inst#(?:[,\t]|\s+)actual(?:[,\t]|\s+)predicted")
HEADER = re.compile(r"\s*inst#([,\t ])\s*actual")
FIELD = {mark: re.compile(rf"((?:'(?:[^'\\]|\\.)*'|[^{mark}'])*)(?:{mark}|$)") for mark in (",", "\t")}
"""A cell of a line with quotes."""
WORD = re.compile(r"(?:'(?:[^'\\]|\\.)*'|[^\s'])+")
CLASS = re.compile(r"(\d+):(.*)", re.DOTALL)
FIXED = 4
"""inst#, actual, predicted and error come first."""


@dataclass(frozen=True)
class Output:
    """What Weka has written: the names of the columns, and the cells of each row."""

    source: str
    names: list[str]
    rows: list[tuple[int, list[str]]]
    """With the number of the line."""

    @property
    def is_nominal(self) -> bool:
        return bool(CLASS.fullmatch(self.rows[0][1][2]))

    @cached_property
    def probabilities(self) -> range:
        """The places of the probabilities: one of the predicted class, or one of each class."""
        if not self.is_nominal:
            return range(FIXED, FIXED)
        last = FIXED + 1
        while self.names[FIXED] == "distribution" and last < len(self.names) and not self.names[last]:
            last += 1
        return range(FIXED, last)

    @cached_property
    def classes(self) -> dict[int, str]:
        """The names of the classes that are seen, by number; plain text cuts names off, so that two may be the same."""
        cells = {cell for _, row in self.rows for cell in row[1:3]}
        pairs = sorted((int(match[1]), match[2]) for cell in cells if (match := CLASS.fullmatch(cell)))
        known = [(number, _unquoted(name)) for number, name in pairs if name != "?"]
        names = [name for _, name in known]
        return {number: name if names.count(name) == 1 else f"{number}:{name}" for number, name in known}

    def labels(self, place: int) -> list[str | None]:
        return [self._label(line, row[place]) for line, row in self.rows]

    def _label(self, line: int, cell: str) -> str | None:
        match = CLASS.fullmatch(cell)
        if match is None:
            self.refuse(line, f"{cell!r} is not a class such as '1:yes'")
        return None if match[2] == "?" else self.classes[int(match[1])]

    def numbers(self, place: int) -> list[float | None]:
        return [self._number(line, row[place]) for line, row in self.rows]

    def _number(self, line: int, cell: str) -> float | None:
        try:
            return None if cell == "?" else float(cell.removeprefix("*"))
        except ValueError:
            self.refuse(line, f"{cell!r} is not a number")

    def refuse(self, line: int, what: str) -> NoReturn:
        raise InputError("E_WEKA", f"{self.source}, line {line}: {what}", hint="write the complete output again as CSV")

    def class_columns(self, model: str) -> dict[str, list[Any]]:
        """The probabilities of each class, as far as they are known: of two classes, one probability says both."""
        if len(self.probabilities) > 1:
            return {
                f"{model}:{self.classes.get(number, str(number))}": self.numbers(place)
                for number, place in enumerate(self.probabilities, start=1)
            }
        if [*self.classes] != [1, 2]:
            return {}
        pairs = [*zip(self.labels(2), self.numbers(FIXED), strict=True)]
        return {
            f"{model}:{name}": [p if p is None or label == name else 1 - p for label, p in pairs]
            for name in self.classes.values()
        }

    def folds(self) -> list[int]:
        """The rows of each fold are counted anew."""
        numbers = [int(row[0]) for _, row in self.rows]
        folds = [1]
        for before, number in pairwise(numbers):
            folds.append(folds[-1] + (number <= before))
        return folds


def read_weka(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of Weka's output; the model has the name of the file.

    >>> text = b"inst#,actual,predicted,error,distribution,\n1,1:n,2:p,+,0.2,*0.8\n2,2:p,2:p,,0.1,*0.9\n"
    >>> table = read_weka("J48.csv", text, ReadOptions())
    >>> table.columns.to_pylist()[0]
    {'inst': 1, 'actual': 'n', 'J48': 'p', 'J48:n': 0.2, 'J48:p': 0.8}
    >>> table.told.roles
    {'truth': 'actual', 'models': {'J48': 'J48:{class}'}, 'labels': {'J48': 'J48'}}
    """
    import pyarrow as pa

    text, encoding = as_utf8(source, data, options.encoding)
    output = _output(source, text.decode())
    model = options.model or file_labels([source])[0]
    columns: dict[str, Any] = {"inst": [int(row[0]) for _, row in output.rows]}
    folds = output.folds()
    columns |= {"fold": folds} if folds[-1] > 1 else {}
    read = output.labels if output.is_nominal else output.numbers
    columns |= {"actual": read(1), model: read(2)}
    classes = output.class_columns(model) if output.is_nominal else {}
    further = {output.names[place]: place for place in range(output.probabilities.stop, len(output.names))}
    columns |= classes | {name: [row[place] for _, row in output.rows] for name, place in further.items()}
    return Table(source, pa.table(columns), notes=notes + encoding, told=_told(output, model, classes, folds[-1]))


def _told(output: Output, model: str, classes: dict[str, Any], folds: int) -> Told:
    roles: dict[str, Any] = {"truth": "actual"} | ({"fold": "fold"} if folds > 1 else {})
    if not output.is_nominal:
        return Told(model, roles | {"task": "regression", "models": {model: model}})
    columns = {"models": {model: f"{model}:{{class}}"}} if classes else {}
    return Told(model, roles | columns | {"labels": {model: model}})


def _output(source: str, text: str) -> Output:
    lines = [*enumerate(text.splitlines(), start=1)]
    start = next(place for place, (_, line) in enumerate(lines) if HEADER.match(line))
    header = lines[start][1]
    match = HEADER.match(header)
    mark = match[1] if match else ","
    names = header.split(mark) if mark != " " else _plain_names(header)
    rows = [(number, _cells(line, mark, names)) for number, line in _body(lines[start + 1 :])]
    output = Output(source, names, rows)
    for number, cells in rows:
        if len(cells) != len(names) or not cells[0].isdecimal():
            output.refuse(number, f"{len(cells)} cells for {len(names)} columns, or no number first: is it cut off?")
    if not rows:
        raise InputError("E_NOROWS", f"{source} has no predictions below its header")
    return output


def _body(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The rows end at the first blank line: Weka's summary may follow."""
    for number, line in lines:
        if not line.strip():
            return
        yield number, line


def _plain_names(header: str) -> list[str]:
    names, _, attributes = header.partition("(")
    return names.split() + (attributes.rstrip(" )").split(",") if attributes else [])


def _cells(line: str, mark: str, names: list[str]) -> list[str]:
    if mark == " ":
        return _plain_cells(line, names)
    return line.split(mark) if "'" not in line else FIELD[mark].findall(line)[: len(names)]


def _plain_cells(line: str, names: list[str]) -> list[str]:
    """Cells between blanks; an error of a class may be blank, and a distribution is one word."""
    values, _, attributes = line.partition(" (")
    words = WORD.findall(values)
    nominal = len(names) > FIXED and names[FIXED] in ("prediction", "distribution")
    if nominal and len(words) == FIXED:
        words.insert(3, "")
    if nominal and names[FIXED] == "distribution":
        shares = words.pop().split(",")
        words += shares
        names[FIXED + 1 :] = [""] * (len(shares) - 1) + [name for name in names[FIXED + 1 :] if name]
    return words + (attributes.rstrip(" )").split(",") if attributes else [])


def _unquoted(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if len(name) > 1 and name[0] == name[-1] == "'" else name


source = Source(
    "Weka's predictions",
    what="Predictions as Weka prints them, one file for each model, with the truth and probabilities.",
    shown="J48.csv NaiveBayes.csv",
    looks_like=lambda head: START.match(head) is not None,
    content=read_weka,
    tells="truth",
)
