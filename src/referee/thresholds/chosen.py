"""Threshold: one model's, with what it is worth on rows that it was not chosen on; Thresholds: those of all models."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.comparison import Comparison
    from referee.errors import Notice
    from referee.predictions import Predictions
    from referee.thresholds.objective import Objective
    from referee.thresholds.regions import Regions

HOW = {
    "cross_fitted": "chosen on all rows but one fold and judged on that fold, in turn",
    "other_rows": "chosen on some rows and judged on the others",
    "same_rows": "chosen and judged on the same rows",
}


@dataclass(frozen=True)
class Threshold:
    """Call a row positive if its score is at least this.

    `value` is what the way of choosing is worth on rows that were not chosen on; `apparent` the same on the rows that
    the threshold was chosen on, which flatters it by the `optimism`.
    """

    model: str
    threshold: float
    """Infinite where calling no row positive is best, minus infinite where calling all."""
    low: float
    high: float
    """Thresholds from low to high cannot be told from the best one on these rows."""
    value: float | None
    value_low: float | None
    value_high: float | None
    standard_error: float | None
    apparent: float | None
    flagged: float
    """The share of rows called positive where it was chosen."""
    tp: float
    fp: float
    fn: float
    tn: float
    reached: bool = True
    """Whether a threshold keeps the limits; if none does, no row is called positive."""
    undefined: str | None = None
    limits: Mapping[str, float | None] = field(default_factory=dict)
    """What each limit came to on the judged rows."""

    @property
    def optimism(self) -> float | None:
        """What choosing and judging on the same rows adds to the value, in its own units."""
        return None if self.apparent is None or self.value is None else self.apparent - self.value

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; an infinite threshold is null, and `calls_positive` says what that means."""
        fields = {name: _plain(value) for name, value in vars(self).items()} | {"limits": dict(self.limits)}
        calls = "some" if isfinite(self.threshold) else "none" if self.threshold > 0 else "all"
        return fields | {"optimism": self.optimism, "calls_positive": calls}


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of all models for one objective, and the models compared, each at its own.

    >>> from referee import Predictions
    >>> from referee.thresholds import best_thresholds
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 10, {"m": [0.9, 0.7, 0.6, 0.1] * 10})
    >>> best_thresholds(predictions, "accuracy")["m"].threshold
    0.8
    """

    predictions: Predictions
    objective: Objective
    how: str
    """cross_fitted, other_rows or same_rows."""
    chosen: tuple[Threshold, ...]
    comparisons: tuple[Comparison, ...]
    notices: tuple[Notice, ...]
    alpha: float
    seed: int
    folds: int = 0
    regions: Regions | None = None

    def __getitem__(self, model: str) -> Threshold:
        for one in self.chosen:
            if one.model == model:
                return one
        raise KeyError(model)

    def to_dict(self) -> dict[str, Any]:
        more = {} if self.regions is None else {"regions": self.regions.to_dict()}
        return {
            "rows": self.predictions.rows,
            "goal": str(self.objective),
            "alpha": self.alpha,
            "seed": self.seed,
            "fingerprint": self.predictions.fingerprint,
            "better": self.objective.better,
            "how": self.how,
            "folds": self.folds or None,
            "thresholds": [one.to_dict() for one in self.chosen],
            "comparisons": [one.to_dict() for one in self.comparisons],
            **more,
            "warnings": [vars(notice) for notice in self.notices],
        }


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value
