"""Confusion matrices of several classes, and what each model takes for what most often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document import Cell, Column
from referee.page.shell import Section, rendered, table
from referee.wording import count, distinct_names, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from referee.arrays import Array
    from referee.page.subject import Subject

MOST_CLASSES = 40
MOST_WIDE = 12
"""Classes whose names and counts have room beside each other; more are set smaller."""
MOST_CONFUSED = 15
STEPS = 8
LEAD = (
    "Rows are what was true, columns what the model said. Blue on the diagonal is right, orange beside it is wrong; "
    "darker is a larger share of the true class."
)


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
    return Section("confusion", "What is taken for what", body, LEAD, "Confusion")


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
    columns: list[Column | str] = ["True", Column("Taken for", words=True), "Rows", "Of the true class"]
    return table("Most frequent mistakes", columns, rows, name=f"mistakes-{place + 1}", sortable=True) if rows else ""
