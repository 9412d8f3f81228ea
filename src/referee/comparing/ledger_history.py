"""history(): the looks that a gate's ledger has kept, with their boundaries and outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.comparing.ledger import read_ledger
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
from referee.errors import InputError
from referee.records import dataclass
from referee.scoring import shown_name

if TYPE_CHECKING:
    import os

    from referee.comparing.ledger import Ledger
    from referee.document import Columns

METHODS = {
    "planned": "planned looks (O'Brien and Fleming; uneven ones by Lan and DeMets)",
    "asymptotic": "looks at any time (asymptotic confidence sequence)",
    "exact": "looks at any time (bets on bounded losses)",
}


@dataclass(frozen=True, repr=False)
class History(Result):
    """What a ledger has kept of a gate.

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
        return [{name: value for name, value in look.items() if name != "state"} for look in self.ledger.looks]

    @property
    def outcomes(self) -> dict[str, str]:
        """What is known of each candidate: the decision, or that there is none yet."""
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
            f"pass in up to {100 * at_most:.0f}% of the time; --spend shares alpha among them."
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


def history(ledger: str | os.PathLike[str]) -> History:
    """Read the ledger of a gate: the rule, and each look with its boundary and its outcome.

    >>> history("no_such_file.jsonl")
    Traceback (most recent call last):
    referee.errors.InputError: there is no file no_such_file.jsonl
    `referee gate ... --ledger FILE --looks L --until N` begins one
    """
    written = read_ledger(ledger)
    if written.rule is None:
        raise InputError(
            "E_LEDGER",
            f"{written.path}: there is no look in it" if written.path.exists() else f"there is no file {written.path}",
            hint="`referee gate ... --ledger FILE --looks L --until N` begins one",
        )
    return History(written)
