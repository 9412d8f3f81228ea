"""Verdicts that are kept in a table of a database, and their history: how the answer about a pair has changed."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import blake2b
from math import isfinite
from typing import TYPE_CHECKING, Any

from referee.document import (
    Column,
    Document,
    Part,
    Result,
    counted,
    interval_cell,
    name_cell,
    named,
    number_cell,
    short_p,
    table,
)
from referee.errors import InputError, Notice, RefereeError
from referee.predictions import Logged, WrittenTable, quoted, tracker_of
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from referee.comparing.gates import Gate
    from referee.comparing.verdict import Verdict
    from referee.document import Columns

KINDS = {
    "key": "TEXT PRIMARY KEY", "saved_at": "TEXT", "version": "TEXT", "command": "TEXT", "fingerprint": "TEXT",
    "test_set": "TEXT", "row_count": "BIGINT", "goal": "TEXT", "test": "TEXT", "alpha": "DOUBLE PRECISION",
    "outcome": "TEXT", "sentence": "TEXT", "result": "TEXT",
}  # fmt: skip
"""The columns of a table; `result` is the whole answer as JSON."""
KIND_OF: Mapping[str, Callable[[Any], Any]] = {
    "TEXT PRIMARY KEY": str, "TEXT": str, "BIGINT": int, "DOUBLE PRECISION": float,
}  # fmt: skip
ASKED = ("fingerprint", "goal", "test", "version", "command", "alpha", "margin", "candidate")
"""The same question about the same rows by the same version has the same answer, which is kept once."""

SECONDS = len("2026-01-31T23:59:59")
"""Of a time, those that are shown; verdicts are in the order of all its digits."""


def refuse_no_keeper(url: str) -> None:
    """Raise E_ADDRESS or E_TABLE unless verdicts may be kept there."""
    if tracker_of(url) is None:
        WrittenTable.of(url)


def keep(result: Verdict | Gate, url: str) -> bool:
    """Add a result to a table, or an experiment, made if it is not there; False where the result was there already."""
    refuse_no_keeper(url)
    row, tracker = _row(result), tracker_of(url)
    if tracker is None:
        return _added(WrittenTable.of(url), row)
    assert tracker.logs is not None
    return tracker.logs(url, Logged(f"{result.command}: {row['goal']}", row, _values(result), result.to_html()))


def _values(result: Verdict | Gate) -> dict[tuple[str, str], float]:
    """Of each metric and model on all rows, and what models were ranked by."""
    verdict = _verdict_of(result)
    scores = verdict.scores.to_dict()["scores"]
    whole = [score for score in scores if score["class"] is score["slice"] is score["unit"] is None]
    values = {(score["metric"], score["model"]): score["value"] for score in whole}
    values |= {(verdict.goal.full_name, model): value for model, value in verdict.values.items()}
    return {names: value for names, value in values.items() if value is not None}


def _added(place: WrittenTable, row: Mapping[str, Any]) -> bool:
    names = ", ".join(map(quoted, row))
    with place.transaction() as run:
        if not place.is_there(run):
            columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in KINDS.items())
            run(f"CREATE TABLE IF NOT EXISTS {quoted(place.name)} ({columns})")
        _refuse_other_table(place, run)
        known = run(f'SELECT count(*) FROM {quoted(place.name)} WHERE "key" = ?', row["key"])
        marks = ", ".join("?" * len(row))
        run(f"INSERT INTO {quoted(place.name)} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING", *row.values())
    return not known[0][0]


def _verdict_of(result: Any) -> Verdict:
    verdict: Verdict = getattr(result, "verdict", result)
    return verdict


def _row(result: Verdict | Gate) -> dict[str, Any]:
    from referee import __version__

    verdict = _verdict_of(result)
    answer, predictions = result.to_dict(), verdict.predictions
    gate = answer.get("gate", {})
    said: dict[str, Any] = {
        "saved_at": datetime.now(UTC).isoformat(timespec="microseconds"),
        "version": __version__,
        "command": result.command,
        "fingerprint": answer["fingerprint"],
        "test_set": replace(predictions, models=()).fingerprint if predictions.has_rows else answer["fingerprint"],
        "row_count": answer["rows"],
        "goal": answer["goal"],
        "test": answer["test"],
        "alpha": answer["alpha"],
        "outcome": gate.get("outcome", verdict.outcome),
        "sentence": result.sentence,
        "result": json.dumps(answer, ensure_ascii=False),
    }
    question = {**said, "margin": verdict.margin, "candidate": gate.get("candidate")}
    key = blake2b(json.dumps([question[name] for name in ASKED]).encode(), digest_size=16).hexdigest()
    return {"key": key, **said}


def _refuse_other_table(place: WrittenTable, run: Callable[..., Any]) -> None:
    """A table of that name may be somebody else's; to SQLite a quoted name without its table may be a text."""
    columns = ", ".join(f"kept.{quoted(name)}" for name in KINDS)
    try:
        run(f"SELECT {columns} FROM {quoted(place.name)} AS kept LIMIT 0")
    except RefereeError:
        raise
    except Exception as error:
        raise InputError(
            "E_TABLE", f"{place.shown} is not a table of verdicts", hint="name another table; it is made if need be"
        ) from error


@dataclass(frozen=True, repr=False)
class KeptVerdicts(Result):
    """The verdicts saved in a table, oldest first.

    >>> import tempfile, referee
    >>> y, old, new = [0, 1] * 50, [0.2, 0.7] * 50, [0.1, 0.9] * 50
    >>> url = f"sqlite:///{tempfile.mkdtemp()}/kept.db#verdicts"
    >>> for goal in ("brier", "log_loss", "brier"):
    ...     _ = referee.compare(y, {"old": old, "new": new}, goal=goal).save_to(url)
    >>> kept = referee.history(url)
    >>> [(verdict["goal"], verdict["look"]) for verdict in kept.verdicts]
    [('brier', 1), ('log_loss', 2)]
    """

    place: str
    rows: tuple[Mapping[str, Any], ...]

    @cached_property
    def verdicts(self) -> list[dict[str, Any]]:
        """Each with the number of looks that its test set has had by then; the whole answer is in `result`."""
        seen: Counter[str] = Counter()
        verdicts = []
        for row in self.rows:
            seen[row["test_set"]] += 1
            verdicts.append({**row, "look": seen[row["test_set"]]})
        return verdicts

    @cached_property
    def pairs(self) -> list[dict[str, Any]]:
        """Each comparison of each verdict, and whether its outcome is another than the last one on that goal."""
        before: dict[Any, str] = {}
        pairs = []
        for verdict in self.verdicts:
            for pair in verdict["result"]["comparisons"]:
                key = verdict["goal"], frozenset((pair["a"], pair["b"]))
                winner = {"a": pair["a"], "b": pair["b"]}.get(pair["outcome"], pair["outcome"])
                changed = None if key not in before else before[key] != winner
                before[key] = winner
                shown = ("saved_at", "command", "row_count", "goal", "test", "look", "outcome")
                kept = ("a", "b", "difference", "low", "high", "p")
                pairs.append(
                    {name: verdict[name] for name in shown}
                    | {name: pair[name] for name in kept}
                    | {"winner": winner, "changed": changed}
                )
        return pairs

    @property
    def looks(self) -> dict[str, int]:
        """How many verdicts each test set has been used for."""
        return dict(Counter(row["test_set"] for row in self.rows))

    @property
    def warnings(self) -> list[Notice]:
        most = max(self.looks.values(), default=0)
        if most < 2:
            return []
        several = sum(number > 1 for number in self.looks.values())
        return [
            Notice(
                "W_LOOKS",
                f"{counted(several, 'test set')} had several looks, one of them {most}: each look has alpha of its "
                "own, so the chance of a false winner grows; `gate --ledger` shares it among planned looks",
            )
        ]

    @property
    def sentence(self) -> str:
        changes = [f"{pair['a']} vs {pair['b']} on {pair['goal']}" for pair in self.pairs if pair["changed"]]
        said = f"{counted(len(self.rows), 'verdict')} on {counted(len(self.looks), 'test set')}"
        if not changes:
            return f"{said}; no pair has changed its outcome."
        times = [f"{pair} ({counted(number, 'time')})" for pair, number in Counter(changes).items()]
        return f"{said}; the outcome changed for {named(times)}."

    def to_dict(self) -> dict[str, Any]:
        verdicts = [{name: value for name, value in row.items() if name != "result"} for row in self.verdicts]
        return {"verdicts": verdicts, "pairs": self.pairs, "warnings": [vars(notice) for notice in self.warnings]}

    @property
    def command(self) -> str:
        return "history"

    def records(self) -> list[dict[str, Any]]:
        return self.pairs

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (as of every result)
        columns: Columns = [
            Column("when", words=True), Column("goal", words=True), "rows", "look", Column("a", words=True),
            Column("b", words=True), "a minus b", "95% interval", "p", Column("better", words=True),
        ]  # fmt: skip
        rows = [
            [
                pair["saved_at"][:SECONDS], pair["goal"], f"{pair['row_count']:,}", str(pair["look"]),
                name_cell(pair["a"]), name_cell(pair["b"]), number_cell(pair["difference"]),
                interval_cell(pair["low"], pair["high"]), short_p(pair["p"]),
                ("now " if pair["changed"] else "") + (pair["winner"] or "-"),
            ]
            for pair in self.pairs
        ]  # fmt: skip
        remark = "look: how often the test set had been looked at by then; now: another outcome than the time before"
        part = Part("Verdicts", (table("verdicts", columns, rows, remarks=(remark,)),))
        notices = tuple(self.warnings)
        return Document("history", self.sentence, (part,), notices=notices, opening=self.sentence)


def kept_verdicts(url: str) -> KeptVerdicts:
    """Read what `save_to()` or `--save-to` has written."""
    shown, rows = _in_tracker(url) if tracker_of(url) else _in_table(WrittenTable.of(url))
    if not rows:
        raise InputError("E_NOROWS", f"{shown} holds no verdict", hint="--save-to adds them")
    return KeptVerdicts(shown, tuple(_read(shown, number, row) for number, row in enumerate(rows, 1)))


def _in_tracker(url: str) -> tuple[str, list[dict[str, Any]]]:
    """Its numbers may have become texts there."""
    tracker = tracker_of(url)
    assert tracker is not None and tracker.logged is not None
    return url, sorted(map(_typed, tracker.logged(url)), key=lambda row: (row["saved_at"], row["key"]))


def _typed(row: Mapping[str, Any]) -> dict[str, Any]:
    typed = dict(row)
    with suppress(ValueError):  # of what was changed there, which is refused when it is read
        typed |= {name: KIND_OF[kind](row[name]) for name, kind in KINDS.items()}
    return typed


def _in_table(place: WrittenTable) -> tuple[str, list[dict[str, Any]]]:
    if place.is_missing:
        raise InputError("E_NOFILE", f"{place.shown}: there is no such file", hint="--save-to makes it")
    with place.transaction() as run:
        _refuse_other_table(place, run)
        names: Sequence[str] = [*KINDS]
        rows = run(f'SELECT {", ".join(map(quoted, names))} FROM {quoted(place.name)} ORDER BY "saved_at", "key"')
    return place.shown, [dict(zip(names, row, strict=True)) for row in rows]


def _read(shown: str, number: int, row: dict[str, Any]) -> dict[str, Any]:
    """A verdict with its answer, if both are such as save_to() writes."""
    with suppress(TypeError, ValueError, KeyError, OverflowError, RecursionError):
        answer = json.loads(row["result"])
        texts = [row[name] for name, kind in KINDS.items() if kind.startswith("TEXT")]
        texts += [pair[name] for pair in answer["comparisons"] for name in ("a", "b", "outcome")]
        numbers = [row["row_count"], row["alpha"]]
        numbers += [pair[name] for pair in answer["comparisons"] for name in ("difference", "low", "high", "p")]
        if all(isinstance(text, str) for text in texts) and all(each is None or isfinite(each) for each in numbers):
            return {**row, "result": answer}
    raise InputError(
        "E_TABLE",
        f"{shown}: verdict {number} is not as it was saved: its row was changed, or the file is damaged",
        hint="restore it from a backup, or delete it",
    )
