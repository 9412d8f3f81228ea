"""The .632 bootstrap: the out-of-bag score and the training score, mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.fitting import BAG_PARAMETERS, Scheme, SchemeExample, bags_with_training_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows, Split


def draw(rows: Rows, *, repeats: int = 200, training: str = "sample") -> Iterator[Split]:
    return bags_with_training_rows(rows, repeats, training)


scheme = Scheme(
    title=".632 bootstrap",
    question="How good is a learning procedure on small data, if the out-of-bag score is too low and the training "
    "score too high?",
    draws="a bootstrap sample is the training set, and the rows that it left out are the test set",
    draw=draw,
    combine="point_632",
    overlapping=True,
    with_replacement=True,
    weak_at="models that fit their training rows perfectly: the training score then says nothing, and the mix is too "
    "high; bootstrap_632_plus corrects for that",
    parameters=BAG_PARAMETERS,
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.4",
        "B. Efron (1983). Estimating the error rate of a prediction rule: improvement on cross-validation. Journal of "
        "the American Statistical Association 78, 316-331",
    ),
    examples=(
        SchemeExample(
            {"test": [0.8, 0.6], "train": [1.0, 0.9]},
            {"combined": 0.792},
            "by hand, the lecture's Acc(M): (0.632 x 0.8 + 0.368 x 1.0 + 0.632 x 0.6 + 0.368 x 0.9) / 2",
        ),
        SchemeExample(
            {"rows": 10_000},
            {"train_rows": [10_000, 10_000], "trained_share": 0.632, "tested_share": 0.368},
            "the lecture: about 63.2% end up in the training set, the remaining 36.8% form the test set",
            settings={"repeats": 20},
            within=0.002,
        ),
    ),
)
