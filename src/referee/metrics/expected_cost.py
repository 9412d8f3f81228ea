from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Counts


def value(
    counts: Counts,
    positive: int | None = 1,
    *,
    fp: float = 1,
    fn: float = 1,
    costs: Sequence[Sequence[float]] | None = None,
) -> Array:
    matrix = _of_errors(counts, positive, fp, fn) if costs is None else _given(counts, costs)
    return (counts.matrix * matrix).sum(axis=(1, 2)) / counts.total


def _of_errors(counts: Counts, positive: int | None, fp: float, fn: float) -> Array:
    classes = counts.matrix.shape[1]
    matrix = 1.0 - np.eye(classes)
    if fp == fn:
        return fp * matrix
    if positive is None or classes != 2:
        raise UsageError("E_PARAMETER", "fp and fn are costs for two classes", hint="give costs=[[0, 1, ...], ...]")
    matrix[positive] *= fn
    matrix[1 - positive] *= fp
    return matrix


def _given(counts: Counts, costs: Sequence[Sequence[float]]) -> Array:
    try:
        matrix = np.array(costs, float)
    except (TypeError, ValueError):
        matrix = np.array(np.nan)
    if matrix.shape != counts.matrix.shape[1:] or not (matrix >= 0).all():
        size = " x ".join(map(str, counts.matrix.shape[1:]))
        raise UsageError("E_PARAMETER", f"costs={costs} is not a {size} matrix of numbers that are at least 0")
    return matrix


metric = Metric(
    title="Expected cost",
    question="What does a decision cost on average?",
    formula="({FP} x {fp:cost of one} + {FN} x {fn:cost of one}) / {all} = sum of rows x their cost / all; by default "
    "every error costs 1, which gives the error rate",
    needs="labels",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, inf),
    value=value,
    depends_on_prevalence=True,
    blind_to="costs that differ from row to row, and the threshold that would be cheapest",
    aliases=("cost",),
    related=("error_rate", "recall", "precision"),
    references=("C. Elkan (2001). The foundations of cost-sensitive learning. In IJCAI, 973-978",),
    parameters={
        "fp": Parameter("the cost of calling a negative positive, where there are two classes", low=0),
        "fn": Parameter("the cost of missing a positive, where there are two classes", low=0),
        "costs": Parameter(
            "a matrix: rows are the true classes, columns the predicted ones, in the order of the classes"
        ),
    },
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=(1 * 1 + 2 * 5) / 10,
            source="the lecture's model test, by hand: FP 1, FN 2",
            settings={"fn": 5},
        ),
        Example(
            truth=[0] * 700 + [1] * 300,
            prediction=[0] * 605 + [1] * 95 + [0] * 151 + [1] * 149,
            value=(95 * 1 + 151 * 5) / 1000,
            source="by hand: naive Bayes of Weka on credit-g with the costs that the data come with",
            settings={"costs": [[0, 1], [5, 0]]},
        ),
    ),
)
