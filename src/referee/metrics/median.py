from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from referee.engines import median_of
from referee.scoring import SCORES, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array, Column
    from referee.engines import Ranking


def row_terms(prediction: Column) -> dict[str, Column]:
    return {"score": prediction}


def value(ranking: Ranking) -> Array:
    return median_of(ranking)


metric = Metric(
    title="Median score",
    question="How good is a model on a typical row, by the scores given to it?",
    formula="median of the scores = ({lower_median} + {upper_median}) / 2",
    needs="values",
    tasks=SCORES,
    better="higher",
    range=(-inf, inf),
    value=value,
    row_terms=row_terms,
    units_power=1,
    blind_to="all scores except those in the middle; where many rows have the same score there, it cannot be tested",
    aliases=("median_score",),
    related=("mean", "share_above"),
    references=(
        "P. Hall and S. J. Sheather (1988). On the distribution of a studentized quantile. Journal of the Royal "
        "Statistical Society B 50, 381-391",
    ),
    examples=(Example(truth=(), prediction=[0.5, 1.0, 0.0, 0.75], value=0.625, source="by hand: (0.5 + 0.75) / 2"),),
)
