"""Bootstrap, out of bag: train on a sample drawn with replacement, test on what it left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, bags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows, Split


def draw(rows: Rows, *, repeats: int = 200) -> Iterator[Split]:
    return bags(rows, repeats)


scheme = Scheme(
    title="Bootstrap, out of bag",
    question="How good is a learning procedure on small data, tested on the rows that a bootstrap sample left out?",
    draws="as many rows as there are, drawn with replacement, are the training set: about 63.2% of the rows, some of "
    "them several times; the other 36.8% are the test set",
    draw=draw,
    combine="mean",
    overlapping=True,
    with_replacement=True,
    weak_at="it is pessimistic: models learn from only 63.2% of the rows; bootstrap_632 corrects for that",
    aliases=("out_of_bag",),
    parameters={"repeats": Parameter("number of bootstrap samples", low=1, high=1_000_000, whole=True)},
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.4",
        "B. Efron (1983). Estimating the error rate of a prediction rule: improvement on cross-validation. Journal of "
        "the American Statistical Association 78, 316-331",
    ),
    examples=(
        SchemeExample(
            {"rows": 10_000},
            {"train_rows": [10_000, 10_000], "trained_share": 0.632, "tested_share": 0.368},
            "the lecture: (1 - 1/d)^d is about 0.368 for a large d",
            settings={"repeats": 20},
            within=0.002,
        ),
    ),
)
