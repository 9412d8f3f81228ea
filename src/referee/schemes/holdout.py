"""Holdout: one training set and one test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, Split, parted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows


def draw(rows: Rows, *, test: float = 1 / 3) -> Iterator[Split]:
    yield Split(*parted(rows.strata, test, rows.random(1)))


scheme = Scheme(
    title="Holdout",
    question="How good are models that were fitted on part of the rows, on the rest?",
    draws="rows are drawn at random for the test set, stratified by class; the others are the training set",
    draw=draw,
    combine="mean",
    overlapping=False,
    stratified=True,
    weak_at="small data: the score depends on which rows were drawn, and says nothing about other training sets",
    parameters={"test": Parameter("share of the rows to test on", low=0.01, high=0.99)},
    references=(
        "J. Han, M. Kamber and J. Pei (2012). Data Mining: Concepts and Techniques, 3rd edition. Morgan Kaufmann, "
        "section 8.5.2",
    ),
    examples=(
        SchemeExample(
            {"rows": 300},
            {"splits": 1, "train_rows": [200, 200], "test_rows": [100, 100]},
            "the lecture: 2/3 for model construction, 1/3 for accuracy estimation",
        ),
    ),
)
