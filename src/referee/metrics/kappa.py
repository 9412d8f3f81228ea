from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engines import pairs_across
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts) -> Array:
    return counts.beyond_chance / pairs_across(counts.true, counts.predicted)


metric = Metric(
    title="Cohen's kappa",
    question="How much of the agreement that chance leaves open does the model reach?",
    formula="({accuracy} - {chance:e}) / (1 - {chance:e}), e = sum over the classes of share true x share predicted",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(-1, 1),
    value=value,
    cells_added=0.25,
    depends_on_prevalence=True,
    undefined_when="all rows are of one class and predicted as that class",
    blind_to="which class the errors are in; with the same recall and specificity, kappa falls where a class is rarer",
    aliases=("cohen_kappa", "cohens_kappa"),
    related=("mcc", "accuracy", "informedness"),
    references=(
        "J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement "
        "20, 37-46",
    ),
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=8 / 23,
            source="the lecture's model test, by hand: (0.7 - 0.54) / (1 - 0.54)",
        ),
        Example(
            truth=[0] * 700 + [1] * 300,
            prediction=[0] * 605 + [1] * 95 + [0] * 151 + [1] * 149,
            value=0.38128772635814884,
            source="Weka 3.6.14: naive Bayes on credit-g",
        ),
    ),
)
