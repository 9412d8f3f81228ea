"""Random subsampling: the holdout method, repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, Split, parted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows, *, splits: int = 30, test: float = 1 / 3) -> Iterator[Split]:
    for repeat in range(1, splits + 1):
        yield Split(*parted(rows.strata, test, rows.random(repeat)), repeat=repeat)


scheme = Scheme(
    title="Random subsampling",
    question="How good is a learning procedure at this training size, over many training sets?",
    draws="the holdout method, repeated: each time, other rows are drawn for the test set, stratified by class",
    draw=draw,
    combine="mean",
    overlapping=True,
    stratified=True,
    weak_at="the training sets share most of their rows: only a test that corrects for this is valid",
    aliases=("repeated_holdout", "monte_carlo"),
    parameters={
        "splits": Parameter("how often the rows are split", low=1, high=1_000_000, whole=True),
        "test": Parameter("share of the rows to test on", low=0.01, high=0.99),
    },
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.2",
        "C. Nadeau and Y. Bengio (2003). Inference for the generalization error. Machine Learning 52, 239-281",
    ),
    examples=(
        SchemeExample(
            {"rows": 286},
            {"splits": 30, "train_rows": [191, 191], "test_rows": [95, 95]},
            "by hand: 286 / 3 = 95.3",
        ),
    ),
)
