from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import BINS, MASS, binned_forecasts, gap
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking, *, bins: int = 10, mass: bool = True) -> Array:
    return binned_forecasts(ranking, int(bins), mass=mass).max(lambda at: abs(gap(at)))


metric = Metric(
    title="Largest calibration error (MCE)",
    question="How wrong are the probabilities where they are most wrong?",
    formula="largest |mean forecast - share of positives| over the bins, which hold about the same number of rows; "
    "several "
    "classes: each against the rest",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="all bins but one; with mass=false, bins of the same width, that one may hold a single row, and then it "
    "says little",
    aliases=("mce", "maximum_calibration_error"),
    related=("calibration_error", "murphy_reliability"),
    references=(
        "M. P. Naeini, G. F. Cooper and M. Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian "
        "binning. In AAAI, 2901-2907. The forecasts are sorted and divided into 10 bins",
    ),
    parameters={"bins": BINS, "mass": MASS},
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=0.2,
            source="scikit-learn's example of calibration_curve: shares 0, 0.5, 1; means 0.2, 0.525, 0.85",
            settings={"bins": 3, "mass": False},
        ),
    ),
)
