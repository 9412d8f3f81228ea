from __future__ import annotations

from typing import TYPE_CHECKING

from referee.calibration_bins import BINS, binned_forecasts
from referee.metric import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.ranking import Ranking


def value(ranking: Ranking, *, bins: int | None = None) -> Array:
    forecasts = ranking if bins is None else binned_forecasts(ranking, int(bins))
    rows = ranking.P + ranking.N
    overall = ranking.P / rows
    return forecasts.sum(lambda at: at.rows * (at.positives / at.rows - overall[at.unit]) ** 2) / rows


metric = Metric(
    title="Resolution (Murphy)",
    question="How much do the forecasts tell rows apart that come out differently?",
    formula="mean over rows of (share of positives among equal forecasts - share of all positives)²; "
    "Brier = reliability - resolution + uncertainty",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 0.25),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="what the forecasts say, as it only compares those that are equal: without bins, "
    "forecasts that never repeat resolve everything",
    related=("murphy_reliability", "murphy_uncertainty", "brier", "roc_auc"),
    references=(
        "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology 12, "
        "595-600",
    ),
    parameters={"bins": BINS},
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=(3 * (5 / 9) ** 2 + 2 * (1 / 2 - 5 / 9) ** 2 + 4 * (4 / 9) ** 2) / 9,
            source="by hand, from scikit-learn's example of calibration_curve",
            settings={"bins": 3},
        ),
        Example(
            truth=[0, 1, 1, 0, 1, 1],
            prediction=[0.5, 0.5, 0.5, 0.25, 0.25, 1.0],
            value=(2 * (1 / 6) ** 2 + (1 / 3) ** 2) / 6,
            source="by hand: the forecasts 0.5, 0.25 and 1 come true in 2/3, 1/2 and 1, all in 2/3",
        ),
    ),
)
