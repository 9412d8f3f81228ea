"""A gate that is asked again and again: each time a look, written down in the ledger before it is shown."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cached_property
from math import pi
from typing import TYPE_CHECKING, Any, Literal

from referee.comparing.boundaries import FEWEST_OF_CLASS, FEWEST_ROWS, default_until
from referee.comparing.ledger import print_of_rows, read_ledger
from referee.comparing.ledger_lock import only_one_look
from referee.comparing.looks import LookRule, state_of
from referee.comparing.row_sketch import overlap_notices, refuse_counted, sketch_of_rows
from referee.document import number
from referee.errors import CheckpointError, UsageError
from referee.records import dataclass

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from referee.comparing.gate_answer import Outcome
    from referee.comparing.ledger import Ledger
    from referee.comparing.looks import Finding, Method
    from referee.comparing.row_sketch import RowSketch
    from referee.comparing.verdict import Verdict
    from referee.errors import Notice

METHODS: dict[Any, Method] = {False: "planned", True: "asymptotic", "asymptotic": "asymptotic", "exact": "exact"}


@dataclass(frozen=True)
class Looking:
    """How a gate is to be looked at; all of it is fixed with the first look."""

    ledger: str | os.PathLike[str] | None = None
    looks: int | None = None
    until: int | None = None
    anytime: bool | Literal["asymptotic", "exact"] = False
    new_rows: bool = False
    spend: bool = False

    def __post_init__(self) -> None:
        if self.anytime not in METHODS:
            raise UsageError("E_LOOKS", f"--anytime {self.anytime}: the choices are 'asymptotic' and 'exact'")
        said = [name for name in ("looks", "until", "anytime", "new_rows", "spend") if getattr(self, name)]
        if self.ledger is None and said:
            option = f"--{said[0].replace('_', '-')}"
            raise UsageError(
                "E_LOOKS", f"{option} is about several looks", hint="use --ledger FILE, where they are recorded"
            )
        if self.looks is not None and self.anytime:
            raise UsageError("E_LOOKS", "--looks is a plan, and --anytime needs none", hint="use one of them")

    def rule(self, known: Mapping[str, Any] | None, rows: int) -> dict[str, Any]:
        """The method, looks and rows: what was said now, or what the ledger has."""
        said = self.looks is not None or self.until is not None or bool(self.anytime)
        if known is not None and not said:
            return {name: known[name] for name in ("method", "looks", "until")}
        if self.anytime:
            until = self.until or (known["until"] if known else default_until(rows))
            return {"method": METHODS[self.anytime], "looks": None, "until": until}
        if self.looks is None or self.until is None:
            raise UsageError(
                "E_LOOKS",
                "a ledger begins with a plan: how many looks there will be, and at how many rows the last one is",
                hint="use --looks L --until N; or --anytime, which needs no plan but has less power",
            )
        return {"method": "planned", "looks": self.looks, "until": self.until}


@dataclass(frozen=True)
class Look:
    """One look at a gate, and where it stands among the others."""

    number: int
    """Of this candidate's looks."""
    rows: int
    method: Method
    looks: int | None
    until: int
    alpha: float
    """Of this candidate, after what is spent over candidates."""
    outcome: Outcome
    z: float | None
    boundary: float | None
    low: float | None
    high: float | None
    p: float | None
    candidate_number: int
    decided_at: int | None
    """The look that passed or failed, if there was one; it stands, whatever comes later."""
    is_new: bool
    """Whether it was written down; the same rows again, or rows after the decision, are no new look."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def look_at(
    verdict: Verdict, asked: Looking, *, production: str, candidate: str, margin: float, superiority: bool
) -> tuple[Look, tuple[Notice, ...]]:
    """Look at the rows that were given, by the rule of the ledger, and write it down."""
    assert asked.ledger is not None
    _refuse_dependent(verdict)
    with only_one_look(asked.ledger):
        ledger = read_ledger(asked.ledger)
        fixed: dict[str, Any] = {
            "goal": verdict.goal.full_name, "better": verdict.goal.better, "alpha": verdict.alpha, "margin": margin,
            "superiority": superiority, "production": production, "shards": asked.new_rows,
            "spend": asked.spend or bool(ledger.rule and ledger.rule["spend"]),
        }  # fmt: skip
        rule = fixed | asked.rule(ledger.rule, verdict.predictions.rows)
        ledger.refuse_other_rule(rule)
        looks = _Looks(verdict, ledger, rule, candidate)
        before, look = looks.before, looks.next()
    unseen = overlap_notices(looks.sketch, before) if asked.new_rows and look.is_new else []
    return look, (*ledger.notices, *unseen)


def _refuse_dependent(verdict: Verdict) -> None:
    """Repeated looks were measured for rows, or groups of them, that are independent of each other."""
    if getattr(verdict.predictions, "time", None) is not None:
        raise UsageError(
            "E_LOOKS",
            "rows in time order depend on each other, and the boundaries of repeated looks assume that later rows "
            "are independent of earlier ones",
            hint="gate once, at the end, with --time; or look at rows that are independent",
        )
    if not verdict.design.by_rows or verdict.test.name != "influence":
        raise UsageError(
            "E_LOOKS",
            f"a ledger records looks at rows by the influence test, not by {verdict.test.name} of "
            f"{verdict.design.unit}s",
            hint="leave --test and --unit out",
        )


@dataclass(frozen=True)
class _Looks:
    """The looks of a ledger, and the one that is to come."""

    verdict: Verdict
    ledger: Ledger
    rule: Mapping[str, Any]
    candidate: str

    @property
    def before(self) -> list[Mapping[str, Any]]:
        return self.ledger.looks_at(self.candidate)

    @property
    def alpha(self) -> float:
        """Where it is spent over candidates the i-th has 6 / (pi i)^2 of it: all of them together have alpha."""
        number = self.ledger.number_of(self.candidate)
        return float(self.rule["alpha"] * (6 / (pi * number) ** 2 if self.rule["spend"] else 1))

    def next(self) -> Look:
        before = self.before
        decided = next((look for look in before if look["outcome"] != "inconclusive"), None)
        prints = self._prints(slice(None))
        if decided is not None or self._is_seen(prints):
            self._refuse_changed()
            return self._recalled(decided or before[-1], decided)
        self._refuse_changed()
        self._refuse_over(before)
        refuse_counted(self.ledger.path, self.sketch, self._rows, before)
        finding, state = self._decided(before)
        content = {
            "look": len(before) + 1, "candidate": self.candidate, "candidate_number": self._number,
            "time": datetime.now(UTC).isoformat(timespec="seconds"), "rows": state["rows"], "given": self._rows,
            "alpha": self.alpha, "difference": self._difference(state["mean"]), **asdict(finding), **prints,
            "state": state, **({} if self.sketch is None else {"ids": self.sketch.to_dict()}),
        }  # fmt: skip
        self.ledger.added(self.rule, content)
        return self._recalled(content, content if finding.outcome != "inconclusive" else None, is_new=True)

    @cached_property
    def sketch(self) -> RowSketch | None:
        """Of the ids of new rows, so that none counts twice; where all rows are given, prints of old ones tell that."""
        return sketch_of_rows(self.verdict.predictions) if self.rule["shards"] else None

    @property
    def _number(self) -> int:
        return self.ledger.number_of(self.candidate)

    @property
    def _rows(self) -> int:
        return self.verdict.predictions.rows

    def _difference(self, lead: float) -> float:
        return lead if self.verdict.goal.better == "higher" else -lead

    def _decided(self, before: list[Mapping[str, Any]]) -> tuple[Finding, dict[str, Any]]:
        names = ("method", "looks", "until", "margin", "superiority")
        rule = LookRule(**{name: self.rule[name] for name in names}, alpha=self.alpha)
        state = state_of(self.verdict, rule, shards=self.rule["shards"])
        if self.rule["shards"] and before:
            state = state.merged(before[-1]["state"])
        state = state.refuse_beyond(self.verdict.goal)
        finding = rule.at(state, before)
        if self.verdict.outcome == "undecided":
            finding = _nothing_yet(finding)
        return finding, state.to_dict()

    def _prints(self, rows: slice) -> dict[str, str]:
        predictions = self.verdict.predictions
        names = {"production_rows": self.rule["production"], "candidate_rows": self.candidate}
        return {key: print_of_rows(predictions, predictions.model(name), rows) for key, name in names.items()}

    def _is_seen(self, prints: Mapping[str, str]) -> bool:
        """Whether these very rows were looked at before."""
        looks = self.before if self.rule["shards"] else self.before[-1:]
        return any(look["given"] == self._rows and all(look[key] == prints[key] for key in prints) for look in looks)

    def _refuse_changed(self) -> None:
        """Rows that were seen come first, and are as they were."""
        if not self.before or self.rule["shards"]:
            return
        last = self.before[-1]
        seen, path = last["given"], self.ledger.path
        if self._rows < seen:
            raise CheckpointError(
                "E_LEDGER",
                f"{path}: {seen:,} rows were looked at before, and now there are {self._rows:,}",
                hint="give all rows so far, the old ones first; a ledger begun with --new-rows takes only new ones",
            )
        now = self._prints(slice(0, seen))
        for key, name in (("production_rows", self.rule["production"]), ("candidate_rows", self.candidate)):
            if now[key] != last[key]:
                raise CheckpointError(
                    "E_LEDGER",
                    f"{path}: of the first {seen:,} rows, which were looked at before, the truth or the predictions of "
                    f"{name} have changed",
                    hint="old rows come first and stay as they are; a model that was fitted again is another one, with "
                    "another name (a candidate) or another ledger (production)",
                )

    def _refuse_over(self, before: list[Mapping[str, Any]]) -> None:
        if self.rule["method"] == "planned" and before and before[-1]["rows"] >= self.rule["until"]:
            raise CheckpointError(
                "E_LEDGER",
                f"{self.ledger.path}: the plan ended at {self.rule['until']:,} rows with the look at "
                f"{before[-1]['rows']:,}, and its error rate is spent: the gate stays inconclusive",
                hint="a new plan needs a new ledger, and rows that no look has seen",
            )

    def _recalled(self, look: Mapping[str, Any], decided: Mapping[str, Any] | None, *, is_new: bool = False) -> Look:
        names = ("rows", "alpha", "outcome", "z", "boundary", "low", "high", "p", "candidate_number")
        rule = {name: self.rule[name] for name in ("method", "looks", "until")}
        decided_at = None if decided is None else decided["look"]
        return Look(look["look"], **{name: look[name] for name in names}, **rule, decided_at=decided_at, is_new=is_new)


def _nothing_yet(finding: Finding) -> Finding:
    """Rows that are too few to decide anything leave the gate open, and spend what the look was planned to spend."""
    return replace(finding, outcome="inconclusive")


def look_in_words(look: Look, candidate: str, production: str, margin: float, goal: str) -> str:
    """What the look says, and how it came to that."""
    limit = number(margin)
    claim = {
        "pass": f"{candidate} is not worse than {production} by more than {limit} on {goal}",
        "fail": f"{candidate} is worse than {production} by more than {limit} on {goal}, or not better as required",
        "inconclusive": f"not shown whether {candidate} is worse than {production} by more than {limit} on {goal}",
    }[look.outcome]
    return f"{look.outcome.capitalize()}, {_which(look)}: {claim} ({_facts(look)}).{_what_next(look)}"


def _which(look: Look) -> str:
    planned = f" of {look.looks}" if look.looks else ""
    rows = f"{look.rows:,} of {look.until:,} rows" if look.method == "planned" else f"{look.rows:,} rows"
    again = "" if look.is_new else ", recorded before"
    return f"look {look.number}{planned} ({rows}){again}"


def _facts(look: Look) -> str:
    if look.method == "planned":
        boundary = "out of reach" if look.boundary is None else f"{look.boundary:.2f}"
        return f"z = {look.z:.2f}, boundary {boundary}"
    if look.p is not None:
        return f"p = {look.p:.2g} whenever one looks"
    if look.low is None or look.high is None:
        return f"before {FEWEST_ROWS} rows with {FEWEST_OF_CLASS} of the rarer class nothing is decided"
    return f"lead {number(look.low)} to {number(look.high)} at every look"


def _what_next(look: Look) -> str:
    if look.decided_at is not None:
        return " The decision stands: later rows are not a new look."
    if look.method == "planned" and look.rows >= look.until:
        return " The plan ends here."
    return ""
