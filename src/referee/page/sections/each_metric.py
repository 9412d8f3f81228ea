"""Who wins under each metric: the goal first, the others as context."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from referee.document import Cell, Column, Footnotes, counted, level, number
from referee.page.shell import Section, rendered, table
from referee.scoring.shown_scores import Overall, guessing_name, overall, pieces_in_words, uncertainty

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    from referee.comparing import Verdict
    from referee.page.subject import Subject
    from referee.scoring import Metric, Score

MAIN = (
    "roc_auc", "average_precision", "log_loss", "brier", "calibration_error", "f_beta", "mcc", "balanced_accuracy",
    "accuracy", "recall", "precision", "hand_till", "kappa", "mae", "rmse", "r2", "rae", "rrse", "correlation",
)  # fmt: skip
"""What most readers look for; the rest is unfolded on request."""
FEW = 12
COST = 2
"""The column that is left out where no other metric would cost anything."""
T = TypeVar("T")


class Judged(NamedTuple):
    """Whose value is the best on a metric, and whether that is more than luck."""

    best: str
    how: str
    cost: float | None
    values: Mapping[str, float | None]
    """What the models are ranked by."""


def each_metric_section(subject: Subject) -> Section | None:
    rows = overall(subject.scores)
    if len(rows) < 2 and subject.verdict is not None:
        return None
    goal = subject.verdict.goal.full_name if subject.verdict else None
    rows.sort(key=lambda row: (row.metric.full_name != goal, not is_main(row.metric)))
    first = rows if len(rows) <= FEW else [row for row in rows if row.metric.full_name == goal or is_main(row.metric)]
    rest = [row for row in rows if row not in first]
    notes = Footnotes()
    by_units = subject.verdict is not None and not subject.verdict.design.by_rows
    all_fit = len(subject.detailed) < len(subject.names) == len(subject.shown)
    body = rendered(
        "section/each_metric.html",
        first=_table(subject, first, subject.detailed, notes, "metrics"),
        rest=_table(subject, rest, subject.detailed, notes, "more-metrics") if rest else "",
        how_many=counted(len(rest), "more metric"),
        of_all=_table(subject, rows, subject.names, notes, "metrics-of-all-models") if all_fit else "",
        models=counted(len(subject.names), "model"),
        notes=[*notes.lines(), *pieces_in_words(subject.scores, rows)],
        interval="" if by_units else level(subject.alpha),
        compared=subject.verdict is not None,
        several=len(subject.names) > 1,
        left_out=subject.left_out,
        csv="referee evaluate --format csv" if subject.command else "scores.to_csv()",
    )
    title = "Who wins under each metric?" if subject.verdict else "Scores"
    return Section("metrics", title, body, _lead(subject.verdict), short="Metrics")


def _lead(verdict: Verdict | None) -> str:
    if verdict is None:
        return ""
    text = "The goal decides; the other metrics show what it does not see."
    ranked_by = f" Values are {verdict.design.value_names}, by which the models are ranked."
    return text if verdict.design.by_rows else text + ranked_by


def is_main(metric: Metric) -> bool:
    """Whether it is one that most readers know."""
    return metric.name in MAIN and not metric.settings


def _table(subject: Subject, rows: Sequence[Overall], names: Sequence[str], notes: Footnotes, name: str) -> Markup:
    columns: list[Column | str] = [Column("Metric", words=True)]
    columns += [Column("Best", words=True), f"Cost on {subject.verdict.goal.shown_name}"] if subject.verdict else []
    columns += [subject.column(model) for model in names]
    columns += [guessing_name([*subject.labels.values()])] if subject.scores.baseline else []
    cells = [_cells(subject, row, names, notes) for row in rows]
    if subject.verdict and not any(row[COST].text for row in cells):
        columns, cells = _without(columns, COST), [_without(row, COST) for row in cells]
    return table("Every metric of every model", columns, cells, name=name, sortable=True)


def _without(cells: list[T], place: int) -> list[T]:
    return [*cells[:place], *cells[place + 1 :]]


def _cells(subject: Subject, row: Overall, names: Sequence[str], notes: Footnotes) -> list[Cell]:
    verdict, metric = subject.verdict, row.metric
    is_goal = verdict is not None and verdict.goal.full_name == metric.full_name
    direction = f"{metric.better} is better" if metric.compares_models else "a property of the data"
    arrow = " ↓" if metric.better == "lower" and metric.compares_models else ""
    hint = f"{metric.title}; {direction}. {metric.question}{_interval_of(row)}"
    head = Cell(("★ " if is_goal else "") + row.name + arrow, metric.full_name, hint=hint)
    known = [] if row.guessed is None else [row.guessed]
    guessed = [Cell(notes.text(score.value, score.undefined), score.value, "none") for score in known]
    scores = {score.model: score for score in row.models}
    if verdict is None:
        return [head, *(_score(scores[name], notes, best=row.is_best(scores[name])) for name in names), *guessed]
    judged = _judged(verdict, row)
    models = [_compared(verdict, judged, scores[name], notes) for name in names]
    return [head, *_answer(subject, verdict, row, judged, names), *models, *guessed]


def _score(score: Score, notes: Footnotes, *, best: bool) -> Cell:
    mark = "none" if score.value is None else "best" if best else ""
    return Cell(notes.text(score.value, score.undefined), score.value, mark, uncertainty(score))


def _interval_of(row: Overall) -> str:
    kinds = dict.fromkeys(score.interval for score in row.models if score.interval)
    return f" Interval: {', '.join(kinds)}." if kinds else ""


def _compared(verdict: Verdict, judged: Judged | None, score: Score, notes: Footnotes) -> Cell:
    """What the model was ranked by; its value on all rows where that was not asked."""
    value = judged.values[score.model] if judged else None
    best = judged is not None and value is not None and value == judged.values[judged.best]
    if verdict.design.by_rows:
        return _score(score, notes, best=best)
    if value is None:
        small = "" if score.value is None else "on all rows"
        return Cell(notes.text(score.value, score.undefined), score.value, "none" if score.value is None else "", small)
    on_all = f"on all rows {number(score.value)} {uncertainty(score)}".strip() if verdict.has_value_on_rows else ""
    return Cell(number(value), value, "best" if best else "", hint=on_all)


def _judged(verdict: Verdict, row: Overall) -> Judged | None:
    if verdict.goal.full_name == row.metric.full_name:
        how = {"winner": "wins", "tie": "not significantly", "undecided": "undecided"}[verdict.outcome]
        return Judged(verdict.best, how, None, verdict.values)
    for other in verdict.other_goals:
        if other.metric == row.metric.full_name:
            return Judged(other.best, "wins" if other.wins else "not significantly", other.cost, other.values)
    return None


def _answer(
    subject: Subject, verdict: Verdict, row: Overall, judged: Judged | None, names: Sequence[str]
) -> list[Cell]:
    """Whose value is the best; with the value, where that model has no column."""
    if judged is None:
        return [Cell("–", hint=f"not tested: {_why_not(verdict, row)}"), Cell("")]
    shown = judged.best in names
    how = judged.how if shown else f"{number(judged.values[judged.best])}, {judged.how}"
    best = Cell(subject.labels[judged.best], judged.best, "" if shown else "best", how)
    return [best, Cell(number(judged.cost) if judged.cost else "", judged.cost)]


def _why_not(verdict: Verdict, row: Overall) -> str:
    values = {score.value for score in row.models}
    if not row.metric.compares_models:
        return "a property of the data"
    if None in values:
        return "not all models have a value"
    if len(values) == 1:
        return "all models have the same value"
    unit = verdict.design.unit
    return "it is undefined" if verdict.design.by_rows else f"it is undefined in one of the {unit}s, or the same in all"
