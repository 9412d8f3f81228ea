"""Naive Bayes: attributes are taken as independent within each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.fitting import CLASSIFICATION, Learner, category_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.fitting import Feature


def make(features: Sequence[Feature], *, attributes: int | None = None, laplace: float = 1.0) -> Any:
    from referee.fitting.estimators.naive_bayes import MixedNaiveBayes

    if attributes is not None and attributes > len(features):
        raise UsageError(
            "E_PARAMETER", f"naive_bayes(attributes={attributes}): the data have only {len(features)} attributes"
        )
    first = None if attributes is None else int(attributes)
    return MixedNaiveBayes(categories=category_sizes(features), attributes=first, laplace=laplace)


learner = Learner(
    title="Naive Bayes",
    what="Multiplies what each attribute says about the class: a normal density for numbers, Laplace's frequencies for "
    "categories; missing values are skipped.",
    tasks=CLASSIFICATION,
    make=make,
    parameters={
        "attributes": Parameter("use only the first so many attributes", 1, whole=True),
        "laplace": Parameter("how many rows are added to each category", 0, above=True),
    },
    references=(
        "G. H. John and P. Langley (1995). Estimating continuous distributions in Bayesian classifiers. In UAI, "
        "338-345",
    ),
)
