"""What is asked of a database for all models at once, so that one query answers what each of them would ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.sums import centred
from referee.engines.memory.summary import Summary as SummaryOfRows
from referee.engines.protocol import PairSums
from referee.engines.summaries import Counts, Sums
from referee.predictions import fetch, table_of
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines.database.sums import Centred
    from referee.predictions import Model, Predictions
    from referee.scoring import Metric

MOST_CELLS = 1 << 12
"""Of decisions of all models and the truth; of more, the models are counted one by one."""
JOINT_LABELS = "_joint_labels"


@dataclass(frozen=True, eq=False)
class JointLabels:
    """How many rows have each true class together with each decision of every model."""

    names: tuple[str, ...]
    truth: Array
    labels: Array
    """(model, cell)"""
    rows: Array

    def matrix(self, name: str, classes: int) -> Array:
        """The confusion matrix of a model."""
        places = self.truth * classes + self.labels[self.names.index(name)]
        return np.bincount(places, self.rows, classes * classes).astype(np.int64).reshape(1, classes, classes)


def joint_labels(predictions: Predictions, columns: Sequence[Any]) -> JointLabels | None:
    """Count all models together; None where rows have weights or cells are many."""
    classes = len(predictions.classes)
    if predictions.weight is not None or classes ** (len(columns) + 1) > MOST_CELLS:
        return None
    named = {f"label{place}": column for place, column in enumerate(columns)}
    rows = table_of(predictions.truth).select(truth=predictions.truth, **named)
    cells = fetch(rows.group_by("truth", *named).aggregate(rows=rows.count()))
    labels = np.stack([cells[name] for name in named]).astype(np.int64)
    return JointLabels(predictions.names, cells["truth"].astype(np.int64), labels, cells["rows"].astype(float))


def count_together(predictions: Predictions, every: Sequence[Any]) -> None:
    """Let the summaries of all models know their counts; once."""
    if not predictions.classes or JOINT_LABELS in vars(predictions):
        return
    joint = joint_labels(predictions, [summary.rows.labels for summary in every])
    vars(predictions)[JOINT_LABELS] = joint
    if joint is None:
        return
    for summary in every:
        matrix = joint.matrix(summary.rows.model.name, len(predictions.classes))
        vars(summary).setdefault("counts", Counts(matrix))


def sum_together(every: Sequence[Any], metrics: Sequence[Metric]) -> None:
    """Let the summaries of all models know the sums of the metrics' row terms."""
    summed = [m for m in metrics if m.summaries == ("sums",) and not any(s.baseline.used_by(m) for s in every)]
    batch = {
        (summary, metric.full_name): metric
        for summary in every
        for metric in summed
        if metric.full_name not in summary.known_sums and summary.rows.gives(metric.needs)
    }
    for (summary, name), sums in (sums_together(batch) if batch else {}).items():
        summary.known_sums[name] = sums


def sums_together(batch: dict[tuple[Any, str], Metric]) -> dict[tuple[Any, str], Sums]:
    """Of some metrics of one model or of several, in one query."""
    first = next(iter(batch))[0]
    terms_of = {key: key[0].rows.row_terms(metric, key[0].baseline) for key, metric in batch.items()}
    place: dict[Any, int] = {}  # metrics share terms
    for terms in terms_of.values():
        for term in terms.values():
            place.setdefault(term.op(), len(place))
    places = {key: [place[term.op()] for term in terms.values()] for key, terms in terms_of.items()}
    pairs = {(i, j) for at in places.values() for i in at for j in at if i >= j}
    terms_ = [term.to_expr() for term in place]
    summary = centred(first.table, first.unit_codes, first.units, first.rows.unit_weight, terms_, pairs)
    return {key: _chosen(summary, tuple(terms), places[key]) for key, terms in terms_of.items()}


def _chosen(summary: Centred, names: tuple[str, ...], at: list[int]) -> Sums:
    moments = np.empty((len(summary.weight), len(at), len(at)))
    for row, i in enumerate(at):
        for column, j in enumerate(at):
            moments[:, row, column] = summary.moments[max(i, j), min(i, j)]
    return Sums(names, summary.weight, summary.means[:, at], moments)


def pair_sums_of_labels(joint: JointLabels, influences: Sequence[Any], classes: int) -> PairSums:
    """Of influences that depend on the true class and the decision alone."""
    changes = np.stack(
        [
            table[joint.truth * classes + joint.labels[joint.names.index(influence.summary.rows.model.name)]]
            for influence in influences
            for table in influence.tables.values()
        ]
    )
    apart = changes[:, None] - changes

    def by_class(numbers: Array) -> Array:
        """Sums over the cells of each true class, which comes first."""
        weighed = numbers * joint.rows
        return np.stack([weighed[..., joint.truth == code].sum(axis=-1) for code in range(classes)])

    own = np.arange(len(changes))
    powers = np.moveaxis(np.stack([by_class(changes**power) for power in (1, 2, 3, 4)]), 0, 2)
    products, squares, fourths = by_class(changes[:, None] * changes), by_class(apart**2), by_class(apart**4)
    squares[:, own, own], fourths[:, own, own] = powers[:, :, 1], powers[:, :, 3]
    return PairSums(
        products.sum(axis=0, keepdims=True), squares.sum(axis=0, keepdims=True), fourths.sum(axis=0), powers
    )


def is_by_labels(influence: Any) -> bool:
    """Whether it depends on the true class and the decision alone."""
    return [*influence.tables] == [influence.summary.label_cells] and not influence.terms


def is_constant(model: Model) -> bool:
    """Whether it says the same of every row, as guessing does."""
    columns: list[Any] = model.given_columns()
    return all(not column.op().relations for column in columns)


def summary_of_constant(predictions: Predictions, model: Model, rows: Array) -> SummaryOfRows:
    """One row of each class, seen as often as the class: nothing is asked."""
    present = np.flatnonzero(rows)

    def column(constant: Any) -> Array:
        written = constant.op()
        while not hasattr(written, "value"):  # a cast of it
            written = written.arg
        return np.full(len(present), written.value if isinstance(written.value, int) else float(written.value))

    said = replace(
        model, class_scores=tuple(map(column, model.class_scores or ())) or None,
        labels=None if model.labels is None else column(model.labels),
    )  # fmt: skip
    few = replace(
        predictions, truth=present, models=(said,), engine="memory", row_count=None, weight=rows[present].astype(float),
        weight_kind="frequency", slices={},
    )  # fmt: skip
    return SummaryOfRows(few, said, None)
