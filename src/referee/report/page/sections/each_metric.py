"""Who wins under each metric: the goal first, the others as context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.page.document import Section, rendered
from referee.report.page.tables import Cell, Column, table
from referee.report.scores.footnotes import Footnotes
from referee.report.scores.shown import Overall, guessing_name, half_width, level, overall
from referee.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from referee.report.page.subject import Subject
    from referee.score_table import Score

MAIN = (
    "roc_auc", "average_precision", "log_loss", "brier", "calibration_error", "f_beta", "mcc", "balanced_accuracy",
    "accuracy", "recall", "precision", "hand_till", "kappa", "mae", "rmse", "r2", "rae", "rrse", "correlation",
)  # fmt: skip
"""What most readers look for; the rest is unfolded on request."""
FEW = 12
MOST_COLUMNS = 8


def each_metric_section(subject: Subject) -> Section | None:
    rows = overall(subject.scores)
    if len(rows) < 2 and subject.verdict is not None:
        return None
    goal = subject.verdict.goal.full_name if subject.verdict else None
    rows.sort(key=lambda row: (row.metric.full_name != goal, not _is_main(row)))
    first = rows if len(rows) <= FEW else [row for row in rows if row.metric.full_name == goal or _is_main(row)]
    rest = [row for row in rows if row not in first]
    notes = Footnotes()
    body = rendered(
        "section/each_metric.html",
        first=_table(subject, first, notes, "metrics"),
        rest=_table(subject, rest, notes, "all-metrics") if rest else "",
        how_many=len(rest),
        notes=[*notes.lines()],
        interval=level(subject.alpha),
        compared=subject.verdict is not None,
        left=max(0, len(subject.names) - MOST_COLUMNS),
    )
    title = "Who wins under each metric?" if subject.verdict else "Scores"
    lead = "The goal decides; the others show what it does not see." if subject.verdict else ""
    return Section("metrics", title, body, lead, short="Metrics")


def _is_main(row: Overall) -> bool:
    return row.metric.name in MAIN and not row.metric.settings


def _table(subject: Subject, rows: Sequence[Overall], notes: Footnotes, name: str) -> Markup:
    names = subject.names[:MOST_COLUMNS]
    columns: list[Column | str] = [Column("Metric", words=True)]
    columns += [Column(subject.labels[one], hint=subject.full(one)) for one in names]
    columns.append(guessing_name([*subject.labels.values()]))
    columns += [Column("Best", words=True), f"Cost on {subject.verdict.goal.name}"] if subject.verdict else []
    cells = [_cells(subject, row, notes) for row in rows]
    return table("Every metric of every model", columns, cells, name=name, sortable=True)


def _cells(subject: Subject, row: Overall, notes: Footnotes) -> list[Cell]:
    verdict, metric = subject.verdict, row.metric
    is_goal = verdict is not None and verdict.goal.full_name == metric.full_name
    direction = f"{metric.title}; {metric.better} is better. {metric.question}"
    arrow = " ↓" if metric.better == "lower" else ""
    head = Cell(("★ " if is_goal else "") + row.name + arrow, metric.full_name, hint=direction)
    found = {score.model: score for score in row.models}
    models = [_value(found[name], row, notes) for name in subject.names[:MOST_COLUMNS]]
    return [head, *models, Cell(notes.cell(row.guessed), row.guessed.value, "none"), *_judged(subject, row, is_goal)]


def _value(score: Score, row: Overall, notes: Footnotes) -> Cell:
    mark = "none" if score.value is None else "best" if row.is_best(score) else ""
    return Cell(notes.cell(score), score.value, mark, small=half_width(score))


def _judged(subject: Subject, row: Overall, is_goal: bool) -> list[Cell]:
    """Whose value is the best, and whether that is more than luck."""
    verdict = subject.verdict
    if verdict is None:
        return []
    if is_goal:
        how = {"winner": "wins", "tie": "not significantly", "undecided": "undecided"}[verdict.outcome]
        return [Cell(subject.labels[verdict.best], verdict.best, small=how), Cell("")]
    other = next((one for one in verdict.other_goals if one.metric == row.metric.full_name), None)
    if other is None:
        return [Cell("–", hint="not tested: it tells no models apart, or some have no value"), Cell("")]
    how = "wins" if other.wins else "not significantly"
    return [
        Cell(subject.labels[other.best], other.best, small=how),
        Cell(number(other.cost) if other.cost else "", other.cost),
    ]
