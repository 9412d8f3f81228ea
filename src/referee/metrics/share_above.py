from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.scoring import SCORES, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(prediction: Column, xp: Any, *, x: float = 0.5) -> dict[str, Column]:
    return {"above": xp.where(prediction > x, 1.0, 0.0)}


def value(sums: Sums) -> Array:
    return sums.mean("above")


metric = Metric(
    title="Share of scores above a limit",
    question="On how many rows does a model do well enough, by the scores given to it?",
    formula="rows whose score is above x, as a share of all rows",
    needs="values",
    tasks=SCORES,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    blind_to="how far above or below the limit a score is",
    related=("mean", "median"),
    references=(
        "E. Miller (2024). Adding error bars to evals: a statistical approach to language model evaluations. arXiv "
        "2411.00640",
    ),
    parameters={"x": Parameter("the limit; a score of exactly x is not above it", low=float("-inf"))},
    examples=(
        Example(
            truth=(),
            prediction=[0.5, 1.0, 0.0, 0.75],
            value=0.5,
            source="by hand: two of four",
        ),
        Example(
            truth=(),
            prediction=[3, 5, 4, 2],
            value=0.25,
            source="by hand: one of four",
            settings={"x": 4},
        ),
    ),
)
