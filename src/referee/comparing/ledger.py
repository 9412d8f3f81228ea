"""The ledger of a gate: JSON lines, one for each look, to which only is added; prints of rows; history()."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import known_keywords
from referee.comparing.kept_verdicts import kept_verdicts
from referee.document import (
    Cell,
    Column,
    Document,
    Part,
    Result,
    counted,
    interval_cell,
    name_cell,
    number,
    number_cell,
    table,
)
from referee.errors import CheckpointError, InputError, Notice, WriteError
from referee.predictions import small_file
from referee.records import dataclass
from referee.scoring import shown_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.comparing.kept_verdicts import KeptVerdicts
    from referee.document import Columns
    from referee.predictions import Model, Predictions


FORMAT = 1
SAME = ("goal", "better", "alpha", "margin", "superiority", "method", "looks", "until", "production", "shards", "spend")
"""What is the same for all looks; another question is another ledger."""
SWITCHES = {"superiority": "--superiority", "shards": "--new-rows", "spend": "--spend"}


@dataclass(frozen=True)
class Ledger:
    """What is known of a gate's looks: the rule that was fixed at first, and the looks."""

    path: Path
    rule: Mapping[str, Any] | None = None
    """None where there is no look yet."""
    looks: tuple[Mapping[str, Any], ...] = ()
    notices: tuple[Notice, ...] = ()
    length: int = field(default=0, repr=False)
    """Bytes that hold whole lines; what comes after was being written when the process was killed."""
    chain: str = field(default="", repr=False)

    def looks_at(self, candidate: str) -> list[Mapping[str, Any]]:
        return [look for look in self.looks if look["candidate"] == candidate]

    @property
    def candidates(self) -> list[str]:
        return list(dict.fromkeys(look["candidate"] for look in self.looks))

    def number_of(self, candidate: str) -> int:
        """Whether it is the first, second ... candidate for the place of this production model."""
        known = self.candidates
        return known.index(candidate) + 1 if candidate in known else len(known) + 1

    def refuse_other_rule(self, rule: Mapping[str, Any]) -> None:
        """Looks add up only if all of them ask the same question in the same way."""
        for name in SAME:
            if self.rule is not None and self.rule[name] != rule[name]:
                raise CheckpointError(
                    "E_LEDGER",
                    f"{self.path}: {_other_rule(name, self.rule[name], rule[name])}; looks share one error rate only "
                    "if all ask the same question",
                    hint="another question needs a ledger of its own, and rows that no look has seen",
                )

    def added(self, rule: Mapping[str, Any], look: Mapping[str, Any]) -> Ledger:
        """Write a look down, before anybody has seen its outcome."""
        lines, chain = [], self.chain
        for content in ([{"ledger": FORMAT, **rule}] if self.rule is None else []) + [dict(look)]:
            line, chain = _chained(content, chain)
            lines.append(line)
        _append(self.path, self.length, "".join(lines).encode())
        return Ledger(self.path, rule, (*self.looks, look), self.notices, chain=chain)


def _other_rule(name: str, known: Any, given: Any) -> str:
    if name in SWITCHES:
        here, now = ("with", "without") if known else ("without", "with")
        return f"the looks of this ledger were made {here} {SWITCHES[name]}, this one {now} it"
    return f"the {name} of this ledger is {known!r}, not {given!r}"


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    """A file that is not there is a ledger without looks; a last line that was cut off is left out, and said."""
    path = Path(path)
    try:
        text = small_file(path)
    except FileNotFoundError:
        return Ledger(path)
    except OSError as error:
        raise CheckpointError("E_LEDGER", f"{path}: cannot be read: {error.strerror}") from None
    whole = text.rfind(b"\n") + 1
    notices = (Notice("W_LEDGER", _cut_off(path)),) if whole < len(text) else ()
    contents, chain = [], ""
    for place, line in enumerate(text[:whole].splitlines(), 1):
        content, chain = _checked(path, place, line, chain)
        contents.append(content)
    if not contents:
        return Ledger(path, notices=notices)
    return Ledger(path, contents[0], tuple(contents[1:]), notices, whole, chain)


def _cut_off(path: Path) -> str:
    return (
        f"{path}: the last line was cut off while being written; its look was never shown, so it is left out, and "
        "the next look takes its place"
    )


def _checked(path: Path, number: int, line: bytes, chain: str) -> tuple[dict[str, Any], str]:
    """A line that holds what was written, after the lines that were there then."""
    content = None
    with suppress(ValueError):
        content = json.loads(line)
    if isinstance(content, dict) and number == 1 and content.get("ledger") != FORMAT:
        raise CheckpointError(
            "E_LEDGER", f"{path} is not a ledger of a gate", hint="--ledger names a file that `referee gate` made"
        )
    if isinstance(content, dict) and (written := content.pop("chain", None)) is not None:
        _, expected = _chained(content, chain)
        if written == expected:
            return content, expected
    raise CheckpointError(
        "E_LEDGER",
        f"{path}, line {number}: the line was changed, or lines before it were; a ledger is only ever added to",
        hint="restore the file from a backup, or begin a new ledger with rows that no look has seen",
    )


def _chained(content: Mapping[str, Any], chain: str) -> tuple[str, str]:
    """The line with a hash of itself and of all lines before it, and that hash."""
    plain = json.dumps(content, ensure_ascii=False, allow_nan=False)
    chain = sha256((chain + plain).encode()).hexdigest()[:16]
    return json.dumps({**content, "chain": chain}, ensure_ascii=False, allow_nan=False) + "\n", chain


def _append(path: Path, length: int, lines: bytes) -> None:
    try:
        with path.open("r+b" if path.exists() else "xb") as file:
            file.truncate(length)
            file.seek(length)
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise WriteError("E_WRITE", f"{path}: cannot be written: {error.strerror}") from None


STEP, TURN = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)


def print_of_rows(predictions: Predictions, model: Model, rows: slice) -> str:
    """Of some rows of one model with what was true, whatever their order: a sum of a hash of each row."""
    columns = [_by_name(predictions, predictions.truth)]
    columns += [column for _, column in sorted(_columns(predictions, model).items())]
    columns += [] if predictions.weight is None else [predictions.weight]
    sums = []
    for start in (1, 2):
        keys = np.full(predictions.rows, start, np.uint64)[rows]
        for column in columns:
            keys = _mixed(keys, column[rows])
        with np.errstate(over="ignore"):
            sums.append(int(keys.sum(dtype=np.uint64)))
    return "".join(f"{each:016x}" for each in sums)


def _mixed(keys: Array, column: Array) -> Array:
    bits = np.ascontiguousarray(column, float) + 0.0  # so that -0 is 0
    with np.errstate(over="ignore"):
        keys = (keys ^ bits.view(np.uint64)) * STEP
        return np.asarray((keys ^ (keys >> TURN)) * STEP)


def _columns(predictions: Predictions, model: Model) -> dict[str, Array]:
    """Classes go by their names: a new one that comes later moves the codes of the others."""
    columns = model.columns_by_kind()
    if "labels" in columns:
        columns = columns | {"labels": _by_name(predictions, columns["labels"])}
    for code, name in enumerate(predictions.classes):
        if f"class {code}" in columns:
            columns[f"class of {name}"] = columns.pop(f"class {code}")
    return columns


def _by_name(predictions: Predictions, codes: Array) -> Array:
    if not predictions.classes:
        return codes
    names = [int(sha256(name.encode()).hexdigest()[:12], 16) for name in predictions.classes]
    return np.array(names, float)[codes]


METHODS = {
    "planned": "planned looks (O'Brien and Fleming; uneven ones by Lan and DeMets)",
    "asymptotic": "looks at any time (asymptotic confidence sequence)",
    "exact": "looks at any time (bets on bounded losses)",
}


@dataclass(frozen=True, repr=False)
class History(Result):
    """What a gate's ledger has recorded.

    >>> import tempfile, referee
    >>> y, old, new = [0, 1] * 50, [0.2, 0.7] * 50, [0.1, 0.9] * 50
    >>> path = tempfile.mkdtemp() + "/gate.jsonl"
    >>> asked = dict(goal="brier", production="old", candidate="new", margin=0.01)
    >>> referee.gate(y, {"old": old, "new": new}, ledger=path, looks=4, until=200, **asked).outcome
    'pass'
    >>> referee.history(path).looks[0]["rows"]
    100
    """

    ledger: Ledger

    @property
    def rule(self) -> dict[str, Any]:
        """What was fixed with the first look."""
        return {name: value for name, value in (self.ledger.rule or {}).items() if name != "ledger"}

    @property
    def looks(self) -> list[dict[str, Any]]:
        """In the order in which they were made, each with its boundary and its outcome."""
        inside = ("state", "ids")
        return [{name: value for name, value in look.items() if name not in inside} for look in self.ledger.looks]

    @property
    def outcomes(self) -> dict[str, str]:
        """The decision on each candidate, or that there is none yet."""
        by_candidate = {name: self.ledger.looks_at(name) for name in self.ledger.candidates}
        decided = {name: [look["outcome"] for look in looks] for name, looks in by_candidate.items()}
        return {
            name: next((outcome for outcome in each if outcome != "inconclusive"), each[-1])
            for name, each in decided.items()
        }

    @property
    def sentence(self) -> str:
        rule, looks = self.rule, len(self.looks)
        said = ", ".join(f"{name}: {outcome}" for name, outcome in self.outcomes.items())
        candidates = counted(len(self.outcomes), "candidate")
        several = f" {self._spent()}" if len(self.outcomes) > 1 else ""
        return f"{counted(looks, 'look')} at {candidates} to replace {rule['production']} ({said}).{several}"

    def _spent(self) -> str:
        """Each gate alone keeps alpha: among several bad candidates one may pass by luck."""
        if self.rule["spend"]:
            return f"Alpha {self.rule['alpha']:g} is shared among all candidates."
        at_most = 1 - (1 - self.rule["alpha"]) ** len(self.outcomes)
        return (
            f"Each candidate has alpha {self.rule['alpha']:g} of its own: if all were worse by the margin, one would "
            f"pass up to {100 * at_most:.0f}% of the time; --spend shares alpha among them."
        )

    def to_dict(self) -> dict[str, Any]:
        warnings = [vars(notice) for notice in self.ledger.notices]
        return {"rule": self.rule, "looks": self.looks, "outcomes": self.outcomes, "warnings": warnings}

    def records(self) -> list[dict[str, Any]]:
        return self.looks

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (as of every result)
        rule = self.rule
        title = f"{shown_name(rule['goal'])}, margin {number(rule['margin'])}, alpha {rule['alpha']:g}"
        plan = f"{METHODS[rule['method']]}"
        plan += f": {rule['looks']} until {rule['until']:,} rows" if rule["looks"] else ""
        columns: Columns = [
            "look", Column("candidate", words=True), Column("when", words=True), "rows", "difference", "z", "boundary",
            "lead", Column("outcome", words=True),
        ]  # fmt: skip
        rows = [
            [
                str(look["look"]), name_cell(look["candidate"]), look["time"].removesuffix("+00:00"),
                f"{look['rows']:,}", number_cell(look["difference"]), _z(look["z"]), _z(look["boundary"]),
                interval_cell(look["low"], look["high"]), look["outcome"],
            ]
            for look in self.looks
        ]  # fmt: skip
        part = Part(title, (table("looks", columns, rows, remarks=(plan,)),))
        return Document("history", self.sentence, (part,), notices=self.ledger.notices, opening=self.sentence)


def _z(value: float | None) -> Cell:
    return Cell("-" if value is None else f"{value:.2f}", value)


@known_keywords()
def history(ledger: str | os.PathLike[str]) -> History | KeptVerdicts:
    """Read the ledger of a gate: its rule, and each look with its boundary and outcome.

    An address such as "sqlite:///verdicts.db#verdicts" is a table of verdicts that `save_to()` wrote.

    >>> history("no_such_file.jsonl")
    Traceback (most recent call last):
    referee.errors.InputError: there is no file no_such_file.jsonl
    `referee gate ... --ledger FILE --looks L --until N` begins one
    """
    if "://" in os.fspath(ledger):
        return kept_verdicts(os.fspath(ledger))
    written = read_ledger(ledger)
    if written.rule is None:
        raise InputError(
            "E_LEDGER",
            f"{written.path}: it has no looks" if written.path.exists() else f"there is no file {written.path}",
            hint="`referee gate ... --ledger FILE --looks L --until N` begins one",
        )
    return History(written)
