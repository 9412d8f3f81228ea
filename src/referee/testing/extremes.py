"""Predictions at the ends of what there can be: something is missing, or all is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.testing.samples import HIGHEST, LISTS, UNTIED, binary, multiclass, multilabel, ranking, regression, scored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.predictions import Predictions
    from referee.scoring import Task


def degenerate(task: Task) -> Iterator[Predictions]:
    """Give the cases in which something is missing: a class, a decision, any variation."""
    if task == "scores":
        yield from map(scored, ([1.0, 2.0, 4.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.0]))
    elif task == "regression":
        varied, equal = [1.0, 2.0, 4.0], [0.1, 0.1, 0.1]
        truths = (varied, equal, [0.0, 0.0, 0.0], [0.0, 1.0, 2.0])
        yield from (regression(y, p) for y in truths for p in (varied, [0.3, 0.3, 0.3], y))
    elif task in LISTS:
        lists = ([[0, 0, 0]], [[1, 1, 1]], [[0, 1, 1]])
        yield from (LISTS[task](y, p) for y in lists for p in ([[0.25, 0.25, 0.25]], [[0.25, 0.75, 0.5]], y))
    elif task == "binary":
        truths_and_scores = (
            ([0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]),
            ([0.25] * 4, [0.75] * 4, [0.25, 0.25, 0.75, 0.75]),
        )
        yield from (binary(y, p) for y in truths_and_scores[0] for p in (*truths_and_scores[1], y))
    else:
        columns = (UNTIED[:4], UNTIED[[0, 0, 0, 0]])
        labels = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1], [0, 1, 2, 0]])
        yield from (multiclass(y, p) for y in labels for p in (*columns, np.eye(3)[y]))


def hopeless(task: Task) -> Iterator[Predictions]:
    """As wrong as predictions can be: sure of the wrong class, upside down, saying nothing, missing the only one."""
    rows = np.arange(400)
    if task == "scores":
        yield scored(np.full(400, -HIGHEST))
    elif task == "regression":
        truth = (rows % 7 + 1) / 4
        yield from (regression(truth, -truth), regression(truth, truth - HIGHEST))
    elif task == "ranking":
        yield ranking([(rows == 0).astype(float)], [rows.astype(float)])
    elif task == "multilabel":
        truth = np.stack([rows % 2, 1 - rows % 2], axis=1)
        yield from (multilabel(truth, 1.0 - truth), multilabel(truth, np.zeros((400, 2))))
    elif task == "binary":
        half, rare = rows % 2, (rows == 0).astype(int)
        yield from (binary(half, 1.0 - half), binary(half, np.full(400, 0.5)), binary(0 * half, np.ones(400)))
        yield from (binary(rare, 1.0 - rare), binary(half, np.ones(400)), binary(half, np.zeros(400)))
    else:
        thirds = rows % 3
        yield multiclass(thirds, np.eye(3)[(thirds + 1) % 3])
        yield multiclass(thirds, (1 - np.eye(3)[thirds]) / 2)
        yield multiclass(thirds, np.full((400, 3), 1 / 3))
        yield multiclass(rows % 2 * 2, np.eye(3)[2 - rows % 2 * 2])
