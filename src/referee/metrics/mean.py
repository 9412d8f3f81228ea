from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.scoring import SCORES, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(prediction: Column) -> dict[str, Column]:
    return {"score": prediction}


def value(sums: Sums) -> Array:
    return sums.mean("score")


metric = Metric(
    title="Mean score",
    question="How good is a model on average, by the scores given to it?",
    formula="mean of the scores",
    needs="values",
    tasks=SCORES,
    better="higher",
    range=(-inf, inf),
    value=value,
    row_terms=row_terms,
    units_power=1,
    blind_to="whether it comes from a few large scores or many small ones, and how the scores were made",
    aliases=("mean_score", "average"),
    related=("median", "share_above"),
    references=(
        "E. Miller (2024). Adding error bars to evals: a statistical approach to language model evaluations. arXiv "
        "2411.00640",
    ),
    examples=(Example(truth=(), prediction=[0.5, 1.0, 0.0, 0.75], value=0.5625, source="by hand: 2.25 / 4"),),
)
