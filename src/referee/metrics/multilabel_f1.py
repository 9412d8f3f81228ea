from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines import nonzero
from referee.scoring import MULTILABEL, Example, Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines import Sums


def row_terms(truth: Sequence[Array], prediction: Sequence[Array]) -> dict[str, Array]:
    terms: dict[str, Array] = {}
    for place, (label, decided) in enumerate(zip(truth, prediction, strict=True)):
        terms |= {f"hit {place}": label * decided, f"true {place}": label * 1.0, f"called {place}": decided * 1.0}
    return terms


def value(sums: Sums, *, average: str | None = "macro") -> Array:
    labels = range(len(sums.terms) // 3)
    hits, true, called = (
        np.stack([sums.mean(f"{kind} {label}") for label in labels], axis=1) for kind in ("hit", "true", "called")
    )
    if average == "micro":
        return 2 * hits.sum(axis=1) / nonzero((true + called).sum(axis=1))
    each = 2 * hits / nonzero(true + called)
    return (each * true).sum(axis=1) / nonzero(true.sum(axis=1)) if average == "weighted" else each.mean(axis=1)


metric = Metric(
    title="F1 over labels",
    question="How good are precision and recall of the labels together?",
    formula="2 hits / (rows with the label + rows it is given to), as the mean over labels (macro), weighted by their "
    "rows (weighted), or with all decisions pooled (micro)",
    needs="labels",
    tasks=MULTILABEL,
    better="higher",
    range=(0, 1),
    value=value,
    row_terms=row_terms,
    undefined_when="no row has the label, and none is given it",
    blind_to="labels that are correctly not given. Macro lets a rare label count as much as a frequent one; micro "
    "hardly "
    "sees it",
    aliases=("f1_labels", "multi_label_f1"),
    related=("hamming_loss", "subset_accuracy", "f_beta"),
    references=(
        "M. Sokolova and G. Lapalme (2009). A systematic analysis of performance measures for classification tasks. "
        "Information Processing and Management 45, 427-437",
    ),
    examples=(
        Example(
            truth=[[0, 0, 0], [1, 1, 1], [0, 1, 1]],
            prediction=[[0, 0, 0], [1, 1, 1], [1, 1, 0]],
            value=(2 / 3 + 1 + 2 / 3) / 3,
            source="scikit-learn's example of f1_score with label indicators: 0.66666667, 1, 0.66666667",
        ),
        Example(
            truth=[[0, 0, 0], [1, 1, 1], [0, 1, 1]],
            prediction=[[0, 0, 0], [1, 1, 1], [1, 1, 0]],
            value=2 * 4 / (5 + 5),
            source="by hand",
            settings={"average": "micro"},
        ),
    ),
)
