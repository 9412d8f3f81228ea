from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import pairs_across
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    spread = pairs_across(counts.true, counts.true) * pairs_across(counts.predicted, counts.predicted)
    return (counts.beyond_chance / spread**0.5).clip(-1, 1)


metric = Metric(
    title="Matthews correlation coefficient",
    question="How strongly do decision and truth go together, all four cells counted?",
    formula="({TP} x {TN} - {FP} x {FN}) / sqrt(({TP} + {FP}) x ({TP} + {FN}) x "
    "({TN} + {FP}) x ({TN} + {FN})); Gorodkin's R_K for more classes",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(-1, 1),
    value=value,
    of_chance=0.0,
    cells_added=0.25,
    depends_on_prevalence=True,
    undefined_when="only one class is true, or only one is predicted",
    blind_to="what each kind of error costs",
    aliases=("matthews", "matthews_correlation", "matthews_corrcoef", "phi"),
    related=("kappa", "informedness", "f_beta", "balanced_accuracy"),
    references=(
        "B. W. Matthews (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme. "
        "Biochimica et Biophysica Acta 405, 442-451",
        "J. Gorodkin (2004). Comparing two K-category assignments by a K-category correlation coefficient. "
        "Computational Biology and Chemistry 28, 367-374",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=8 / 504**0.5,
            source="the lecture's model test, by hand: (2 x 5 - 1 x 2) / sqrt(3 x 4 x 6 x 7)",
        ),
    ),
)
