from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking) -> Array:
    return ranking.P * ranking.N / (ranking.P + ranking.N) ** 2


metric = Metric(
    title="Uncertainty (Murphy)",
    question="How hard is the task for someone who knows only the share of positives?",
    formula="{share_of_positives} x {share_of_negatives}: the Brier score of always predicting the share of positives",
    needs="scores",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 0.25),
    value=value,
    compares_models=False,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="the model: every model has the same value on the same rows. It is the third part of "
    "Brier = reliability - resolution + uncertainty",
    related=("murphy_reliability", "murphy_resolution", "brier"),
    references=(
        "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology 12, "
        "595-600",
    ),
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=5 / 9 * 4 / 9,
            source="by hand: 5 of 9 are positive",
        ),
    ),
)
