"""Scores as Markdown for a pull request: the overall table in sight, everything else folded away below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.report.markdown import escaped, folded_away, listed_items, table
from referee.report.notices import few_of_each
from referee.report.scores.footnotes import Footnotes
from referee.report.scores.shown import by_class, by_unit, described, guessing_name, overall
from referee.scoring import shown_name
from referee.wording import count, counted, distinct_names, level, message_line, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.report.scores.shown import Grid
    from referee.scoring import Score, Scores

MOST_CLASSES = 50
LONGEST_NAME = 60


def to_markdown(scores: Scores, *, alpha: float) -> str:
    """Everything that was found; parts without content are left out."""
    notes = Footnotes()
    lines = [f"**{counted(scores.predictions.rows, 'row')}**, {escaped(described(scores.predictions))}", ""]
    lines += _overall(scores, notes)
    if any(_interval(score) for row in overall(scores) for score in row.models):
        lines += ["", escaped(f"In brackets: {level(alpha)} intervals")]
    lines += listed_items(notes.lines())
    lines += listed_items(message_line(note) for note in scores.predictions.notes)
    lines += listed_items(f"{notice.code}: {message_line(notice.message)}" for notice in few_of_each(scores.notices))
    for title, found in (
        ("By slice", list(by_unit(scores, "slice"))),
        ("By fold", list(by_unit(scores, "unit"))),
        ("Each class against the rest", list(by_class(scores))),
    ):
        lines += folded_away(title, _grids(found)) if found else []
    lines += folded_away("Confusion matrices", _confusion(scores)) if scores.confusion else []
    return "\n".join(lines).rstrip() + "\n"


def _overall(scores: Scores, notes: Footnotes) -> list[str]:
    labels = list(distinct_names(scores.predictions.names, LONGEST_NAME).values())
    rows = []
    for row in overall(scores):
        models = [f"{notes.cell(score)} {_interval(score)}".rstrip() for score in row.models]
        rows.append([row.name, row.metric.better, *models, notes.cell(row.guessed)])
    return table(["metric", "better", *labels, guessing_name(labels)], rows, words=2)


def _interval(score: Score) -> str:
    return "" if score.value is None or score.low is None else f"[{number(score.low)}, {number(score.high)}]"


def _labels(names: Sequence[str], are_metrics: bool) -> dict[str, str]:
    shown = {name: shown_name(name) if are_metrics else name for name in names}
    labels = distinct_names(shown.values(), LONGEST_NAME)
    return {name: labels[text] for name, text in shown.items()}


def _grids(grids: Sequence[Grid]) -> Iterator[str]:
    """One table of all models; what is fewer, units or metrics, goes across."""
    notes = Footnotes()
    metrics = list(dict.fromkeys(metric for grid in grids for metric in grid.metrics))
    units = list(dict.fromkeys(unit for grid in grids for unit in grid.units))
    units_across = len(units) < len(metrics)
    down, across = (metrics, units) if units_across else (units, metrics)
    models = distinct_names((grid.model for grid in grids), LONGEST_NAME)
    down_names, across_names = _labels(down, units_across), _labels(across, not units_across)
    rows = []
    for grid in grids:
        for one in down:
            places = [(one, other) if units_across else (other, one) for other in across]
            cells = [notes.cell(grid.cells.get(place)) for place in places]
            rows.append([models[grid.model], down_names[one], *cells])
    yield from table(["model", "", *across_names.values()], rows, words=2)
    yield from listed_items(notes.lines())


def _confusion(scores: Scores) -> list[str]:
    models = distinct_names(scores.predictions.names, LONGEST_NAME)
    labels = list(distinct_names(scores.predictions.classes, LONGEST_NAME).values())
    if len(labels) > MOST_CLASSES:
        return [f"{len(labels)} x {len(labels)} classes: see `--format json`"]
    rows = [
        [models[name], label, *(count(value) for value in (*row, row.sum()))]
        for name, matrix in scores.confusion.items()
        for label, row in zip(labels, matrix, strict=True)
    ]
    return table(["model", r"true \ predicted", *labels, "total"], rows, words=2)
