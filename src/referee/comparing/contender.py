"""Contender: one model on one metric, row by row; and two of them compared."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from math import inf, isfinite, isnan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import joint, total
from referee.comparing.comparison import DUST, Comparison, by_student_t, constant_difference, no_difference, undefined
from referee.comparing.group_pairs import GroupPair
from referee.comparing.left_out import Refits
from referee.engines import engine_of
from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring import (
    added_by_rows,
    groups_of,
    influence,
    pieces_of_rows,
    rows_that_count,
    seed_spread,
    spread_of_difference,
    spread_of_influence,
    tail,
    values,
    with_seeds,
)

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.comparing.design import Design
    from referee.predictions import Model, Predictions
    from referee.scoring import Groups, Influence, Metric, Pieces, SeedSpread, Spread

MOST_AT_MEDIAN = 0.1
TIMES_ROWS = 2
"""What the variance of out-of-fold rows is multiplied by for learning procedures (docs/simulations)."""


@dataclass(frozen=True, eq=False)
class Contender:
    """The value of a metric for one model, and what each row adds to it; made when asked for, once.

    >>> from referee import Predictions, metrics
    >>> predictions = Predictions.from_arrays([1, 0, 1], {"m": [0.9, 0.2, 0.4]})
    >>> Contender(predictions, predictions.models[0], metrics["accuracy"]).value
    0.6666666666666666
    """

    predictions: Predictions
    model: Model
    metric: Metric
    _differences: dict[Contender, Spread | None] = field(default_factory=dict, init=False, repr=False)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def units(self) -> int:
        """How many independent pieces the rows are: the rows, or the groups that they come in."""
        clusters, rows = self.predictions.clusters, self.weighted_rows
        return round(rows.rows_seen) if clusters is None else int(np.count_nonzero(np.bincount(clusters.codes)))

    @cached_property
    def summary(self) -> Any:
        return engine_of(self.predictions).summarise(self.predictions, self.model)

    @cached_property
    def value(self) -> float:
        """Nan where the metric is undefined."""
        return float(values(self.metric, self.summary, len(self.predictions.classes), self.predictions.positive)[0])

    @cached_property
    def influence(self) -> Influence:
        """How the value moves with the weight of each row."""
        with self.metric.answerable():
            return influence(self.summary, self.metric)

    @cached_property
    def changes(self) -> Array:
        """The derivative of the value by each row's weight."""
        with np.errstate(all="ignore"):
            return self.influence.of_rows()

    @cached_property
    def refits(self) -> Refits:
        """What all fits say, where every two of several groups of rows were left out together."""
        return Refits.of(self.predictions, self.model, self.metric)

    @property
    def has_equal_rows(self) -> bool:
        """Whether rows have neither weights nor groups, so that it is enough to know how many are alike."""
        return self.predictions.weight is None and self.predictions.has_independent_rows

    @cached_property
    def correct(self) -> Array:
        """Whether each row's class was decided rightly."""
        return np.asarray(self.summary.rows.labels == self.predictions.truth)

    @property
    def weighted_rows(self) -> Predictions:
        """The rows with the weights by which `changes` are the derivative."""
        return self.predictions

    @cached_property
    def groups(self) -> Groups | None:
        """What each group holds of the rows that count, where rows come in groups."""
        grouped = self.predictions.clusters is not None
        return groups_of(self.predictions, self.summary.rows, self.metric) if grouped else None

    @cached_property
    def group_sums(self) -> Array:
        """What each group adds to the value."""
        assert self.groups is not None
        return self.groups.sums(self.changes)

    @cached_property
    def chance(self) -> Pieces:
        """What chance drew: rows, groups of them, or moments in time."""
        return pieces_of_rows(self.weighted_rows, self.metric) if self.groups is None else self.groups

    @cached_property
    def pieces(self) -> Array:
        """What the rows add to the value: the products with those of another model add up to the covariance."""
        return self.chance.pieces(self.changes)

    @cached_property
    def spread(self) -> Spread | None:
        return with_seeds(self._spread_of_rows, self.predictions, self.name)

    @property
    def _spread_of_rows(self) -> Spread | None:
        if self.has_equal_rows:
            return spread_of_influence(self.influence, self.metric)
        return self.chance.spread(self.changes)

    def spread_of_difference(self, other: Contender) -> Spread | None:
        """For new rows, and for new seeds where there are several."""
        seeds = self.seeds_of_difference(other)
        return self._rows_of_difference(other) if seeds is None else seeds.spread

    def seeds_of_difference(self, other: Contender) -> SeedSpread | None:
        """How much of the difference's spread is the seeds'; None where there is one seed."""
        return seed_spread(self._rows_of_difference(other), self.predictions, self.name, other.name)

    def _rows_of_difference(self, other: Contender) -> Spread | None:
        """Row by row, or group by group: both models have seen the same rows."""
        if other not in self._differences:
            self._differences[other] = other._differences[self] = self._spread_against(other)
        return self._differences[other]

    def _spread_against(self, other: Contender) -> Spread | None:
        if self.has_equal_rows and other.has_equal_rows:
            return spread_of_difference(self.influence, other.influence, self.metric)
        return self.chance.spread_of_difference(self.changes, other.chance, other.changes)

    def squares_apart(self, other: Contender) -> float:
        """The sum over rows of the squared difference of what they add."""
        return total(added_by_rows(self.weighted_rows, self.changes - other.changes) ** 2)

    @cached_property
    def rows_that_count(self) -> float:
        """How many rows could have shown a difference that none has shown."""
        return rows_that_count(self.summary, self.metric, None)

    @cached_property
    def rarer_class(self) -> tuple[str, int] | None:
        """The class with the fewest rows, and how many these are."""
        classes = self.predictions.classes
        if not classes:
            return None
        rows = [self._count(self.predictions.truth == code) for code in range(len(classes))]
        return classes[rows.index(min(rows))], min(rows)

    @cached_property
    def calls(self) -> dict[str, tuple[int, int]]:
        """Of each class whose calls carry the value: the rows called so, and how many of them rightly."""
        classes = self.predictions.classes
        if not classes or not self.metric.called_classes:
            return {}
        return {classes[code]: self._calls_of(code) for code in self._called_codes()}

    def _calls_of(self, code: int) -> tuple[int, int]:
        """The rows called so, and how many of them rightly."""
        rows = self.summary.rows.labels == code
        return self._count(rows), self._count(rows & (self.predictions.truth == code))

    def _called_codes(self) -> list[int]:
        classes, positive = self.predictions.classes, self.predictions.positive
        if positive is None or len(classes) > 2:
            return [*range(len(classes))]
        return [positive if side == 1 else 1 - positive for side in self.metric.called_classes]

    def _count(self, rows: Array) -> int:
        """How many there are: a frequency weight is so many, a row of weight 0 none, several predictions of one one."""
        predictions = self.weighted_rows
        times = 1.0 if predictions.example is None else predictions.rows / len(predictions.example)
        seen = rows if predictions.times_seen is None else predictions.times_seen[rows]
        return round(float(seen.sum()) / times)

    @property
    def tied_median(self) -> str | None:
        """Why its median cannot be tested, where many rows have just this value: it does not move with single ones."""
        share = float(np.mean(self.model.values == self.value)) if self.model.values is not None else 0.0
        if share <= MOST_AT_MEDIAN:
            return None
        tied = f"{100 * share:.0f}% of the scores of {self.name} are equal to its median"
        return f"{tied}, and no test is reliable then; mean or share_above(x) could still decide"

    @cached_property
    def losses(self) -> Array | None:
        """What each row loses as often as it counts, where a few rows can carry the value."""
        if self.metric.carried_by is None:
            return None
        losses = np.asarray(self.summary.rows.row_terms(self.metric, self.summary.baseline)[self.metric.carried_by])
        weight = None if self.predictions.weight_kind == "frequency" else self.predictions.weight
        return losses if weight is None else losses * weight

    def facts_of_pair(self, other: Contender, light: float = 0.0) -> dict[str, Any]:
        """What a test of the two rests on, beside its numbers: calls and hits of each, and who carries the losses.

        Shares of the losses that are known to be `light` may be left out, where knowing them would cost a scan.
        """
        calls = {side.name: {k: list(v) for k, v in side.calls.items()} for side in (self, other)}
        known = {"calls": calls if self.calls else None, "tails": self._tails(other, light)}
        return {name: fact for name, fact in known.items() if fact is not None}

    def _tails(self, other: Contender, light: float) -> dict[str, Any] | None:
        """The share that the largest rows carry of each model's losses, and of their difference."""
        del light  # all of it is in memory
        if self.losses is None or other.losses is None:
            return None
        times = self.predictions.times_seen
        both = {self.name: self.losses, other.name: other.losses}
        shares = {name: largest_share(losses, times) or 0.0 for name, losses in both.items()}
        return {"models": shares, "difference": largest_share(self.losses - other.losses, times)}

    def right_with(self, other: Contender) -> Array:
        """How many rows this one decides wrongly, and how many rightly, of which the other one does so, too: (2, 2)."""
        return joint(self.correct, other.correct)

    def decides_like(self, other: Contender) -> bool:
        """Whether both decide every row alike."""
        return bool(np.array_equal(self.summary.rows.labels, other.summary.rows.labels))

    def facts_of_procedures(self, other: Contender, design: Design) -> dict[str, Any]:
        """What one cross-validation says of the learning procedures: p with twice the variance of the rows.

        How much training sets add cannot be seen from it (Bengio and Grandvalet, 2004), so that a factor has to do.
        """
        is_one_run = design.kind == "out_of_fold" and self.predictions.clusters is None
        spread = self.spread_of_difference(other) if is_one_run and not self.predictions.has_seeds else None
        if spread is None or not DUST * max(abs(self.value), abs(other.value)) < spread.standard_error < inf:
            return {}
        error = sqrt(TIMES_ROWS * spread.variance)
        p = 2 * tail(abs(self.value - other.value) / error, self.units - 1)
        return {"procedures": {"p": p, "standard_error": error}}


def largest_share(losses: Array, times: Array | None = None) -> float | None:
    """The share of a total that its largest 1% of rows carry, each of which is there so many times.

    Differences may cancel: the share of the largest ones can exceed 1, and be negative; None where the total is 0.

    >>> largest_share(np.array([1.0] * 99 + [101.0]))
    0.505
    >>> largest_share(np.array([1.0, 101.0]), np.array([99, 1]))
    0.505
    """
    times = np.ones(len(losses)) if times is None else times
    seen = times > 0
    losses, times = losses[seen], times[seen]
    whole, tail = total(losses * times), np.ceil(times.sum() / 100)
    if not whole or not isfinite(whole):
        return None
    candidates = _largest(np.abs(losses), int(np.ceil(tail / times.min())))
    order = candidates[np.argsort(-np.abs(losses[candidates]), kind="stable")]
    rows_above = np.cumsum(times[order]) - times[order]
    counted = np.clip(tail - rows_above, 0, times[order])
    return total(losses[order] * counted) / whole


def _largest(sizes: Array, number: int) -> Array:
    """So many rows of the largest sizes, in their order; of those that tie at the cut the first."""
    if number >= len(sizes):
        return np.arange(len(sizes))
    cut = np.partition(sizes, -number)[-number]
    above = sizes > cut
    above[np.flatnonzero(sizes == cut)[: number - int(np.count_nonzero(above))]] = True
    return np.flatnonzero(above)


def compare_rows(a: Contender, b: Contender, design: Design, *, df: float | None = None) -> Comparison:
    """The paired t-test on row influences; `df` replaces the degrees of freedom that the influences suggest.

    Where rows come in groups, these are compared, by the test that suits them.
    """
    if reason := why_undefined(a, b):
        return undefined(reason)
    groups = GroupPair.of(a, b, design)
    difference, spread = a.value - b.value, a.spread_of_difference(b)
    if spread is None or not isfinite(spread.variance):
        return undefined("the difference has no finite standard error on these rows")
    more: dict[str, Any] = {"units": a.units, "details": spread.facts}
    if spread.standard_error <= DUST * max(abs(a.value), abs(b.value)):
        if abs(difference) <= DUST * max(abs(a.value), abs(b.value)):
            return no_difference(design, df=df, **more)
        comparison = constant_difference(difference, _rows_that_count(a, b), design)
        return comparison if groups is None else groups.described(comparison, "signs")
    comparison = by_student_t(difference, spread.standard_error, spread.df if df is None else df, design, **more)
    if seeds := a.seeds_of_difference(b):
        comparison = replace(comparison, details=dict(comparison.details) | {"seeds": seeds.to_dict()})
        return comparison if groups is None else groups.described(comparison, "t")
    return comparison if groups is None else groups.decided(comparison)


def refuse_weights_and_groups(predictions: Predictions, title: str) -> None:
    """Stop where a test takes all rows for independent and equal."""
    if predictions.clusters is not None or predictions.weight is not None:
        raise UsageError(
            "E_TEST",
            f"{title} supports neither weights nor rows that belong together",
            hint="--test influence supports both",
        )


def why_undefined(a: Contender, b: Contender) -> str | None:
    if a.units < 2:
        return "all rows belong to one group" if a.predictions.clusters is not None else "there is only one row"
    for contender in (a, b):
        if isnan(contender.value):
            why = contender.metric.undefined_when or "not a number"
            return f"{contender.metric.shown_name} of {contender.name} is undefined: {why}"
        if not isfinite(contender.value):
            return f"{contender.metric.shown_name} of {contender.name} is infinite"
        if contender.groups is not None and (held := contender.groups.reach.groups) < 2:
            rows = f"rows that count for {contender.metric.shown_name}"
            return f"all {rows} belong to one group" if held else f"{contender.name} has no {rows}"
    return None


def _rows_that_count(a: Contender, b: Contender) -> float:
    rows = min(a.rows_that_count, b.rows_that_count)
    return float(np.floor(rows)) if isfinite(rows) else 0.0
