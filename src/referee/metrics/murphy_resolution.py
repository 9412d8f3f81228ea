from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import BINS_OR_NONE, MASS, in_bins
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, bins: int | None = 10, mass: bool = True) -> Array:
    forecasts = in_bins(ranking, bins, mass=mass)
    rows = ranking.P + ranking.N
    overall = ranking.P / rows
    return forecasts.sum(lambda at: at.rows * (at.positives / at.rows - overall[at.unit]) ** 2) / rows


metric = Metric(
    title="Resolution (Murphy)",
    question="How well do the forecasts separate rows with different outcomes?",
    formula="mean over rows of (share of positives in the row's bin - share of all positives)²; Brier = reliability - "
    "resolution + uncertainty + variance of the forecasts inside bins - 2 x their covariance with the outcomes there",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 0.25),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="whether the forecasts are right, and how they separate the rows within a bin. With bins=none, which "
    "suits forecasts "
    "that repeat, those that never do resolve everything",
    related=("murphy_reliability", "murphy_uncertainty", "brier", "roc_auc"),
    references=(
        "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology 12, "
        "595-600",
        "D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe (2008). Two extra components in the Brier score "
        "decomposition. Weather and Forecasting 23, 752-757",
    ),
    parameters={"bins": BINS_OR_NONE, "mass": MASS},
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=(3 * (5 / 9) ** 2 + 2 * (1 / 2 - 5 / 9) ** 2 + 4 * (4 / 9) ** 2) / 9,
            source="by hand, from scikit-learn's example of calibration_curve",
            settings={"bins": 3, "mass": False},
        ),
        Example(
            truth=[0, 1, 1, 0, 1, 1],
            prediction=[0.5, 0.5, 0.5, 0.25, 0.25, 1.0],
            value=(2 * (1 / 6) ** 2 + (1 / 3) ** 2) / 6,
            source="by hand: the forecasts 0.5, 0.25 and 1 come true in 2/3, 1/2 and 1, all in 2/3",
            settings={"bins": None},
        ),
    ),
)
