"""Nested: splits inside the training rows of each split, for models that are tuned."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.fitting import Scheme, SchemeExample, schemes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.fitting import Rows, Split


def draw(rows: Rows, *, outer: str = "k_fold(k=5)", inner: str = "k_fold(k=5)") -> Iterator[Split]:
    inside = schemes[inner]
    for split in schemes[outer].splits_of(rows):
        of_training_rows = inside.splits_of(rows.within(split))
        yield replace(split, inner=tuple(within.moved(split.train.__getitem__) for within in of_training_rows))


scheme = Scheme(
    title="Nested splits",
    question="How good is a learning procedure together with the tuning or selection that belongs to it?",
    draws="the outer scheme splits all rows; its training rows are split again by the inner scheme, to choose "
    "between candidates; the outer test rows play no part in the choice",
    draw=draw,
    combine="pooled",
    overlapping=True,
    tests_every_row=True,
    decided_by="outer",
    keeps_groups=True,
    weak_at="time: outer splits x inner splits x candidates are fitted",
    parameters={
        "outer": Parameter("the scheme that tests: nested(outer=random_subsampling(splits=30))", names="scheme"),
        "inner": Parameter(
            "the scheme that splits the training rows: nested(inner=stratified_k_fold(k=3))", names="scheme"
        ),
    },
    references=(
        "S. Varma and R. Simon (2006). Bias in error estimation when using cross-validation for model selection. BMC "
        "Bioinformatics 7, 91",
    ),
    examples=(
        SchemeExample(
            {"rows": 20},
            {"splits": 5, "train_rows": [16, 16], "test_rows": [4, 4], "inner_splits": [4, 4]},
            "by hand: 5 outer splits of 16 and 4 rows, in each 4 inner ones of 12 and 4",
            settings={"inner": "k_fold(k=4)"},
        ),
    ),
)
