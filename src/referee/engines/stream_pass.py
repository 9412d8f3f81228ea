"""What is made of every piece while one pass over the rows goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.engines.running_sums import RunningSums
from referee.engines.stream_keys import Keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from referee.arrays import Array
    from referee.engines.stream_batch import Piece
    from referee.metric import Metric
    from referee.summaries import Sums

SCORES = "scores"
"""The column of a model with one score, that of the positive class."""


class Adding:
    """Sums of several metrics while a pass goes on."""

    def __init__(self, metrics: Mapping[object, Metric], *, by_unit: bool) -> None:
        self.metrics, self.by_unit = metrics, by_unit
        self.running = {key: RunningSums() for key in metrics}
        self.merged: dict[object, Sums] = {}

    def add(self, piece: Piece) -> None:
        if self.by_unit:
            for key, metric in self.metrics.items():
                sums = piece.sums(metric)
                self.merged[key] = self.merged[key].merge(sums) if key in self.merged else sums
            return
        for part in piece.parts():
            weight = None if piece.weight is None else piece.weight[part]
            for key, metric in self.metrics.items():
                self.running[key].add(piece.terms(metric, part), weight)

    @property
    def total(self) -> dict[object, Sums]:
        return self.merged if self.by_unit else {key: running.total for key, running in self.running.items()}


class Collecting:
    """Keys of some columns while a pass goes on; sorted at its end."""

    def __init__(
        self,
        columns: Sequence[object],
        positive: int | None,
        rows: Callable[[], Array],
        claim: Callable[[np.dtype[Any]], None],
    ) -> None:
        self.columns, self.positive, self.rows, self.claim = columns, positive, rows, claim
        self.keys: dict[object, Keys] = {}

    def __enter__(self) -> Collecting:
        return self

    def add(self, piece: Piece) -> None:
        for column in self.columns:
            code: Any = self.positive if column == SCORES else column
            scores = piece.rows.score(code)
            if column not in self.keys:
                if not self.keys:
                    self.claim(scores.dtype)
                self.keys[column] = Keys(self.rows(), scores.dtype)
            self.keys[column].add(scores, piece.cells)

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for keys in self.keys.values():
                keys.sort()


def terms_key(metric: Metric) -> object:
    """Metrics with the same row terms and settings have the same sums."""
    assert metric.row_terms is not None
    settings = metric.formula_settings(metric.row_terms)
    return metric.row_terms, metric.needs, tuple(sorted(settings.items()))
