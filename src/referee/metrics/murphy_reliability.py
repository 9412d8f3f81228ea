from __future__ import annotations

from typing import TYPE_CHECKING

from referee.calibration_bins import BINS, binned_forecasts, gap
from referee.metric import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.ranking import Ranking


def value(ranking: Ranking, *, bins: int | None = None) -> Array:
    forecasts = ranking if bins is None else binned_forecasts(ranking, int(bins))
    return forecasts.sum(lambda at: at.rows * gap(at) ** 2) / (ranking.P + ranking.N)


metric = Metric(
    title="Reliability (Murphy)",
    question="How much of the Brier score is due to forecasts that do not mean what they say?",
    formula="mean over rows of (forecast - share of positives among equal forecasts)²; "
    "Brier = reliability - resolution + uncertainty",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="how much the forecasts tell; without bins, forecasts that never repeat make it the whole Brier score, "
    "and with bins the decomposition is no longer exact",
    related=("murphy_resolution", "murphy_uncertainty", "brier", "calibration_error"),
    references=(
        "A. H. Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology 12, "
        "595-600",
        "D. B. Stephenson, C. A. S. Coelho and I. T. Jolliffe (2008). Two extra components in the Brier score "
        "decomposition. Weather and Forecasting 23, 752-757",
    ),
    parameters={"bins": BINS},
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=(3 * 0.2**2 + 2 * 0.025**2 + 4 * 0.15**2) / 9,
            source="by hand, from scikit-learn's example of calibration_curve",
            settings={"bins": 3},
        ),
        Example(
            truth=[0, 1, 1, 0, 1, 1],
            prediction=[0.5, 0.5, 0.5, 0.25, 0.25, 1.0],
            value=(3 * (1 / 6) ** 2 + 2 * (1 / 4) ** 2) / 6,
            source="by hand: the forecasts 0.5, 0.25 and 1 come true in 2/3, 1/2 and 1",
        ),
    ),
)
