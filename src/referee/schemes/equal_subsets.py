"""Equal subsets: one small training set; holdout and test rows dealt out into equal stratified subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.document import counted
from referee.errors import UndefinedError, UsageError
from referee.fitting import Scheme, SchemeExample, Split, dealt, parted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from referee.arrays import Array
    from referee.fitting import Rows


def draw(
    rows: Rows, *, train: float = 0.1, holdout: float = 0.45, subsets: int = 50, repeats: int = 1
) -> Iterator[Split]:
    if train + holdout >= 1:
        raise UsageError("E_PARAMETER", f"train={train:g} and holdout={holdout:g} leave no row to test on")
    for repeat in range(1, repeats + 1):
        random = rows.random(repeat)
        others, trained = parted(rows.strata, train, random)
        parts = {"test": others}
        if holdout:
            tested, held_out = parted(rows.strata[others], holdout / (1 - train), random)
            parts = {"holdout": others[held_out], "test": others[tested]}
        by_purpose = {purpose: _subsets(part, rows, subsets, random) for purpose, part in parts.items()}
        yield Split(trained, others, repeat, subsets=by_purpose)


def _subsets(part: Array, rows: Rows, subsets: int, random: np.random.RandomState) -> tuple[Array, ...]:
    if len(part) < subsets:
        raise UndefinedError(
            "E_SUBSETS",
            f"{counted(len(part), rows.what)} cannot be divided into {subsets:,} subsets",
            hint=f"use at most {len(part):,} subsets, or a smaller training set",
        )
    return tuple(part[places] for places in dealt(rows.strata[part], subsets, random))


scheme = Scheme(
    title="Equal subsets",
    question="Which of these fitted models is better, and does selecting by another metric find it?",
    draws="rows are drawn at random for the training set, then for the holdout set, stratified by class; the others "
    "are the test set; holdout and test rows are each divided into equal subsets, which are the units of a "
    "comparison: subsets['holdout'] to select by, subsets['test'] to see which model is better",
    draw=draw,
    combine="mean",
    overlapping=False,
    stratified=True,
    weak_at="it has less power than comparing rows, is biased for F, MCC and precision on small subsets, and "
    "dividing the rows again reverses 7 to 39% of close verdicts",
    parameters={
        "train": Parameter("share of the rows to train on", low=0.01, high=0.99),
        "holdout": Parameter("share of the rows to select models on; 0: none", low=0, high=0.98),
        "subsets": Parameter(
            "number of subsets of the holdout rows, and of the test rows", low=2, high=1_000_000, whole=True
        ),
        "repeats": Parameter("how often all of this is done", low=1, high=1_000_000, whole=True),
    },
    references=(
        "J. Huang, C. X. Ling, H. Zhang and S. Matwin (2008). Proper model selection with significance test. In ECML "
        "PKDD, 536-547. Section 3.2: 10% training, 45% holdout and 45% test set, 50 subsets each, 100 times",
        "S. Rosset (2004). Model selection via the AUC. In ICML. 10% training and 90% test set, 100 subsets",
    ),
    examples=(
        SchemeExample(
            {"rows": 1000},
            {"splits": 1, "train_rows": [100, 100], "test_rows": [900, 900]}
            | {"subsets": {"holdout": 50, "test": 50}, "subset_rows": [9, 9]},
            "by hand, the paper's shares: 100 training rows, and 50 subsets of 450 holdout and 450 test rows",
        ),
        SchemeExample(
            {"rows": 1000},
            {"train_rows": [100, 100], "subsets": {"test": 100}, "subset_rows": [9, 9]},
            "by hand, Rosset's shares: 100 training rows, and 100 subsets of 900 test rows",
            settings={"holdout": 0, "subsets": 100},
        ),
    ),
)
