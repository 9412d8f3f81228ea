"""Several classes: what each model takes for what, and the scores of each class against the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document import Cell, Column, Footnotes, count, distinct_names, one_line, percent
from referee.page.shell import Section, rendered, table
from referee.scoring import Score, shown_name
from referee.scoring.shown_scores import Grid, by_class, uncertainty

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.arrays import Array
    from referee.page.subject import Subject


MOST_CLASSES = 40
MOST_WIDE = 12
"""Classes whose names and counts have room beside each other; more are set smaller."""
MOST_CONFUSED = 15
STEPS = 8
CONFUSION_LEAD = (
    "Rows are the true classes, columns the predicted ones. Blue on the diagonal is right, orange off it is wrong; "
    "darker means a larger share of the true class."
)
CLASS_METRICS = ("precision", "recall", "f_beta", "specificity", "roc_auc", "average_precision")
CLASSES_LEAD = "Each class vs the rest, with the half-width of the interval, or its ends where it is lopsided."


def confusions_section(subject: Subject) -> Section | None:
    """Of several classes; of two classes where no model has scores, as then there is no slider."""
    predictions = subject.predictions
    if not subject.scores.confusion or subject.ranked:
        return None
    labels = list(distinct_names(predictions.classes, 24).items())
    panels = [
        {
            "label": subject.labels[name],
            "matrix": _matrix(matrix, labels, place),
            "confused": _confused(matrix, labels, place),
        }
        for place, name in enumerate(subject.detailed)
        if (matrix := subject.scores.confusion[name]).sum()
    ]
    left = max(0, len(labels) - MOST_CLASSES)
    body = rendered("section/confusions.html", panels=panels, left=left, left_out=subject.left_out)
    return Section("confusion", "Confusion matrices", body, CONFUSION_LEAD, "Confusion")


def _matrix(matrix: Array, labels: list[tuple[str, str]], place: int) -> Markup:
    """With totals and the share of each class that is recognised."""
    kept = np.sort(np.argsort(-matrix.sum(axis=1), kind="stable")[:MOST_CLASSES]).tolist()
    heads = [Column(label, value=name) for name, label in (labels[code] for code in kept)]
    columns: list[Column | str] = [Column("True", words=True), *heads, "Total", "Recognised"]
    rows = []
    for true in kept:
        total = matrix[true].sum()
        cells = [_cell(matrix, true, said) for said in kept]
        rows.append([_class(labels[true]), *cells, _whole(total), _rate(matrix[true, true], total)])
    said = [_whole(matrix[:, code].sum()) for code in kept]
    rows.append([Cell("Total"), *said, _whole(matrix.sum()), _rate(matrix.trace(), matrix.sum())])
    style = "matrix confused" + (" dense" if len(kept) > MOST_WIDE else "")
    caption = "Confusion matrix: true class by row, predicted class by column"
    return table(caption, columns, rows, name=f"confusion-{place + 1}", style=style)


def _class(named: tuple[str, str]) -> Cell:
    name, label = named
    return Cell(label, name)


def _cell(matrix: Array, row: int, column: int) -> Cell:
    total, value = matrix[row].sum(), matrix[row, column]
    share = value / total if total else 0.0
    depth = 1 + round(STEPS * float(share)) if value else 0
    kind = "heat" if row == column else "burn"
    return Cell(
        count(value) if value else "·", float(value), f"{kind}{depth}" if value else "none", hint=percent(share)
    )


def _whole(value: float) -> Cell:
    return Cell(count(value), float(value), "quiet")


def _rate(right: float, total: float) -> Cell:
    share = float(right / total) if total else float("nan")
    return Cell(percent(share), share if total else None, "quiet")


def _confused(matrix: Array, labels: list[tuple[str, str]], place: int) -> Markup | str:
    """The mistakes that are made most often."""
    wrong = matrix - np.diag(np.diag(matrix))
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSED]
    rows = []
    for true, said in zip(*np.unravel_index(order, wrong.shape), strict=True):
        if (value := wrong[true, said]) > 0:
            share = float(value / matrix[true].sum())
            numbers = Cell(count(value), float(value)), Cell(percent(share), share)
            rows.append([_class(labels[true]), _class(labels[said]), *numbers])
    columns: list[Column | str] = ["True", Column("Predicted as", words=True), "Rows", "Of the true class"]
    return table("Most frequent mistakes", columns, rows, name=f"mistakes-{place + 1}", sortable=True) if rows else ""


def each_class_section(subject: Subject) -> Section | None:
    """Where there are more than two classes."""
    if len(subject.predictions.classes) < 3:
        return None
    grids = {grid.model: grid for grid in by_class(subject.scores) if grid.model in subject.detailed}
    notes = Footnotes()
    panels = [
        {"label": subject.labels[name], "table": _scores_table(grids[name], notes, place)}
        for place, name in enumerate(subject.names)
        if name in grids
    ]
    if not panels:
        return None
    body = rendered("section/each_class.html", panels=panels, notes=[*notes.lines()], left_out=subject.left_out)
    return Section("classes", "Each class", body, CLASSES_LEAD, "Classes")


def _scores_table(grid: Grid, notes: Footnotes, place: int) -> Markup:
    metrics = [name for name in CLASS_METRICS if name in grid.metrics] or grid.metrics[:6]
    rows = []
    for unit in grid.units:
        cells = [_score_cell(grid.cells.get((metric, unit)), notes) for metric in metrics]
        rows.append([Cell(one_line(unit), unit), *cells])
    return table(
        "Scores of each class",
        [Column("Class", words=True), *map(shown_name, metrics)],
        rows,
        name=f"classes-{place + 1}",
        sortable=True,
    )


def _score_cell(score: Score | None, notes: Footnotes) -> Cell:
    return Cell("–") if score is None else notes.cell(score.value, score.undefined, small=uncertainty(score))
