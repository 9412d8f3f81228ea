"""States: summaries that were made of rows earlier, and pairs of models that were summed together."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.memory.summary import Summary as SummaryOfRows
from referee.engines.protocol import SUMMARIES, RepeatedRows, WeightFacts
from referee.engines.state.pair_sums import pair_sums
from referee.engines.state.summary import Summary, why_lacking
from referee.errors import UndefinedError
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import CellSums, Facts, Model, Predictions, State, Units
    from referee.scoring import Metric

__all__ = [
    "constant",
    "counts_seen",
    "crossed",
    "decisions_of_pair",
    "facts",
    "fingerprint",
    "largest_sums",
    "losses",
    "mean_and_quantiles",
    "most_carried",
    "pair_sums",
    "prepare",
    "rank_sums",
    "repeated_rows",
    "rows_of_classes",
    "summarise",
    "units_alone",
    "weight_facts",
    "why_lacking",
]

TO_HAVE_ROWS = "give the rows that the state was made of"
ROWS_ARE = "are not in a state"
IN_BATCHES, SUMS_PAIRS, ANSWERS = False, True, False


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Any:
    """What is known of one model, or of one that says the same of every row."""
    assert by is None
    made: dict[Model, Any] = vars(predictions).setdefault(SUMMARIES, {})
    if model not in made:
        known = model.name in _state(predictions).names
        made[model] = Summary(predictions, model) if known else _of_constant(predictions, model)
    return made[model]


def _of_constant(predictions: Predictions, model: Model) -> SummaryOfRows:
    """One row of each class, seen as often as the class."""
    rows = rows_of_classes(predictions).astype(float)
    present = np.flatnonzero(rows)
    said = replace(
        model,
        class_scores=tuple(np.full(len(present), share) for share in model.class_scores or ()) or None,
        labels=np.full(len(present), model.labels),
    )
    few = replace(
        predictions, truth=present, models=(said,), engine="memory", row_count=None, weight=rows[present],
        weight_kind="frequency",
    )  # fmt: skip
    return SummaryOfRows(few, said, None)


def _state(predictions: Predictions) -> State:
    return predictions.truth  # type: ignore[return-value]


def facts(predictions: Predictions, model: Model) -> Facts:
    return replace(_state(predictions).facts[model.name], lacking=partial(why_lacking, predictions))


def rows_of_classes(predictions: Predictions) -> Array:
    known = next(model for model in predictions.models if model.name in _state(predictions).names)
    return np.asarray(Summary(predictions, known).class_weights[0])


def counts_seen(predictions: Predictions, model: Model) -> Array:
    """The confusion matrix."""
    return np.asarray(summarise(predictions, model).counts.matrix[0])


def decisions_of_pair(predictions: Predictions, a: Model, b: Model) -> Array:
    """True classes, the decisions of two models, and how many rows have them: (4, cell)."""
    state, names = _state(predictions), _state(predictions).names
    cells: CellSums = state.tables[_pair("labels", predictions, a.name, b.name)]  # type: ignore[assignment]
    truth, *decided = np.unravel_index(cells.keys, (len(predictions.classes),) * 3)
    first, second = decided if names.index(a.name) < names.index(b.name) else reversed(decided)
    return np.stack([truth, first, second, cells.sums[:, 0]])


def _pair(table: str, predictions: Predictions, *names: str) -> str:
    places = sorted(_state(predictions).names.index(name) for name in names)
    return f"{table}/{places[0]}/{places[-1]}"


def prepare(predictions: Predictions, metrics: Sequence[Metric]) -> None:
    """Nothing has to be asked."""


def weight_facts(predictions: Predictions) -> WeightFacts:
    """Every row of a state counts once."""
    rows = predictions.rows
    return WeightFacts(rows, float(rows), float(rows), 1.0, 1.0)


def repeated_rows(predictions: Predictions, columns: Sequence[Any], least: int) -> RepeatedRows:  # noqa: ARG001
    """None: a state has no rows."""
    return RepeatedRows(0)


def constant(predictions: Predictions, value: float) -> Any:  # noqa: ARG001 (one protocol)
    return value


def crossed(several: Sequence[Units]) -> None:
    """No units: a state has none."""
    assert not several


def rank_sums(summary: Any) -> Iterator[Any]:  # noqa: ARG001 (one protocol)
    """None: a state has no units."""
    yield from ()


def units_alone(predictions: Predictions, model: Model, units: Units) -> Iterator[None]:  # noqa: ARG001
    yield from (None for _ in units.names)


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:  # noqa: ARG001
    raise UndefinedError("E_STATE", "what guessing a number is worth depends on the rows, and a state has none")


def fingerprint(predictions: Predictions) -> str:
    return _state(predictions).fingerprint


@dataclass(frozen=True)
class Losses:
    """What one model's rows lose, or the difference of two."""

    key: str
    names: tuple[str, ...]

    def __sub__(self, other: Losses) -> Losses:
        return Losses(self.key, (*self.names, *other.names))


def losses(predictions: Predictions, metric: Metric) -> list[tuple[Losses, float]]:
    """Of each model the sizes of its losses, and what they add up to."""
    key, carried = _state(predictions).about["sums"][metric.full_name]["key"], str(metric.carried_by)
    every = [summarise(predictions, model) for model in predictions.models]
    totals = [float(summary.sums(metric).mean(carried)[0]) * predictions.rows for summary in every]
    return [(Losses(key, (name,)), total) for name, total in zip(predictions.names, totals, strict=True)]


def most_carried(predictions: Predictions, metric: Metric, name: str) -> float:  # noqa: ARG001 (one protocol)
    """Nobody needs it: the shares themselves are at hand."""
    return inf


def largest_sums(predictions: Predictions, columns: Sequence[Losses], largest: int) -> list[float]:
    """Of each column what its largest rows add up to, to 0.1%: rows of the last size count by their mean."""
    return [
        _largest(_state(predictions).tables[_pair(f"tails/{each.key}", predictions, *each.names)], largest)
        for each in columns
    ]


def _largest(cells: Any, largest: int) -> float:
    rows, sums = cells.sums[::-1].T
    above = np.cumsum(rows) - rows
    return float((sums * np.clip((largest - above) / rows, 0.0, 1.0)).sum())
