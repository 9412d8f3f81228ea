"""Data that all benchmarks draw from: models that agree in much; 30% of the rows are positive."""

from __future__ import annotations

import numpy as np


def two_classes(rows, models=1):
    draw = np.random.default_rng(0)
    truth = (draw.random(rows) < 0.3).astype(np.int64)
    shared = 1.2 - 0.8 * draw.normal(size=rows)
    each = {
        f"m{place + 1}": 1 / (1 + np.exp(shared - (1.5 - place / (5 * models)) * truth - 0.6 * draw.normal(size=rows)))
        for place in range(models)
    }
    return truth, each


def many_classes(rows, classes):
    draw = np.random.default_rng(0)
    truth = draw.integers(0, classes, rows)
    scores = draw.dirichlet(np.ones(classes), rows) + 0.5 * np.eye(classes)[truth]
    return truth, scores / scores.sum(axis=1, keepdims=True)


def numbers(rows):
    draw = np.random.default_rng(0)
    truth = draw.normal(10, 2, rows)
    return truth, truth + draw.normal(size=rows)


def places(rows, how_many):
    """A slice, or a group, for each row."""
    return np.random.default_rng(1).integers(0, how_many, rows)


def weights(rows):
    return np.random.default_rng(2).exponential(size=rows) + 0.1


def csv_file(path, rows, models=2):
    """A file as other tools write it."""
    truth, each = two_classes(rows, models)
    columns = np.column_stack([truth, *each.values()])
    digits = ["%d", *["%.6f"] * models]
    np.savetxt(path, columns, digits, delimiter=",", header=",".join(["y", *each]), comments="")
    return str(path)
