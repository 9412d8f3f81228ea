"""Naive Bayes: attributes are taken as independent within each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.catalogue import Parameter
from referee.errors import UsageError
from referee.fitting import CLASSIFICATION, Complexity, Learner, category_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.fitting import Feature


def make(
    features: Sequence[Feature], *, like: str = "normal", attributes: int | None = None, laplace: float = 1.0
) -> Any:
    from referee.fitting.estimators.naive_bayes import MixedNaiveBayes, WekaNaiveBayes

    if attributes is not None and attributes > len(features):
        raise UsageError(
            "E_PARAMETER", f"naive_bayes(attributes={attributes}): the data have only {len(features)} attributes"
        )
    first = None if attributes is None else int(attributes)
    kind = WekaNaiveBayes if like == "weka" else MixedNaiveBayes
    return kind(categories=category_sizes(features), attributes=first, laplace=laplace)


def parameters(model: Any, rows: Array) -> float:
    """Of each class a share, a mean and a variance of each number, and the shares of all categories but one."""
    if hasattr(model, "theta_"):
        numeric, categories = rows.shape[1], []
    else:
        numeric = len(getattr(model, "numeric_", ()))
        tables = model.category_log_prob_ if hasattr(model, "numeric_") else [t.T for t in model.feature_log_prob_]
        categories = [len(table) - 1 for table in tables]
    classes = len(model.classes_)
    return float(classes - 1 + classes * (2 * numeric + sum(categories)))


learner = Learner(
    title="Naive Bayes",
    what="Multiplies what each attribute says about the class: a normal density for numbers, Laplace's frequencies for "
    "categories; missing values are skipped.",
    tasks=CLASSIFICATION,
    make=make,
    complexity=(
        Complexity(("MixedNaiveBayes", "WekaNaiveBayes", "GaussianNB", "CategoricalNB"), parameters=parameters),
    ),
    parameters={
        "like": Parameter(
            "normal densities (normal), or Weka's probabilities of intervals, as wide as the mean gap between the "
            "values of a column, and one more row of each class (weka)",
            choices=("normal", "weka"),
        ),
        "attributes": Parameter("use only this many attributes, the first ones", 1, whole=True),
        "laplace": Parameter("number of rows added to each category", 0, above=True),
    },
    references=(
        "G. H. John and P. Langley (1995). Estimating continuous distributions in Bayesian classifiers. In UAI, "
        "338-345",
    ),
)
