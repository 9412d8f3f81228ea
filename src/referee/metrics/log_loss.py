from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines import Sums


def row_terms(
    truth: Sequence[Column], prediction: Sequence[Column], xp: Any, *, clip: float = 2.220446049250313e-16
) -> dict[str, Column]:
    of_true_class = sum(is_class * probability for is_class, probability in zip(truth, prediction, strict=True))
    return {"surprise": -xp.log(xp.maximum(of_true_class, clip))}


def value(sums: Sums) -> Array:
    return sums.mean("surprise")


metric = Metric(
    title="Log loss (mean cross entropy)",
    question="How surprising is what happened, if these probabilities are believed?",
    formula="- mean of log(probability given to the class that came true)",
    needs="probabilities",
    tasks=CLASSIFICATION,
    better="lower",
    range=(0, inf),
    value=value,
    carried_by="surprise",
    row_terms=row_terms,
    proper="strictly",
    depends_on_prevalence=True,
    blind_to="nothing in the probabilities, but one confident error can outweigh a thousand good rows",
    aliases=("mxe", "cross_entropy", "logarithmic_score"),
    related=("brier", "calibration_error", "roc_auc"),
    references=(
        "I. J. Good (1952). Rational decisions. Journal of the Royal Statistical Society, Series B 14, 107-114",
        "T. Gneiting and A. E. Raftery (2007). Strictly proper scoring rules, prediction, and estimation. Journal of "
        "the American Statistical Association 102, 359-378",
    ),
    parameters={
        "clip": Parameter("probabilities below this count as this; 0 gives the exact infinity", low=0, high=0.5)
    },
    examples=(
        Example(truth=[1], prediction=[0.01], value=-log(0.01), source="the article: about 4.6"),
        Example(truth=[1], prediction=[0.49], value=-log(0.49), source="the article: only 0.71"),
    ),
)
