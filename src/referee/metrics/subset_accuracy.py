from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.scoring import MULTILABEL, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Sums


def row_terms(truth: Sequence[Array], prediction: Sequence[Array]) -> dict[str, Array]:
    right = [label == decided for label, decided in zip(truth, prediction, strict=True)]
    return {"exact": np.all(right, axis=0) * 1.0}


def value(sums: Sums) -> Array:
    return sums.mean("exact")


metric = Metric(
    title="Subset accuracy",
    question="How often are all labels of a row right?",
    formula="rows of which every label is right / all rows",
    needs="labels",
    tasks=MULTILABEL,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    blind_to="how many labels of a row are wrong, once one is; the more labels there are, the lower it is",
    aliases=("exact_match_ratio", "exact_match"),
    related=("hamming_loss", "multilabel_f1", "accuracy"),
    references=(
        "M. L. Zhang and Z. H. Zhou (2014). A review on multi-label learning algorithms. IEEE Transactions on "
        "Knowledge and Data Engineering 26, 1819-1837",
    ),
    examples=(
        Example(
            truth=[[0, 1], [1, 1]],
            prediction=[[1, 1], [1, 1]],
            value=0.5,
            source="scikit-learn's example of accuracy_score with label indicators",
        ),
    ),
)
