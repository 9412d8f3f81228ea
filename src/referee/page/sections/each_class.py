"""Each class against the rest, for every model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.document import Cell, Column, Footnotes
from referee.page.shell import Section, rendered, table
from referee.scoring import shown_name
from referee.scoring.shown_scores import by_class, uncertainty
from referee.wording import one_line

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.page.subject import Subject
    from referee.scoring import Score
    from referee.scoring.shown_scores import Grid

SHOWN = ("precision", "recall", "f_beta", "specificity", "roc_auc", "average_precision")
LEAD = "Each class against the rest, with half of the interval, or its ends where its halves differ much."


def each_class_section(subject: Subject) -> Section | None:
    """Where there are more than two classes."""
    if len(subject.predictions.classes) < 3:
        return None
    grids = {grid.model: grid for grid in by_class(subject.scores) if grid.model in subject.detailed}
    notes = Footnotes()
    panels = [
        {"label": subject.labels[name], "table": _table(grids[name], notes, place)}
        for place, name in enumerate(subject.names)
        if name in grids
    ]
    if not panels:
        return None
    body = rendered("section/each_class.html", panels=panels, notes=[*notes.lines()], left_out=subject.left_out)
    return Section("classes", "Each class", body, LEAD, "Classes")


def _table(grid: Grid, notes: Footnotes, place: int) -> Markup:
    metrics = [name for name in SHOWN if name in grid.metrics] or grid.metrics[:6]
    rows = []
    for unit in grid.units:
        cells = [_cell(grid.cells.get((metric, unit)), notes) for metric in metrics]
        rows.append([Cell(one_line(unit), unit), *cells])
    return table(
        "Scores of each class",
        [Column("Class", words=True), *map(shown_name, metrics)],
        rows,
        name=f"classes-{place + 1}",
        sortable=True,
    )


def _cell(score: Score | None, notes: Footnotes) -> Cell:
    return Cell("–") if score is None else notes.cell(score.value, score.undefined, small=uncertainty(score))
