from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking) -> Array:
    # Twice the number of ordered pairs, ties one half: whole numbers as long as the rows have no weights.
    ordered = ranking.sum(lambda at: at.negatives * (2 * at.tp_above + at.positives))
    return ordered / (2 * ranking.P * ranking.N)


metric = Metric(
    title="ROC AUC, area under the ROC curve",
    question="How often is a random positive scored above a random negative?",
    formula="({ordered_pairs:pairs in the right order} + {tied_pairs} / 2) / ({positives} x {negatives})",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=False,
    undefined_when="only one class is present",
    blind_to="calibration and the threshold: any increasing map of the scores has the same area",
    aliases=("auc", "auroc", "roc_area", "roc_auc_ovr"),
    related=("average_precision", "hand_till", "ks", "log_loss"),
    references=(
        "D. J. Hand and R. J. Till (2001). A simple generalisation of the area under the ROC curve for multiple class "
        "classification problems. Machine Learning 45, 171-186",
        "J. A. Hanley and B. J. McNeil (1982). The meaning and use of the area under a receiver operating "
        "characteristic (ROC) curve. Radiology 143, 29-36",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=16 / 24,
            source="the lecture's ROC table: 16 of the 24 pairs are in order",
        ),
    ),
)
