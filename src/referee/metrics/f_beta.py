from __future__ import annotations

from typing import TYPE_CHECKING

from referee.catalogue import Parameter
from referee.scoring import CLASSIFICATION, Example, Metric

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.engines import Counts


def value(counts: Counts, *, beta: float = 1.0) -> Array:
    square = min(float(beta) * float(beta), 1e200)  # where it is recall long since
    hits = (1 + square) * counts.tp
    return hits / (hits + square * counts.fn + counts.fp)


metric = Metric(
    title="F-beta",
    question="How good is the balance of precision and recall at this threshold?",
    formula="(1 + {beta}²) x {precision} x {recall} / ({beta}² x {precision} + {recall}) = "
    "(1 + {beta}²) x {TP} / ((1 + {beta}²) x {TP} + {beta}² x {FN} + {FP}); with beta = 1, the harmonic mean of the "
    "two",
    needs="labels",
    tasks=CLASSIFICATION,
    better="higher",
    range=(0, 1),
    value=value,
    per_class=True,
    depends_on_prevalence=True,
    undefined_when="there is neither a positive row nor a row predicted positive",
    blind_to="true negatives, and every threshold except the one it was computed at",
    aliases=("f1", "f_measure", "f_score"),
    known_as="f1",
    related=("precision", "recall", "jaccard", "average_precision"),
    references=("C. J. van Rijsbergen (1979). Information Retrieval, 2nd edition. Butterworths, chapter 7",),
    parameters={"beta": Parameter("how many times as important recall is as precision", low=0, above=True)},
    examples=(
        Example(
            truth=[1, 1, 0, 1, 0, 0, 0, 1, 0, 0],
            prediction=[1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
            value=4 / 7,
            source="the lecture's model test: TP 2, FP 1, FN 2",
        ),
    ),
)
