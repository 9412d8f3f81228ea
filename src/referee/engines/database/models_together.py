"""What is asked of a database for all models at once, so that one query answers what each of them would ask."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.sums import centred
from referee.engines.memory.summary import Summary as SummaryOfRows
from referee.engines.summaries import Sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.engines.database.sums import Centred
    from referee.predictions import Model, Predictions
    from referee.scoring import Metric


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
