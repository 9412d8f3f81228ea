"""What is shown of advice: the reasons, what to watch and to avoid, the command to run next; and what lint found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.advice.choices import AVERAGE, safest
from referee.advice.questions import ARTICLE
from referee.advice.rule import Reason
from referee.advice.rules import ELKAN
from referee.advice.sample_size import in_words
from referee.document import Cell, Column, Document, Lines, Part, listed, name_cell, number, table
from referee.scoring import metrics, rows_described, sees_reports, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.advice.advice import Advice
    from referee.advice.choices import SafeChoice
    from referee.advice.findings import Finding
    from referee.document import Cells, Columns

NOTHING = "nothing found"
OPEN_GOAL = "If the goal is undecided: regret over the possible goals (0 is a perfect choice, 1 a random one)"


def advice_document(advice: Advice) -> Document:
    parts = [Part(title, (listed(lines),)) for title, lines in _sections(advice) if lines]
    if advice.safe:
        weights = ", ".join(f"{shown_name(goal)} {weight:g}" for goal, weight in advice.goals.items())
        parts.append(safe_part(advice.safe, f"goals and their weights: {weights}"))
    parts.append(Part("Run next", (Lines((advice.command_line,), "code"),), asked=True))
    sentence = f"Goal: {advice.goal.shown_name}. {advice.goal.question}"
    predictions = advice.predictions
    about, notes = ("", ()) if predictions is None else (rows_described(predictions), predictions.notes)
    return Document("advice", sentence, tuple(parts), about, notes, advice.warnings)


def advice_records(advice: Advice) -> Iterator[dict[str, str]]:
    """Each reason, with the metric that it speaks for or against."""
    for reason in advice.reasons:
        yield _record("goal", advice.goal.full_name, reason)
    for watched in advice.watched:
        yield _record("watch", watched.metric.full_name, watched.reason)
    for avoided in advice.avoided:
        yield from (_record("avoid", name, avoided.reason) for name in avoided.metrics)


def _record(role: str, metric: str, reason: Reason) -> dict[str, str]:
    return {"role": role, "metric": metric, "reason": reason.text, "source": reason.source}


class Sources:
    """Numbers for the sources, in the order in which they are cited."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def cite(self, reason: Reason) -> str:
        return f"{reason.text} [{self.numbers.setdefault(reason.source, len(self.numbers) + 1)}]"

    def lines(self) -> list[str]:
        return [f"[{place}] {source}" for source, place in self.numbers.items()]


def _sections(advice: Advice) -> Iterator[tuple[str, list[str]]]:
    """Everything under its heading, except the goal and the command."""
    sources = Sources()
    if advice.facts:
        yield "Your data", list(in_words(advice.facts))
    yield "Why", [sources.cite(reason) for reason in advice.reasons]
    yield "What it cannot see", [advice.cannot_see]
    beside = [f"{', '.join(names)}: {sources.cite(reason)}" for reason, names in _together(advice).items()]
    yield "Also watch", beside
    yield "Avoid here", [f"{', '.join(avoided.metrics)}: {sources.cite(avoided.reason)}" for avoided in advice.avoided]
    yield "Rows", list(_about_rows(advice))
    if advice.goal.depends_on_threshold:
        yield "Threshold", [sources.cite(_about_threshold(advice.threshold))]
    if assumed := [f"{key} = {value}" for key, value in advice.answers.assumed.items() if value != "none"]:
        yield "Assumed, because nothing else was said", [", ".join(assumed)]
    yield "Sources", sources.lines()


def _together(advice: Advice) -> dict[Reason, list[str]]:
    """The metrics that are watched for the same reason."""
    together: dict[Reason, list[str]] = {}
    for watched in advice.watched:
        together.setdefault(watched.reason, []).append(watched.metric.shown_name)
    return together


def _about_rows(advice: Advice) -> Iterator[str]:
    needed = advice.rows_needed
    if needed.rarer_rows is not None:
        yield f"at least {needed.rarer_rows} of the rarer class; with fewer a verdict is approximate, or there is none"
    difference = f"a difference of {number(needed.difference)}"
    if needed.rows is None:
        yield f"{difference}: cannot be planned in advance; `referee compare --delta` plans it from predictions"
    else:
        yield f"{difference} is found with 80% probability on about {needed.rows:,} rows ({needed.basis})"


def _about_threshold(threshold: float | None) -> Reason:
    if threshold is None:
        best = "the best threshold is generally not 0.5: `referee threshold` finds it"
        return Reason(best, f"{ARTICLE}, Common Confusions")
    cheapest = f"with calibrated probabilities it is cheapest to decide for the positive class from {threshold:.4g} on"
    return Reason(f"{cheapest}, fp / (fp + fn)", ELKAN)


def safe_part(choices: Sequence[SafeChoice], remark: str) -> Part:
    """What choosing by each metric, or by the average, costs over all goals that are possible."""
    first = safest(choices)
    rows: list[Cells] = [
        [
            name_cell(_called(choice.by), "best" if choice is first else ""),
            *(Cell(f"{regret:.2f}", regret) for regret in (choice.mean, choice.worst)),
            _called(choice.worst_goal),
        ]
        for choice in choices
    ]
    columns: Columns = ["choose by", "mean regret", "worst", Column("if the goal is", words=True)]
    said = f"average: the sum of the possible goals, each divided by its standard error; {remark}"
    return Part(OPEN_GOAL, (table("open-goal", columns, rows, remarks=(said,)),))


def _called(by: str) -> str:
    return by if by == AVERAGE else shown_name(by)


def lint_part(findings: Sequence[Finding], linted: Sequence[str]) -> Part:
    """Model, what was found and what it means, in a line for each."""
    return Part(_title(linted), (Lines(tuple(map(finding_line, findings)) or (NOTHING,), "list"),))


def finding_line(finding: Finding) -> str:
    """The model, what was found, and what it means."""
    return f"{finding.model}: {finding.sentence}; {finding.meaning}"


def _title(linted: Sequence[str]) -> str:
    looked_at = [name for name in linted if sees_reports(metrics[name])]
    if not looked_at:
        return f"Lint: {', '.join(linted)} is the same for all predictions"
    return f"Lint: does a degenerate prediction do as well on {', '.join(looked_at)}?"
