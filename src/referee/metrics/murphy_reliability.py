from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import BINS_OR_NONE, MASS, gap, in_bins
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, bins: int | None = 10, mass: bool = True) -> Array:
    return in_bins(ranking, bins, mass=mass).sum(lambda at: at.rows * gap(at) ** 2) / (ranking.P + ranking.N)


metric = Metric(
    title="Reliability (Murphy)",
    question="How much of the Brier score is due to forecasts that do not mean what they say?",
    formula="mean over rows of (mean forecast - share of positives)² of the row's bin; "
    "Brier = reliability - resolution + uncertainty + what the forecasts vary inside bins (see murphy_resolution)",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="how informative the forecasts are, and errors that cancel inside a bin. With bins=none, which suits "
    "forecasts "
    "that repeat, those that never do make it the whole Brier score",
    related=("murphy_resolution", "murphy_uncertainty", "brier", "calibration_error"),
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
            value=(3 * 0.2**2 + 2 * 0.025**2 + 4 * 0.15**2) / 9,
            source="by hand, from scikit-learn's example of calibration_curve",
            settings={"bins": 3, "mass": False},
        ),
        Example(
            truth=[0, 1, 1, 0, 1, 1],
            prediction=[0.5, 0.5, 0.5, 0.25, 0.25, 1.0],
            value=(3 * (1 / 6) ** 2 + 2 * (1 / 4) ** 2) / 6,
            source="by hand: the forecasts 0.5, 0.25 and 1 come true in 2/3, 1/2 and 1",
            settings={"bins": None},
        ),
    ),
)
