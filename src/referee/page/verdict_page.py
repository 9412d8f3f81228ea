"""The pages of a verdict, of a gate that rests on one, and of scores alone: their sections in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.comparing import Gate, Verdict, deciding_interval
from referee.document import counted, level, message_line, number, p_value, signed, visible
from referee.page.every_page import part_section
from referee.page.methods import methods_section
from referee.page.sections.calibration import calibration_section
from referee.page.sections.classes import confusions_section, each_class_section
from referee.page.sections.curves import curves_section
from referee.page.sections.design import design_section
from referee.page.sections.differences import differences_section
from referee.page.sections.each_metric import each_metric_section
from referee.page.sections.every_pair import every_pair_section
from referee.page.sections.forest import Row, forest
from referee.page.sections.goal import goal_section
from referee.page.sections.leaderboard import leaderboard_section
from referee.page.sections.residuals import residuals_section
from referee.page.sections.slices import slices_section
from referee.page.sections.threshold import threshold_section
from referee.page.sections.tradeoffs import learning_curves_section, tradeoffs_section
from referee.page.sections.verdict_card import guessing_facts, headline, rows_fact, things_to_check, verdict_card
from referee.page.shell import Fact, Section, figure, opening_card, page, reproduction
from referee.page.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from referee.scoring import Scores

GATE_HEADLINES = {
    "pass": "{} may replace {}.",
    "fail": "{} must not replace {}.",
    "inconclusive": "It is not shown whether {} may replace {}.",
}
GATE_LOOKS = {"pass": "good", "fail": "bad", "inconclusive": "warn"}


def verdict_page(verdict: Verdict, *, command: str = "") -> str:
    """A verdict as one self-contained HTML file; the same verdict gives the same bytes.

    >>> from referee import Predictions, compare
    >>> predictions = Predictions.from_arrays([0, 1] * 20, {"a": [0.1, 0.9] * 20, "b": [0.2, 0.8, 0.9, 0.4] * 10})
    >>> "a is the better of 2 models on accuracy." in verdict_page(compare(predictions, "accuracy"))
    True
    """
    subject = Subject(verdict.scores, verdict, verdict.alpha, verdict.seed, command)
    opening = verdict_card(subject, verdict) + things_to_check(subject)
    return page(headline(subject, verdict), verdict_sections(subject, verdict), opening=opening)


def verdict_sections(subject: Subject, verdict: Verdict, goal: Section | None = None) -> list[Section]:
    """Everything below the card; `goal` is the first section, where it is another one than usual."""
    sections = [
        differences_section(subject, verdict),
        goal or goal_section(subject, verdict),
        leaderboard_section(subject, verdict),
        each_metric_section(subject),
        every_pair_section(subject, verdict),
        curves_section(subject),
        threshold_section(subject),
        confusions_section(subject),
        each_class_section(subject),
        residuals_section(subject),
        calibration_section(subject),
        slices_section(subject),
        tradeoffs_section(subject, verdict),
        learning_curves_section(subject, verdict),
        design_section(subject),
        methods_section(subject, verdict),
        reproduction_section(subject),
    ]
    return [section for section in sections if section is not None]


def reproduction_section(subject: Subject) -> Section:
    """What was called in Python stands for the command, where nothing was typed."""
    makers = (subject.gate, subject.verdict, subject.scores)
    called = next(maker.call for maker in makers if maker is not None)
    return reproduction(subject.command or called, _rests_on(subject))


def _rests_on(subject: Subject) -> Iterator[tuple[str, str]]:
    predictions = subject.predictions
    if predictions.source:
        yield "Source", visible(predictions.source)
    yield "Fingerprint of the predictions", predictions.fingerprint
    selection = subject.verdict.selection if subject.verdict else None
    if selection is not None:
        yield "Scheme", f"{selection.scheme}: {selection.splits:,} splits"
        yield "Fingerprint of the splits", selection.splits_fingerprint
        if selection.folder:
            yield "All fits are kept in", visible(selection.folder)
    yield "Seed", str(subject.seed)
    yield "Alpha", f"{subject.alpha:g}"


def gate_page(gate: Gate, *, command: str = "") -> str:
    """The gate's answer as one self-contained HTML file."""
    verdict = gate.verdict
    subject = Subject(verdict.scores, verdict, verdict.alpha, verdict.seed, command, gate)
    candidate, production = subject.labels[gate.candidate], subject.labels[gate.production]
    headline = GATE_HEADLINES[gate.outcome].format(candidate, production)
    card = opening_card(
        gate.outcome.capitalize(),
        headline,
        message_line(gate.sentence.removeprefix(f"{gate.outcome.capitalize()}: ")),
        _gate_rule(gate),
        look=GATE_LOOKS[gate.outcome],
        facts=_gate_facts(gate, subject),
    )
    roles = {gate.candidate: "candidate", gate.production: "production"}
    goal = goal_section(subject, verdict, roles=roles, above=_difference(gate, subject))
    goal = replace(goal, lead=f"The difference with the interval that decides, then the values. {goal.lead}")
    first, *rest = verdict_sections(subject, verdict, goal)
    guards = [part_section(part) for part in gate.document().parts if part.title == "Guards"]
    return page(headline, [first, *guards, *rest], opening=card + things_to_check(subject))


def _gate_rule(gate: Gate) -> str:
    """What passing asks for."""
    side = f"above {signed(gate.limit)}" if gate.verdict.goal.better == "higher" else f"below {signed(gate.limit)}"
    more = "; and the candidate must be significantly better" if gate.superiority else ""
    return f"To pass, the whole interval of the difference, candidate minus production, must lie {side}{more}."


def _gate_facts(gate: Gate, subject: Subject) -> Iterator[Fact]:
    comparison = gate.comparison
    if comparison.difference is not None:
        name = f"{subject.labels[gate.candidate]} minus {subject.labels[gate.production]}"
        yield Fact(name, signed(comparison.difference), deciding_interval(gate))
    yield Fact("Margin", number(gate.margin), "the most by which it may be worse")
    if gate.superiority and comparison.p is not None:
        yield Fact("Chance of such a gap if equal", p_value(comparison.p), gate.verdict.test.title)
    yield from guessing_facts(gate.verdict, gate.candidate)
    yield rows_fact(subject)


def _difference(gate: Gate, subject: Subject) -> Markup:
    """The difference with the interval that decides, and where it must not reach."""
    comparison, held = gate.comparison, gate.held
    low, high = (None, None) if held is None else (held.low, held.high)
    label = f"{subject.labels[gate.candidate]} minus {subject.labels[gate.production]}"
    said = {"pass": "passes", "fail": "fails", "inconclusive": "inconclusive"}[gate.outcome]
    row = Row("difference", subject.places[gate.candidate], comparison.difference, low, high, (), said, True)
    lines = {"no difference": 0.0, f"margin {signed(gate.limit)}": gate.limit}
    drawing = forest([row], lines, f"{label}, and the margin", spanned=[*lines.values()])
    return figure(drawing, name="gate", title=f"{label}, with its {level(2 * gate.verdict.alpha)} interval")


def scores_page(scores: Scores, *, command: str = "") -> str:
    """Scores as one self-contained HTML file."""
    subject = Subject(scores, None, scores.alpha, scores.seed, command)
    makers = (
        each_metric_section, curves_section, threshold_section, confusions_section, each_class_section,
        residuals_section, calibration_section, slices_section, design_section, reproduction_section,
    )  # fmt: skip
    sections = [section for make in makers if (section := make(subject)) is not None]
    models, metrics = counted(len(subject.names), "model"), counted(len(scores.metrics), "metric")
    headline = f"{models} on {metrics}."
    facts = [rows_fact(subject), Fact("Models", f"{len(subject.names):,}"), Fact("Metrics", f"{len(scores.metrics):,}")]
    said = "Scores with their intervals; no model was tested against another."
    hint = "To test which is better on your goal, run referee compare." if len(subject.names) > 1 else ""
    card = opening_card("Scores", headline, said, hint, facts=facts)
    return page(headline, sections, opening=card + things_to_check(subject))
