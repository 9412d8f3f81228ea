from __future__ import annotations

from typing import TYPE_CHECKING

from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Ranking


def value(ranking: Ranking) -> Array:
    return ranking.hits(ranking.P) / ranking.P


metric = Metric(
    title="Break-even point",
    question="How good are precision and recall where they are equal?",
    formula="positives among the P highest scores / P, P the number of positives; ties at the cut are shared",
    needs="scores",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is no positive row",
    blind_to="every other threshold, and the fact that in production the number of positives is unknown",
    aliases=("bep", "r_precision"),
    related=("precision", "recall", "f_beta", "average_precision"),
    references=(
        "T. Joachims (1998). Text categorization with support vector machines: learning with many relevant features. "
        "In ECML, 137-142",
        "R. Caruana and A. Niculescu-Mizil (2004). Data mining in metric space: an empirical analysis of supervised "
        "learning performance criteria. In KDD, 69-78",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 1, 0, 1, 0, 0, 1],
            prediction=[0.992, 0.964, 0.953, 0.931, 0.893, 0.875, 0.82, 0.793, 0.778, 0.742],
            value=4 / 6,
            source="the lecture's ROC table, sixth row: TP 4, FP 2, FN 2",
        ),
    ),
)
