from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import Parameter
from referee.scoring import MULTICLASS, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts

POWERS = {"linear": 1, "quadratic": 2}


def value(counts: Counts, *, weights: str = "quadratic") -> Array:
    place = np.arange(counts.matrix.shape[1])
    far = np.abs(place[:, None] - place).astype(float) ** POWERS[weights]
    by_chance = (counts.true * (counts.predicted @ far)).sum(axis=1)
    return 1 - (counts.matrix * far).sum(axis=(1, 2)) * counts.total / by_chance


metric = Metric(
    title="Weighted kappa",
    question="How far beyond chance does the model agree with ordered classes, with near misses as half right?",
    formula="1 - sum of w x rows / sum of w x rows expected by chance; w = |places apart| (linear) or its square "
    "(quadratic), in the order of the classes",
    needs="labels",
    tasks=MULTICLASS,
    better="higher",
    range=(-1, 1),
    value=value,
    ordinal=True,
    depends_on_prevalence=True,
    undefined_when="all rows are of one class and predicted as that class",
    blind_to="how far apart two neighbouring classes really are: every step counts the same. It falls where one "
    "class dominates, even if as many decisions are right",
    aliases=("quadratic_weighted_kappa", "qwk"),
    related=("kappa", "accuracy", "mae"),
    references=(
        "J. Cohen (1968). Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial "
        "credit. Psychological Bulletin 70, 213-220",
        "J. L. Fleiss and J. Cohen (1973). The equivalence of weighted kappa and the intraclass correlation "
        "coefficient as measures of reliability. Educational and Psychological Measurement 33, 613-619",
    ),
    parameters={
        "weights": Parameter("how much a decision that is several places off counts", choices=tuple(POWERS)),
    },
    examples=(
        Example(
            truth=[1, 1, 2, 2, 3, 3],
            prediction=[1, 2, 2, 3, 3, 1],
            value=1 - 6 * 6 / 48,
            source="by hand: 1 + 1 + 4 seen, 48 / 6 by chance",
        ),
        Example(
            truth=[1, 1, 2, 2, 3, 3],
            prediction=[1, 2, 2, 3, 3, 1],
            value=1 - 4 * 6 / 32,
            source="by hand: 1 + 1 + 2 seen, 32 / 6 by chance",
            settings={"weights": "linear"},
        ),
    ),
)
