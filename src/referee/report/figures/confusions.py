"""Confusion matrices: a panel for each model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.report.figures.grids import Grid
from referee.report.figures.pictures import Picture
from referee.wording import count, distinct_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.page.subject import Subject

MOST_CLASSES = 40


def confusion_pictures(subject: Subject) -> Iterator[Picture]:
    """Of the models that a report looks at more closely."""
    known = {name: matrix for name in subject.detailed if (matrix := subject.scores.confusion.get(name)) is not None}
    known = {name: matrix for name, matrix in known.items() if matrix.sum()}
    if not known:
        return
    labels = list(distinct_names(subject.predictions.classes, 16).values())
    rows = next(iter(known.values())).sum(axis=1)
    kept = np.sort(np.argsort(-rows, kind="stable")[:MOST_CLASSES]).tolist()
    grids = [_grid(matrix, [labels[k] for k in kept], kept, subject.labels[name]) for name, matrix in known.items()]
    title = "Rows by their true class and what the model said; blue is right, orange wrong, by share of the true class"
    across = 1 if len(kept) > 12 else 2 if len(kept) > 5 else 3
    yield Picture(
        "confusion",
        title,
        [grid.draw for grid in grids],
        across=across,
        width=max(grid.width for grid in grids),
        height=grids[0].height + 0.3,
    )


def _grid(matrix: Array, labels: list[str], kept: list[int], title: str) -> Grid:
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    texts = [[count(matrix[i, j]) if matrix[i, j] else "·" for j in kept] for i in kept]
    depths = [[float(shares[i, j]) * (1 if i == j else -1) for j in kept] for i in kept]
    return Grid(labels, labels, texts, depths, "predicted", "true", title)
