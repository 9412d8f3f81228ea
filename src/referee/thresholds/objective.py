"""Objective: what a threshold is chosen for. Any metric of the confusion matrix, with limits that must be kept."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.document import number
from referee.engines import Counts, reaches
from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring import Metric, goal_of, metrics, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.thresholds.judgement import Decided

AS_LIMITS = {"recall_at_precision": ("recall", "precision"), "precision_at_recall": ("precision", "recall")}
"""Metrics that are an objective by themselves: the metric to raise, and the one that is held."""


@dataclass(frozen=True)
class Limit:
    """A metric of counts that must be at least, or at most, a number."""

    metric: Metric
    bound: float
    at_least: bool = True

    def keeps(self, value: Array) -> Array:
        """Whether it is kept, but for rounding; an undefined value keeps nothing."""
        return reaches(value, self.bound) if self.at_least else reaches(-value, -self.bound)

    def __str__(self) -> str:
        return f"{self.metric.full_name} {'>=' if self.at_least else '<='} {_all_digits(self.bound)}"


@dataclass(frozen=True)
class Objective:
    """A metric to make as good as can be, within limits, at a share of positives that may not be the rows' own.

    >>> str(Objective.of("f1"))
    'f_beta'
    >>> str(Objective.of("recall", at_least={"precision": 0.9}, capacity=50))
    'recall, precision >= 0.9000, at most 50 rows per thousand called positive'
    """

    metric: Metric
    limits: tuple[Limit, ...] = ()
    capacity: float | None = None
    """Rows per thousand that can be called positive."""
    prevalence: float | None = None
    """The share of positives where the threshold will be used."""

    @classmethod
    def of(
        cls,
        goal: str | Metric | Objective,
        *,
        at_least: Mapping[str, float] | None = None,
        at_most: Mapping[str, float] | None = None,
        capacity: float | None = None,
        prevalence: float | None = None,
    ) -> Objective:
        """Take names as the command line has them."""
        if isinstance(goal, Objective):
            _refuse_twice(at_least, at_most, capacity, prevalence)
            return goal
        metric = goal_of(goal)
        limits = [Limit(_of_counts(name), _finite(name, bound)) for name, bound in (at_least or {}).items()]
        limits += [Limit(_of_counts(name), _finite(name, bound), False) for name, bound in (at_most or {}).items()]
        if metric.name in AS_LIMITS:
            raised, held = AS_LIMITS[metric.name]
            bound = (metric.defaults | dict(metric.settings))[held]
            metric, limits = metrics[raised], [*limits, Limit(metrics[held], float(bound))]
        _refuse(capacity, prevalence)
        return cls(_of_counts(metric), tuple(limits), capacity, prevalence)

    @property
    def better(self) -> str:
        return self.metric.better

    def __str__(self) -> str:
        return self._said_of(self.metric.full_name)

    @property
    def shown_name(self) -> str:
        """What people read."""
        return self._said_of(self.metric.shown_name)

    def _said_of(self, name: str) -> str:
        parts = [name, *map(str, self.limits)]
        if self.capacity is not None:
            parts.append(f"at most {self.capacity:g} rows per thousand called positive")
        if self.prevalence is not None:
            parts.append(f"{self.prevalence:g} of the rows positive")
        return ", ".join(parts)

    def worth(self, counts: Any, positive: int = 1) -> Array:
        """How good thresholds are, higher is better; -inf where a limit is not kept or the metric undefined."""
        at = self.shifted(counts)
        value = self.value(at, positive)
        signed = value if self.better == "higher" else -value
        kept = np.isfinite(signed)
        for limit in self.limits:
            kept &= limit.keeps(value_at(limit.metric, at, positive))
        if self.capacity is not None:
            kept &= self.has_room(at)
        return np.where(kept, signed, -np.inf)

    def has_room(self, at: RowsAbove) -> Array:
        """Whether so many rows can be called positive; shares that are equal but for rounding are within."""
        share = 1.0 if self.capacity is None else self.capacity / 1000
        return np.asarray(at.tp + at.fp <= share * (at.P + at.N) * (1 + 1e-12))

    def value(self, at: Any, positive: int = 1) -> Array:
        return value_at(self.metric, at, positive)

    def values_at(self, tp: Array, fp: Array, rows: tuple[float, float], positive: int = 1) -> Array:
        """Its value at thresholds with so many true and false positives of the rows of both classes."""
        return self.value(self.shifted(RowsAbove(tp, fp, *rows)), positive)

    def shifted(self, at: Any) -> RowsAbove:
        """The counts that rows with the given share of positives would have."""
        if self.prevalence is None:
            return RowsAbove(at.tp, at.fp, at.P, at.N)
        of_positive, of_negative = class_factors(at.P, at.N, self.prevalence)
        return RowsAbove(at.tp * of_positive, at.fp * of_negative, at.P * of_positive, at.N * of_negative)


@dataclass(frozen=True)
class RowsAbove:
    """True and false positives at several thresholds, with the rows of both classes."""

    tp: Any
    fp: Any
    P: Any
    N: Any


def first_best(worth: Array) -> Array:
    """The place of the best along the last axis, of equally good ones the first; sums of weights may round apart.

    >>> int(first_best(np.array([0.1, 0.3, 0.1 + 0.2])))
    1
    """
    return np.argmax(reaches(worth, worth.max(axis=-1, keepdims=True)), axis=-1)


def class_factors(P: Any, N: Any, prevalence: float) -> tuple[Any, Any]:  # noqa: N803 (the lecture's letters)
    """What the rows of each class count, so that positives have a given share."""
    return prevalence * (P + N) / P, (1 - prevalence) * (P + N) / N


def value_at(metric: Metric, at: Any, positive: int = 1) -> Array:
    """A metric of the confusion matrix at many thresholds at once: every threshold is a unit of its own."""
    summary: Any = _Thresholds(CountsAbove(at, positive))
    return values(metric, summary, 2, positive)


class CountsAbove(Counts):
    """Confusion matrices of two classes at many thresholds; the matrices themselves are made if a formula asks."""

    def __init__(self, at: Any, positive: int) -> None:
        # Counts is frozen.
        self.__dict__.update(above=at, positive=positive, shape=np.shape(at.tp + at.fp))

    above: Any
    positive: int
    shape: tuple[int, ...]

    @cached_property
    def matrix(self) -> Array:
        cells = [self.tn, self.fp, self.fn, self.tp] if self.positive == 1 else [self.tp, self.fn, self.fp, self.tn]
        return np.stack(cells, axis=-1).reshape(-1, 2, 2)

    def against_rest(self, positive: int) -> Counts:  # noqa: ARG002 (there is only one class that they are about)
        return self

    tp = property(lambda self: self.above.tp)
    fp = property(lambda self: self.above.fp)
    fn = property(lambda self: self.above.P - self.above.tp)
    tn = property(lambda self: self.above.N - self.above.fp)
    P = property(lambda self: np.broadcast_to(self.above.P, self.shape))
    N = property(lambda self: np.broadcast_to(self.above.N, self.shape))
    total = property(lambda self: self.P + self.N)
    correct = property(lambda self: self.tp + self.tn)


class _Thresholds:
    """What `values` asks of a summary."""

    scale = 1.0

    def __init__(self, counts: CountsAbove) -> None:
        self.counts: Any = counts
        (self.units,) = counts.shape

    @property
    def class_weights(self) -> Array:
        return self.counts.true


def _of_counts(name: str | Metric) -> Metric:
    metric = metrics[name] if isinstance(name, str) else name
    if metric.summaries != ("counts",):
        raise UsageError(
            "E_NOTCOUNTS",
            f"{metric.full_name} is not a function of the confusion matrix, so no threshold is best for it",
            hint="f_beta, accuracy, youden, mcc, expected_cost(fp=1, fn=5), recall with --at-least precision=0.9 ...",
        )
    return metric


def _finite(name: str, bound: float) -> float:
    if isinstance(bound, bool) or not isinstance(bound, Real) or not np.isfinite(float(bound)):
        raise UsageError("E_PARAMETER", f"the limit of {name} is {bound!r}, which is not a finite number")
    return float(bound)


def _all_digits(bound: float) -> str:
    """As everywhere, unless that would be another number."""
    shown = number(bound)
    return shown if float(shown.replace(",", "")) == bound else f"{bound:.15g}"


def _refuse_twice(*given: Any) -> None:
    if any(setting is not None and setting != {} for setting in given):
        raise UsageError("E_PARAMETER", "limits, capacity and prevalence are part of an Objective: set them there")


def _refuse(capacity: float | None, prevalence: float | None) -> None:
    if capacity is not None and not 0 <= capacity <= 1000:
        raise UsageError("E_PARAMETER", f"capacity={capacity} must lie between 0 and 1,000 rows per thousand")
    if prevalence is not None and not 0 < prevalence < 1:
        raise UsageError(
            "E_PREVALENCE", f"prevalence={prevalence} must lie between 0 and 1", hint="it is the share of positives"
        )


CALLED = "rows per thousand called positive"


def judged_limits(contender: Decided, objective: Objective) -> dict[str, float | None]:
    counts: Counts = contender.summary.counts.against_rest(int(contender.predictions.positive or 0))
    reached = {str(limit): float(value_at(limit.metric, counts, 1)[0]) for limit in objective.limits}
    if objective.capacity is not None:
        reached[CALLED] = 1000 * float((counts.tp + counts.fp)[0] / counts.total[0])
    return {name: value if np.isfinite(value) else None for name, value in reached.items()}


def missed_limits(contender: Decided, objective: Objective) -> list[str]:
    """The limits that are not kept on the judged rows."""
    reached = judged_limits(contender, objective)
    missed = [
        str(limit) for limit in objective.limits
        if (value := reached[str(limit)]) is None or not limit.keeps(np.asarray(value))
    ]  # fmt: skip
    called = reached.get(CALLED)
    if called is not None and objective.capacity is not None and called > objective.capacity * (1 + 1e-12):
        missed.append(f"at most {objective.capacity:g} {CALLED}")
    return missed
