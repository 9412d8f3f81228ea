"""The ledger of a gate: JSON lines, one for each look, to which only is added."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import CheckpointError, Notice, WriteError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = 1
SAME = ("goal", "better", "alpha", "margin", "superiority", "method", "looks", "until", "production", "shards", "spend")
"""What is the same for all looks; another question is another ledger."""


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
                    f"{self.path}: the {name} of this ledger is {self.rule[name]!r}, not {rule[name]!r}; its looks "
                    "share one error rate only if all ask the same",
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


def read_ledger(path: str | os.PathLike[str]) -> Ledger:
    """A file that is not there is a ledger without looks; a last line that was cut off is left out, and said."""
    path = Path(path)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Ledger(path)
    except OSError as error:
        raise CheckpointError("E_LEDGER", f"{path}: cannot be read: {error.strerror}") from None
    whole = text.rfind(b"\n") + 1
    notices = (Notice("W_LEDGER", _cut_off(path)),) if whole < len(text) else ()
    contents, chain = [], ""
    for number, line in enumerate(text[:whole].splitlines(), 1):
        content, chain = _checked(path, number, line, chain)
        contents.append(content)
    if not contents:
        return Ledger(path, notices=notices)
    return Ledger(path, contents[0], tuple(contents[1:]), notices, whole, chain)


def _cut_off(path: Path) -> str:
    return (
        f"{path}: the last line was cut off while it was written; its look was shown to nobody, so it is left out, and "
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
        hint="take the file from a backup, or begin a new ledger with rows that no look has seen",
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


@contextmanager
def only_one_look(path: str | os.PathLike[str]) -> Iterator[None]:
    """Two gates that look at the same time would both be the next look."""
    try:
        import fcntl
    except ImportError:  # there is no such lock on Windows
        yield
        return
    lock = Path(f"{os.fspath(path)}.lock")
    try:
        with lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                lock.unlink(missing_ok=True)
    except OSError as error:
        raise WriteError("E_WRITE", f"{lock}: cannot be written: {error.strerror}") from None
