from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.scoring import SCORES, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(prediction: Column, others: Sequence[Column], better: str, xp: Any) -> dict[str, Column]:
    sign = 1 if better == "higher" else -1
    wins = [
        xp.where(sign * prediction > sign * other, 1.0, xp.where(prediction == other, 0.5, 0.0)) for other in others
    ]
    return {"win": sum(wins[1:], wins[0]) / len(wins)}


def value(sums: Sums) -> Array:
    return sums.mean("win")


metric = Metric(
    title="Win rate",
    question="How often is a model preferred to the others?",
    formula="share of pairs (item, other model) in which its score is better; a tie counts one half. "
    "A single column is compared with 0",
    needs="values",
    tasks=SCORES,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    blind_to="by how much an item is won. With more than two models, it depends on which others there are",
    aliases=("preference_rate",),
    related=("mean", "share_above"),
    references=(
        "R. A. Bradley and M. E. Terry (1952). Rank analysis of incomplete block designs: the method of paired "
        "comparisons. Biometrika 39, 324-345",
        "L. Zheng et al. (2023). Judging LLM-as-a-judge with MT-bench and chatbot arena. NeurIPS 36",
    ),
    examples=(
        Example(
            truth=(),
            prediction=[1.0, -0.5, 0.0, 2.0],
            value=2.5 / 4,
            source="by hand: two wins, a loss and a tie",
        ),
    ),
)
