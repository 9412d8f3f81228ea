from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking) -> Array:
    return ranking.max(lambda at: abs(at.tp / at.P - at.fp / at.N))


metric = Metric(
    title="KS, Kolmogorov-Smirnov distance",
    question="How far apart are the scores of positives and negatives at the best threshold?",
    formula="|{tpr_at_gap:TPR} - {fpr_at_gap:FPR}|, the largest over all thresholds",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="only one class is present",
    blind_to="the direction, as it is a distance: scores that put every negative first also have KS 1; and every "
    "threshold except the best, which is chosen on the same rows that it is evaluated on",
    aliases=("kolmogorov_smirnov", "ks_statistic"),
    related=("roc_auc", "informedness", "lift"),
    references=(
        "N. Smirnov (1948). Table for estimating the goodness of fit of empirical distributions. Annals of "
        "Mathematical Statistics 19, 279-281",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=4 / 6 - 1 / 4,
            source="the lecture's ROC table, fifth row: TPR 0.67, FPR 0.25",
        ),
    ),
)
