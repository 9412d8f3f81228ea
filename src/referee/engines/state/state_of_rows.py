"""The state of rows: all that is counted and summed of them, block by block."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import largest
from referee.engines.memory.baseline import Baseline
from referee.engines.memory.rows import Rows
from referee.engines.protocol import engine_of
from referee.errors import InputError
from referee.predictions import CellSums, JointBins, State, TermMoments, bins_of, facts_of_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.predictions import Model, Predictions
    from referee.scoring import Metric

EXTREME = 2.0**-62
"""The sixteenth powers of sizes from here to its reciprocal are numbers, and so are sums of a thousand million."""
BLOCK = 1 << 17
"""Rows that are looked at together."""
TAIL_SHIFT = np.uint64(42)
"""Losses are alike that have the same exponent and the same first ten bits: within 0.1%."""


def state_of(predictions: Predictions, metrics: Sequence[Metric]) -> State:
    """Of predictions in memory or on a stream; `metrics` are those whose row terms are summed."""
    made: _Blocks | None = None
    for piece in _pieces(predictions):
        made = _Blocks(predictions, piece, metrics) if made is None else made
        made.add(piece)
    assert made is not None
    return made.state()


def _pieces(predictions: Predictions) -> Iterator[Predictions]:
    if predictions.has_rows:
        for start in range(0, predictions.rows, BLOCK):
            yield predictions.part(slice(start, start + BLOCK))
        return
    yield from predictions.truth.layout.pieces(predictions.names)  # type: ignore[attr-defined]


class _Blocks:
    """What has been summed so far."""

    def __init__(self, whole: Predictions, first: Predictions, metrics: Sequence[Metric]) -> None:
        self.whole = whole
        self.tables: dict[str, list[Any]] = {}
        self.facts: dict[str, list[Any]] = {name: [] for name in whole.names}
        self.sums, self.chosen = _sums_of(_rows(first)[0], metrics)
        self.sizes: dict[str, float] = {}
        self.centres: dict[tuple[str, int], Array] = {}

    def add(self, piece: Predictions) -> None:
        rows = _rows(piece)
        if piece.task == "regression":
            self._measure(piece)
        for each in rows:
            self.facts[each.model.name].append(facts_of_arrays(piece, each.model, ties=False))
        if piece.classes:
            self._count(piece, rows)
        if piece.positive is not None and len(piece.classes) == 2:
            self._bin(piece, rows)
        for key, metric in self.chosen.items():
            self._sum(key, metric, piece, rows)

    def _put(self, name: str, table: Any) -> None:
        """Tables of single blocks are merged when there are several, so that large ones are not gone through often."""
        waiting = self.tables.setdefault(name, [])
        waiting.append(table)
        if len(waiting) > 8:
            self.tables[name] = [reduce(lambda a, b: a.merge(b), waiting)]

    def _measure(self, piece: Predictions) -> None:
        columns = {name: model.given_columns() for name, model in zip(piece.names, piece.models, strict=True)}
        for name, given in {str(piece.truth_column): [piece.truth], **columns}.items():
            self.sizes[name] = max(self.sizes.get(name, 0.0), *map(largest, given))

    def _refuse_extremes(self) -> None:
        """Sums of powers would be infinite, or nothing."""
        name, size = max(self.sizes.items(), key=lambda each: each[1], default=("", 1.0))
        if size > 1 / EXTREME or 0 < size < EXTREME:
            raise InputError(
                "E_STATE",
                f"{self.whole.source or 'the rows'}: numbers of up to {size:.3g}, in column {name!r}, are too "
                f"{'large' if size > 1 else 'small'} for a state, which adds up their sixteenth powers",
                hint="give the truth and the predictions in another unit, or compare the rows themselves",
            )

    def _count(self, piece: Predictions, rows: list[Rows]) -> None:
        classes, ones = np.int64(len(piece.classes)), np.ones((piece.rows, 1), np.int64)
        labels = [np.asarray(each.labels, np.int64) for each in rows]
        for i, j in pairs(len(rows)):
            self._put(f"labels/{i}/{j}", CellSums.of((piece.truth * classes + labels[i]) * classes + labels[j], ones))

    def _bin(self, piece: Predictions, rows: list[Rows]) -> None:
        positive = piece.truth == piece.positive
        scores = [each.score(piece.positive) + 0.0 for each in rows]
        bins = [bins_of(score) for score in scores]
        for i, j in pairs(len(rows)):
            if i == j:
                sides = np.stack([~positive, positive], axis=1).astype(np.int64)
                self._put(f"steps/{i}", CellSums.of(bins[i], sides, scores[i], scores[i]))
            else:
                self._put(f"joint/{i}/{j}", JointBins.of(positive, bins[i], bins[j]))

    @np.errstate(over="ignore", invalid="ignore")  # what is beyond all numbers is no answer, or refused at the end
    def _sum(self, key: str, metric: Metric, piece: Predictions, rows: list[Rows]) -> None:
        terms = [each.row_terms(metric, Baseline(each, None)) for each in rows]
        columns = [np.stack([*of_model.values()]) for of_model in terms]
        classes = max(len(piece.classes), 1)
        for place, column in enumerate(columns):
            if (key, place) not in self.centres:
                mean = column.mean(axis=1)
                self.centres[key, place] = np.where(np.isfinite(mean), mean, 0.0)
        for i, j in pairs(len(rows)):
            chosen = [i] if i == j else [i, j]
            centres = np.stack([self.centres[key, place] for place in chosen])
            moments = TermMoments.of([columns[place] for place in chosen], centres, piece.truth, classes)
            self._put(f"terms/{key}/{i}/{j}", moments)
            if metric.carried_by is not None:
                each = [terms[place][metric.carried_by] for place in chosen]
                self._put(f"tails/{key}/{i}/{j}", _tail(each[0] if i == j else each[0] - each[1]))

    def state(self) -> State:
        self._refuse_extremes()
        whole = self.whole
        about = {
            "task": whole.task, "classes": list(whole.classes), "positive": whole.positive,
            "order_said": whole.order_said, "threshold": whole.threshold, "truth_column": whole.truth_column,
            "models": [_described(model) for model in whole.models], "sums": self.sums,
        }  # fmt: skip
        tables = {name: reduce(lambda a, b: a.merge(b), waiting) for name, waiting in self.tables.items()}
        facts = {name: reduce(lambda a, b: a.merge(b), each) for name, each in self.facts.items()}
        fingerprint = engine_of(whole).fingerprint(whole)
        return State(about, whole.rows, facts, (fingerprint,), tables, whole.source or "a state")


def _rows(piece: Predictions) -> list[Rows]:
    """On the scale of the state, which is the same for all pieces."""
    made = [Rows(piece, model) for model in piece.models]
    for each in made:
        each.scale = 1.0
    return made


def pairs(models: int) -> Iterator[tuple[int, int]]:
    """Every two of the models, and each with itself."""
    return ((i, j) for i in range(models) for j in range(i, models))


def _sums_of(rows: Rows, metrics: Sequence[Metric]) -> tuple[dict[str, Any], dict[str, Metric]]:
    """What is summed for each metric, as the first that has the same row terms."""
    firsts: dict[object, str] = {}
    chosen: dict[str, Metric] = {}
    sums: dict[str, Any] = {}
    for metric in metrics:
        key = firsts.setdefault(rows.terms_key(metric), metric.full_name)
        chosen.setdefault(key, metric)
        names: Mapping[str, Array] = rows.row_terms(metric, Baseline(rows, None))
        sums[metric.full_name] = {"key": key, "terms": list(names)}
    return sums, chosen


def _tail(losses: Array) -> CellSums:
    """How many rows have a loss of each size, and what these add up to."""
    keys = (np.abs(losses).view(np.uint64) >> TAIL_SHIFT).astype(np.int64)
    return CellSums.of(keys, np.stack([np.ones(len(losses)), losses], axis=1))


def _described(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "gives": [kind for kind in ("scores", "labels", "values") if getattr(model, kind) is not None],
        "class_scores": len(model.class_scores or ()),
        "levels": [float(level) for level in model.quantiles or ()],
        "tie_order": None if model.tie_order is None else list(model.tie_order),
        "columns": list(model.columns),
    }
