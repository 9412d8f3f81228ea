from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.engines import BINS, MASS, binned_forecasts, gap
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking, Steps


def value(ranking: Ranking, row_weight: float, *, bins: int = 10, mass: bool = False, debiased: bool = False) -> Array:
    binned = binned_forecasts(ranking, int(bins), mass=mass)
    rows = binned.P + binned.N
    plug_in = binned.sum(lambda at: at.rows * abs(gap(at))) / rows
    if not debiased:
        return plug_in
    resampled = binned.sum(lambda at: at.rows * _mean_gap_of_resamples(at, row_weight)) / rows
    return np.maximum(2 * plug_in - resampled, 0)


def _mean_gap_of_resamples(at: Steps, row_weight: float) -> Array:
    """The mean of |gap| if the share of positives is drawn again around the observed one: a folded normal's mean."""
    from scipy.special import erf

    happened = at.positives / at.rows
    spread = np.sqrt(happened * (1 - happened) * row_weight / at.rows)
    relative = np.divide(gap(at), spread * np.sqrt(2), out=np.zeros_like(spread), where=spread > 0)
    folded = spread * np.sqrt(2 / np.pi) * np.exp(-(relative**2)) + gap(at) * erf(relative)
    return np.where(spread > 0, folded, abs(gap(at)))


metric = Metric(
    title="Calibration error (ECE)",
    question="When the model says 70%, does it happen 70% of the time?",
    formula="{sum_of_gaps:sum over bins of rows x |mean forecast - share of positives|} / {rows_of_bins:n}; "
    "bins (a, b], the first with 0; several classes: each against the rest",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, 1),
    value=value,
    per_class=True,
    proper="weakly",
    depends_on_prevalence=True,
    blind_to="how informative the forecasts are: always predicting the share of positives is perfectly calibrated. "
    "It depends on the bins, hides errors that cancel inside one, and noise makes it positive "
    "(debiased=true helps)",
    aliases=("ece", "expected_calibration_error"),
    related=("max_calibration_error", "murphy_reliability", "brier", "log_loss"),
    references=(
        "M. P. Naeini, G. F. Cooper and M. Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian "
        "binning. In AAAI, 2901-2907",
        "A. Kumar, P. Liang and T. Ma (2019). Verified uncertainty calibration. In Advances in Neural Information "
        "Processing Systems 32",
        "M. Kull et al. (2019). Beyond temperature scaling: obtaining well-calibrated multi-class probabilities with "
        "Dirichlet calibration. In Advances in Neural Information Processing Systems 32. Each class against the rest",
    ),
    parameters={
        "bins": BINS,
        "mass": MASS,
        "debiased": Parameter(
            "subtract what noise adds: 2 x plug-in - its mean under normal resampling, not below 0",
            choices=(False, True),
        ),
    },
    examples=(
        Example(
            truth=[0, 0, 0, 0, 1, 1, 1, 1, 1],
            prediction=[0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0],
            value=(3 * 0.2 + 2 * 0.025 + 4 * 0.15) / 9,
            source="scikit-learn's example of calibration_curve: shares 0, 0.5, 1; means 0.2, 0.525, 0.85",
            settings={"bins": 3},
        ),
    ),
)
