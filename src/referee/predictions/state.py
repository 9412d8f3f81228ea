"""State: summaries of rows that add up without the rows; a file of its own, and predictions without rows."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, replace
from functools import reduce
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import known_keywords
from referee.document import counted, refuse_no_place, write_file
from referee.errors import InputError, UsageError, WriteError, listed
from referee.predictions.column_facts import Facts, Outside
from referee.predictions.locations import expanded, head_of
from referee.predictions.memory import memory_limit, refuse_beyond, size_text
from referee.predictions.model import Model
from referee.predictions.predictions import Predictions
from referee.predictions.source import refuse_query
from referee.predictions.special_files import is_file
from referee.predictions.state_sums import CellSums, JointBins, TermMoments
from referee.predictions.table import ReadOptions
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array

STATE_MAGIC = b"referee state\n"
VERSION = 1
SAME = ("task", "classes", "positive", "threshold", "models", "sums")
"""What states have in common that add up."""
KINDS = {"cells": CellSums, "joint": JointBins, "terms": TermMoments}
MAY_BE = {"i8": np.int64, "f8": np.float64}


class Kept:
    """A column that a model had: its rows are not in the state."""

    def __repr__(self) -> str:
        return "a column whose rows are not in the state"


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """A summary of many rows that is small enough to keep, and that can be added to other summaries.

    Made by referee.summarise(); compare(), evaluate(), gate() and summarise() take states. `save(path)` writes one,
    `read(path)` reads it, and a + b are all rows of both. `names` are its models.

    >>> import referee
    >>> y, a, b = [0, 1, 1, 0] * 10, [0.1, 0.8, 0.6, 0.3] * 10, [0.4, 0.7, 0.2, 0.5] * 10
    >>> monday, tuesday = (referee.summarise(y, {"a": a, "b": b}) for _ in range(2))
    >>> monday
    State(rows=40, models=('a', 'b'))
    >>> referee.compare(monday, goal="log_loss").winners
    ('a',)
    """

    about: Mapping[str, Any]
    """The task, the classes, the positive one, the threshold, the models and what was summed of their rows."""
    rows: int
    facts: Mapping[str, Facts]
    parts: tuple[str, ...]
    """Fingerprints of the rows that it is of."""
    tables: Mapping[str, CellSums | JointBins | TermMoments]
    source: str = "a state"

    def __repr__(self) -> str:
        return f"State(rows={self.rows}, models={self.names})"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(model["name"] for model in self.about["models"])

    def __add__(self, later: State) -> State:
        self._refuse_other(later)
        tables: dict[str, Any] = {name: table.merge(later.tables[name]) for name, table in self.tables.items()}  # type: ignore[arg-type]
        facts = {name: known.merge(later.facts[name]) for name, known in self.facts.items()}
        parts = tuple(sorted({*self.parts, *later.parts}))
        return State(self.about, self.rows + later.rows, facts, parts, tables, f"{self.source} and {later.source}")

    def _refuse_other(self, later: State) -> None:
        for name in SAME:
            mine, others = self.about[name], later.about[name]
            if mine != others:
                shown = [_shown(name, value) for value in (mine, others)]
                raise InputError(
                    "E_STATE",
                    f"{later.source} cannot be added to {self.source}: its {name} {shown[1]}, there {shown[0]}",
                    hint="summarise both with the same models, --positive, --classes, --threshold and --metrics",
                )
        if {*self.parts} & {*later.parts}:
            raise InputError(
                "E_STATE", f"{later.source} holds rows that are already in {self.source}", hint="give each state once"
            )

    def predictions(self) -> Predictions:
        """What `compare` and its neighbours see of it."""
        about = self.about
        return Predictions(
            task=about["task"], truth=self, models=tuple(map(_model, about["models"])),  # type: ignore[arg-type]
            classes=tuple(about["classes"]), positive=about["positive"], order_said=about["order_said"],
            threshold=about["threshold"], truth_column=about["truth_column"], source=self.source, engine="state",
            row_count=self.rows,
        )  # fmt: skip

    @property
    def fingerprint(self) -> str:
        return _digest(repr((*(self.about[name] for name in SAME), self.parts)).encode())

    @property
    def sentence(self) -> str:
        return f"{counted(self.rows, 'row')} of {listed(self.names)}, summarised in {size_text(len(self.to_bytes()))}."

    @known_keywords()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file that `State.read()` and every command take."""
        refuse_no_state(path)
        write_file("--out", path, self.to_bytes())

    def to_bytes(self) -> bytes:
        arrays: list[Array] = []
        header: dict[str, Any] = {"version": VERSION, "rows": self.rows, "parts": self.parts, "about": dict(self.about)}
        header["facts"] = {name: asdict(facts) for name, facts in self.facts.items()}
        header["tables"] = {name: _described(table, arrays) for name, table in self.tables.items()}
        content = b"".join(array.tobytes() for array in arrays)
        header["check"] = _digest(content)
        text = json.dumps(header).encode()
        return STATE_MAGIC + len(text).to_bytes(8, "little") + text + zlib.compress(content, 1)

    @classmethod
    @known_keywords()
    def read(cls, path: str | os.PathLike[str], *, options: ReadOptions | None = None) -> State:
        """Read a file that `save()`, or `referee summarise --out`, has written."""
        place = Path(path)
        try:
            refuse_beyond(memory_limit(options or ReadOptions()), place.stat().st_size, str(path), "its tables")
            data = place.read_bytes()
        except FileNotFoundError:
            raise InputError("E_NOFILE", f"there is no file {path}") from None
        except OSError as error:
            raise InputError("E_READ", f"{path} cannot be read: {error.strerror or error}") from error
        return read_state(os.fspath(path), data, memory_limit(options or ReadOptions()))


def read_state(source: str, data: bytes, limit: int) -> State:
    """Check the bytes of a file, and take them for what they say."""
    begin = len(STATE_MAGIC) + 8
    if not data.startswith(STATE_MAGIC):
        raise InputError("E_STATE", f"{source} is not a state", hint="`referee summarise` writes them")
    end = begin + int.from_bytes(data[len(STATE_MAGIC) : begin], "little")
    try:
        header = json.loads(data[begin:end])
        if header["version"] != VERSION:
            raise InputError(
                "E_STATE",
                f"{source} is a state of format {header['version']}, and this referee reads format {VERSION}",
                hint="summarise the rows again",
            )
        size = sum(_size(*shape) for said in header["tables"].values() for shape in said["arrays"].values())
        refuse_beyond(limit, 3 * size, source, "its tables")
        content = memoryview(_unpacked(data[end:], size))
        if _digest(content) != header["check"]:
            raise ValueError("its numbers are not those that were written")
        arrays = _Arrays(content)
        tables = {name: _table(said, arrays) for name, said in header["tables"].items()}
        facts = {name: _facts(said) for name, said in header["facts"].items()}
        state = State(header["about"], int(header["rows"]), facts, tuple(header["parts"]), tables, source)
        _refuse_incomplete(state)
        return state
    except (ValueError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            "E_STATE", f"{source} is damaged: {error}", hint="summarise the rows again, or take it from a backup"
        ) from error


def states_in(given: Sequence[Any], options: ReadOptions | None = None) -> State | None:
    """All states that were given, added up; None where something else was given."""
    sources = [source for each in given for source in _each(each)]
    are_states = [isinstance(source, State) or _is_state_file(source) for source in sources]
    if not any(are_states):
        return None
    if not all(are_states):
        other = sources[are_states.index(False)]
        shown = os.fspath(other) if isinstance(other, str | os.PathLike) else f"a {type(other).__name__}"
        raise UsageError(
            "E_STATE", f"states are not read together with rows, and {shown} is not a state",
            hint="`referee summarise` makes a state of them",
        )  # fmt: skip
    if options is not None:
        refuse_query("a state", options)
    if options is not None and options.engine != "auto":
        what = f"--engine {options.engine} cannot be used here: a state has no rows"
        raise UsageError("E_ENGINE", what, hint="omit --engine")
    each = [source if isinstance(source, State) else State.read(source, options=options) for source in sources]
    total = reduce(State.__add__, each)
    return total if len(each) < 3 else replace(total, source=f"{len(each)} states")


def _each(source: Any) -> list[Any]:
    if isinstance(source, list | tuple) and source and (isinstance(source[0], State) or _is_state_file(source[0])):
        return [inner for each in source for inner in _each(each)]
    return expanded(source) if isinstance(source, str | os.PathLike) else [source]


def _is_state_file(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike) or not is_file(source):
        return False
    return head_of(Path(source)).startswith(STATE_MAGIC)


def _shown(name: str, value: Any) -> str:
    if name == "models":
        return f"are {', '.join(_given_by(model) for model in value)}"
    return f"are {listed(value)}" if isinstance(value, list | dict) else f"is {value!r}"


def _given_by(said: Mapping[str, Any]) -> str:
    """Models of one name may differ in what they give, as where the scores of one part are all 0 or 1."""
    number = said["class_scores"] or len(said["levels"])
    kinds = [*said["gives"], *([f"{number} columns"] if number else [])]
    return f"{said['name']!r} with {' and '.join(kinds)}"


def _model(said: Mapping[str, Any]) -> Model:
    kept: Any = Kept()
    columns = {kind: kept for kind in ("scores", "labels", "values") if kind in said["gives"]}
    return Model(
        said["name"],
        **columns,
        class_scores=tuple(kept for _ in range(said["class_scores"])) or None,
        quantiles=dict.fromkeys(said["levels"], kept) or None,
        tie_order=None if said["tie_order"] is None else tuple(said["tie_order"]),
        columns=tuple(said["columns"]),
    )


def _described(table: CellSums | JointBins | TermMoments, arrays: list[Array]) -> dict[str, Any]:
    """What a table is, its arrays put to those that are written."""
    kind = next(name for name, known in KINDS.items() if isinstance(table, known))
    cells = table.cells if isinstance(table, JointBins) else table
    said: dict[str, Any] = {"kind": kind, "arrays": {}}
    for name, array in vars(cells).items():
        letter = "i8" if array.dtype.kind in "iu" else "f8"
        arrays.append(np.ascontiguousarray(array, np.dtype(MAY_BE[letter]).newbyteorder("<")))
        said["arrays"][name] = [letter, *array.shape]
    return said | ({"bits": table.bits} if isinstance(table, JointBins) else {})


class _Arrays:
    """The numbers of a file, one array after the other; nothing is made that the file does not hold."""

    def __init__(self, content: memoryview) -> None:
        self.content, self.place = content, 0

    def next(self, letter: str, *shape: int) -> Array:
        part = self.content[self.place : self.place + _size(letter, *shape)]
        self.place += len(part)
        return np.frombuffer(part, np.dtype(MAY_BE[letter]).newbyteorder("<")).astype(MAY_BE[letter]).reshape(shape)


def _size(letter: str, *shape: int) -> int:
    """In bytes."""
    if letter not in MAY_BE or any(type(length) is not int or length < 0 for length in shape):
        raise ValueError("an array has no size")
    return 8 * prod(shape)


def _digest(content: bytes | memoryview) -> str:
    from hashlib import blake2b  # which loads OpenSSL, and few runs have a state

    return blake2b(content, digest_size=16).hexdigest()


def _unpacked(data: bytes, size: int) -> bytes:
    """So many bytes; not one more is made."""
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(data, size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if len(content) != size or not unpacking.eof:
        raise ValueError("it is not as long as it says")
    return content


def _table(said: Mapping[str, Any], arrays: _Arrays) -> CellSums | JointBins | TermMoments:
    kind = said["kind"]
    made = {name: arrays.next(*shape) for name, shape in said["arrays"].items()}
    if kind == "terms":
        return TermMoments(**made)
    cells = CellSums(**made)
    if not len(cells.keys) == len(cells.sums) or len(cells.low) != len(cells.high):
        raise ValueError("a table has columns of different lengths")
    return cells if kind == "cells" else JointBins(cells, int(said["bits"]))


def _facts(said: Mapping[str, Any]) -> Facts:
    places = {name: said[name] and Outside(**said[name]) for name in ("outside", "not_summing")}
    return Facts(**{**said, **places})


def _refuse_incomplete(state: State) -> None:
    for name in (*SAME, "order_said", "truth_column"):
        if name not in state.about:
            raise ValueError(f"it does not say its {name}")
    for model in state.names:
        if model not in state.facts:
            raise ValueError(f"it says nothing of {model}")
    state.predictions()


def refuse_no_state(path: str | os.PathLike[str]) -> None:
    """Stop before the work where a state cannot be written; a file that is no state stays as it is."""
    refuse_no_place("--out", path)
    place = Path(path)
    if place.exists() and place.stat().st_size and not _is_state(place):
        raise WriteError(
            "E_EXISTS", f"--out {path}: this file already exists, and is no state", hint="name another file"
        )


def _is_state(place: Path) -> bool:
    with place.open("rb") as file:
        return file.read(len(STATE_MAGIC)) == STATE_MAGIC
