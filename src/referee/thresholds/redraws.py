"""Choosing and judging again on redrawn rows, and models compared at their own thresholds with that in the spread.

A row that is drawn twice stays in its fold, so that no row judges its own choice in a redraw either.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import TOO_FEW, adjusted, both_agree, by_student_t, compare_rows, random_numbers, undefined
from referee.engines import summarise
from referee.records import dataclass
from referee.thresholds.objective import Objective, RowsAbove, first_best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing import Comparison, Design
    from referee.predictions import Predictions
    from referee.thresholds.judgement import Decided, Parts

    Choosing = Callable[[RowsAbove], Array]
    """From the counts of (fold, threshold) to the best thresholds' places, (fold, wish)."""


REDRAWS = 200
MOST_STEPS = 500
"""Thresholds that are tried in a redraw: neighbouring scores are taken together beyond."""
MOST_CELLS = 200_000
"""Redraws are judged together as long as they have no more rows, or folds times thresholds."""


@dataclass(frozen=True, eq=False)
class Redrawn:
    """The rows that are drawn from, those that are judged and those that are chosen on."""

    steps: dict[str, Array]
    """Of each model: the place of each row's score, from the highest."""
    is_positive: Array
    fold: Array
    folds: int
    judged: Array
    """The folds that are judged."""
    weight: Array | None
    unit: Array | None
    """The group of each row, where rows come in groups."""
    whole_weights: bool
    seed: int

    def counts(self, choosing: Choosing) -> dict[str, RowsAbove]:
        """Of each model: the judged rows that are called positive in every redraw, for every wish."""
        random = random_numbers(self.seed)
        together = max(1, MOST_CELLS // max(len(self.fold), self.folds * MOST_STEPS))
        each = []
        for start in range(0, REDRAWS, together):
            times = np.stack([self._times(random) for _ in range(min(together, REDRAWS - start))])
            each.append({name: self._of_redraws(steps, times, choosing) for name, steps in self.steps.items()})
        return {
            name: RowsAbove(*(np.concatenate(some) for some in zip(*(part[name] for part in each), strict=True)))
            for name in self.steps
        }

    def _times(self, random: np.random.Generator) -> Array:
        """What each row counts this time."""
        if self.unit is not None:
            drawn = random.poisson(1.0, int(self.unit.max()) + 1)[self.unit].astype(float)
            return drawn if self.weight is None else drawn * self.weight
        if self.weight is None:
            return random.poisson(1.0, len(self.fold)).astype(float)
        if self.whole_weights:
            return random.poisson(self.weight).astype(float)
        return np.asarray(random.poisson(1.0, len(self.fold)) * self.weight)

    def _of_redraws(self, steps: Array, times: Array, choosing: Choosing) -> tuple[Array, ...]:
        """The true and false positives of the judged rows, and all of these: (redraw, wish)."""
        counts = [self._above(steps, np.where(self.is_positive == side, times, 0.0)) for side in (True, False)]
        judged = [rows[:, self.judged] for rows in counts]
        with np.errstate(all="ignore"):
            above, alarms = (
                (rows.sum(axis=1, keepdims=True) - here).reshape(-1, rows.shape[-1])
                for rows, here in zip(counts, judged, strict=True)
            )
            chosen = choosing(RowsAbove(above, alarms, above[:, -1:], alarms[:, -1:]))
        chosen = chosen.reshape(len(times), len(self.judged), -1)
        called = [np.take_along_axis(rows, chosen, axis=2).sum(axis=1) for rows in judged]
        totals = [rows[:, :, -1].sum(axis=1, keepdims=True) for rows in judged]
        return (*called, *(np.broadcast_to(each, called[0].shape) for each in totals))

    def _above(self, steps: Array, times: Array) -> Array:
        """The rows of each fold that reach each threshold; none reach the first: (redraw, fold, threshold)."""
        size = int(steps.max()) + 2
        cells = self.fold * size + steps + 1
        each = [np.bincount(cells, some, self.folds * size) for some in times]
        return np.asarray(np.cumsum(np.reshape(each, (len(times), self.folds, size)), axis=2))


def redrawn(parts: Parts, names: Sequence[str], seed: int) -> Redrawn:
    """Rows of cross-fitting with their folds; of two parts, the judged ones are the first fold."""
    sources = [parts.judged] if parts.fold is not None else [parts.judged, parts.chosen_on]
    fold = np.repeat(np.arange(len(sources)), [source.rows for source in sources]) if parts.fold is None else parts.fold
    steps = {name: _steps(np.concatenate([scores_of(source, name) for source in sources])) for name in names}
    is_positive = np.concatenate([source.truth == source.positive for source in sources])
    folds = int(fold.max()) + 1
    judged = np.arange(folds) if parts.fold is not None else np.zeros(1, np.int64)
    whole = parts.judged.weight_kind == "frequency"
    return Redrawn(steps, is_positive, fold, folds, judged, _weights(sources), _units(sources), whole, seed)


def best_of(objective: Objective, positive: int) -> Choosing:
    """The best threshold of each fold for an objective."""

    def choosing(at: RowsAbove) -> Array:
        P, N = (np.broadcast_to(total, at.tp.shape).ravel() for total in (at.P, at.N))  # noqa: N806 (the lecture's letters)
        worth = objective.worth(RowsAbove(at.tp.ravel(), at.fp.ravel(), P, N), positive)
        return first_best(worth.reshape(at.tp.shape))[:, None]

    return choosing


def cheapest_at(conditions: Array) -> Choosing:
    """The cheapest threshold of each fold at each probability cost."""

    def choosing(at: RowsAbove) -> Array:
        # A threshold that no further positive reaches is dearer than the one before, or as dear.
        worthwhile = np.flatnonzero(np.r_[True, (np.diff(at.tp, axis=1) > 0).any(axis=0)])
        errors = np.stack([1 - at.tp[:, worthwhile] / at.P, at.fp[:, worthwhile] / at.N], axis=1)
        shares = np.stack([conditions, 1 - conditions], axis=1)
        return worthwhile[np.stack([first_best(-(shares @ each)) for each in errors])]  # one fold's costs at a time

    return choosing


def scores_of(predictions: Predictions, name: str) -> Array:
    assert predictions.positive is not None
    return summarise(predictions, predictions.model(name)).rows.score(predictions.positive)


def _steps(scores: Array) -> Array:
    known, steps = np.unique(-scores, return_inverse=True)
    return steps if len(known) <= MOST_STEPS else steps * MOST_STEPS // len(known)


def _weights(sources: Sequence[Predictions]) -> Array | None:
    if all(source.weight is None for source in sources):
        return None
    return np.concatenate([np.ones(source.rows) if source.weight is None else source.weight for source in sources])


def _units(sources: Sequence[Predictions]) -> Array | None:
    """The groups of two parts are drawn by themselves."""
    if sources[0].clusters is None:
        return None
    codes_of_parts, first = [], 0
    for part in sources:
        codes = np.arange(part.rows) if part.clusters is None else part.clusters.codes
        codes_of_parts.append(codes + first)
        first += int(codes.max(initial=0)) + 1
    return np.concatenate(codes_of_parts)


MOST_MODELS = 20
"""Beyond, only the best one is compared with each of the others."""
SAME_ROWS = "the thresholds are evaluated on the rows that they were chosen on"


def compare_all(
    parts: Parts,
    contenders: Mapping[str, Decided],
    objective: Objective,
    missed: Mapping[str, Sequence[str]],
    design: Design,
) -> Iterator[Comparison]:
    """All pairs, each model with its own decisions on the same rows."""
    pairs = list(_pairs(list(contenders.values()), design))
    again = {} if parts.how == "same_rows" or not pairs else _values_again(parts, list(contenders), objective, design)
    comparisons = []
    for a, b in pairs:
        comparison = _compared(a, b, again, design) if again else undefined(SAME_ROWS)
        names: dict[str, Any] = {"a": a.name, "b": b.name, "metric": a.metric.full_name, "test": "redraws"}
        comparisons.append(_unclaimed(replace(comparison, **names, alpha=design.alpha), rarer_rows(a), missed))
    for comparison, p in zip(comparisons, adjusted([comparison.p for comparison in comparisons], "holm"), strict=True):
        yield replace(comparison, p_adjusted=p)


def rarer_rows(contender: Decided) -> int:
    return contender.rarer_class[1] if contender.rarer_class else 0


def _pairs(contenders: Sequence[Decided], design: Design) -> Iterator[tuple[Decided, Decided]]:
    if len(contenders) <= MOST_MODELS:
        yield from combinations(contenders, 2)
        return
    sign = 1 if design.better == "higher" else -1
    best = max(contenders, key=lambda contender: sign * contender.value if np.isfinite(contender.value) else -np.inf)
    yield from ((best, other) for other in contenders if other is not best)


def _values_again(parts: Parts, names: Sequence[str], objective: Objective, design: Design) -> dict[str, Array]:
    """What each model's way of choosing is worth in every redraw."""
    positive = int(parts.judged.positive or 0)
    counts = redrawn(parts, names, design.seed).counts(best_of(objective, positive))
    values = {}
    for name, at in counts.items():
        flat = RowsAbove(*(count.ravel() for count in (at.tp, at.fp, at.P, at.N)))
        with np.errstate(all="ignore"):
            values[name] = objective.value(objective.shifted(flat), positive)
    return values


def _compared(a: Decided, b: Decided, again: Mapping[str, Array], design: Design) -> Comparison:
    """The paired test on row influences; where choosing again adds to the spread, with that."""
    by_rows = compare_rows(a, b, design)
    differences = again[a.name] - again[b.name]
    differences = differences[np.isfinite(differences)]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    if by_rows.undefined or by_rows.difference is None or error <= (by_rows.standard_error or 0.0):
        return by_rows
    df = by_rows.df if by_rows.df is not None else max(1.0, rarer_rows(a) - 1.0)
    wider = by_student_t(by_rows.difference, error, df, design, units=by_rows.units)
    return both_agree(by_rows, wider, design) if "groups" in by_rows.details else wider


def _unclaimed(comparison: Comparison, rows: int, missed: Mapping[str, Sequence[str]]) -> Comparison:
    """No model is the better one on a handful of rows or groups, or by breaking a limit."""
    few_groups = comparison.details.get("groups", {}).get("too_few") is not None
    if (rows < TOO_FEW or few_groups) and comparison.outcome is not None:
        return replace(comparison, outcome="tie")
    if comparison.winner and missed[comparison.winner]:
        return replace(comparison, outcome=None, undefined=f"{comparison.winner} misses a limit on the evaluation rows")
    return comparison
