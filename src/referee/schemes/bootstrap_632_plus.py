"""The .632+ bootstrap: the mix of scores hangs on how much a model overfits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.fitting import BAG_PARAMETERS, Scheme, SchemeExample, bags_with_training_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows, Split


def draw(rows: Rows, *, repeats: int = 200, training: str = "sample") -> Iterator[Split]:
    return bags_with_training_rows(rows, repeats, training)


scheme = Scheme(
    title=".632+ bootstrap",
    question="How good is a learning procedure on small data, if it may have fitted its training rows perfectly?",
    draws="a bootstrap sample is the training set, and the rows that it left out are the test set",
    draw=draw,
    combine="point_632_plus",
    overlapping=True,
    with_replacement=True,
    weak_at="it needs the score of uninformative predictions: every truth paired with every prediction",
    parameters=BAG_PARAMETERS,
    references=(
        "B. Efron and R. Tibshirani (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of "
        "the American Statistical Association 92, 548-560. Equations 28 to 32",
    ),
    examples=(
        SchemeExample(
            {"test": [0.6], "train": [1.0], "no_information": [0.5]},
            {"combined": 0.6417233560090703},
            "by hand: R = 0.4 / 0.5, error = 0.632 x 0.4 / (1 - 0.368 R) = 0.2528 / 0.7056",
        ),
        SchemeExample(
            {"test": [0.5], "train": [1.0], "no_information": [0.5]},
            {"combined": 0.5},
            "Efron and Tibshirani: where nothing was learned, R = 1 and the test score counts alone",
        ),
    ),
)
