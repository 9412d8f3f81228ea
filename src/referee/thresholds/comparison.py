"""Models compared, each at its own threshold, with the choice of the thresholds in the spread."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import TOO_FEW, adjusted, both_agree, by_student_t, compare_rows, undefined
from referee.errors import Notice, UndefinedError, UsageError
from referee.thresholds.objective import RowsAbove
from referee.thresholds.redraws import best_of, redrawn
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing import Comparison, Design
    from referee.predictions import Predictions
    from referee.thresholds.judgement import Decided
    from referee.thresholds.objective import Objective
    from referee.thresholds.row_parts import Parts

MOST_MODELS = 20
"""Beyond, only the best one is compared with each of the others."""
SAME_ROWS = "the thresholds are judged on the rows that they were chosen on"


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
    found = []
    for a, b in pairs:
        one = _compared(a, b, again, design) if again else undefined(SAME_ROWS)
        names: dict[str, Any] = {"a": a.name, "b": b.name, "metric": a.metric.full_name, "test": "redraws"}
        found.append(_unclaimed(replace(one, **names, alpha=design.alpha), rarer_rows(a), missed))
    for one, p in zip(found, adjusted([one.p for one in found], "holm"), strict=True):
        yield replace(one, p_adjusted=p)


def rarer_rows(contender: Decided) -> int:
    return contender.rarer_class[1] if contender.rarer_class else 0


def _pairs(contenders: Sequence[Decided], design: Design) -> Iterator[tuple[Decided, Decided]]:
    if len(contenders) <= MOST_MODELS:
        yield from combinations(contenders, 2)
        return
    sign = 1 if design.better == "higher" else -1
    best = max(contenders, key=lambda one: sign * one.value if np.isfinite(one.value) else -np.inf)
    yield from ((best, other) for other in contenders if other is not best)


def _values_again(parts: Parts, names: Sequence[str], objective: Objective, design: Design) -> dict[str, Array]:
    """What each model's way of choosing is worth in every redraw."""
    positive = int(parts.judged.positive or 0)
    counts = redrawn(parts, names, design.seed).counts(best_of(objective, positive))
    found = {}
    for name, at in counts.items():
        flat = RowsAbove(*(one.ravel() for one in (at.tp, at.fp, at.P, at.N)))
        with np.errstate(all="ignore"):
            found[name] = objective.value(objective.shifted(flat), positive)
    return found


def _compared(a: Decided, b: Decided, again: Mapping[str, Array], design: Design) -> Comparison:
    """The paired test on row influences; where choosing again adds to the spread, with that."""
    one = compare_rows(a, b, design)
    differences = again[a.name] - again[b.name]
    differences = differences[np.isfinite(differences)]
    error = float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
    if one.undefined or one.difference is None or error <= (one.standard_error or 0.0):
        return one
    df = one.df if one.df is not None else max(1.0, rarer_rows(a) - 1.0)
    found = by_student_t(one.difference, error, df, design, units=one.units)
    return both_agree(one, found, design) if "groups" in one.details else found


def _unclaimed(one: Comparison, rows: int, missed: Mapping[str, Sequence[str]]) -> Comparison:
    """No model is the better one on a handful of rows or groups, or by breaking a limit."""
    few_groups = one.details.get("groups", {}).get("too_few") is not None
    if (rows < TOO_FEW or few_groups) and one.outcome is not None:
        return replace(one, outcome="tie")
    if one.winner and missed[one.winner]:
        return replace(one, outcome=None, undefined=f"{one.winner} misses a limit on the judged rows")
    return one


def judged_share(judged: Predictions) -> float:
    """The share of positives, by weight."""
    if not judged.has_rows:
        raise UsageError("E_SAMEROWS", "regions need the rows in memory", hint="--max-memory allows more")
    is_positive = judged.truth == judged.positive
    share = float(np.average(is_positive, weights=judged.weight))
    if not 0 < share < 1:
        raise UndefinedError("E_ONECLASS", f"column {judged.truth_column!r}: the judged rows have only one class")
    return share


def rarer_units(parts: Parts) -> int:
    """Rows of the rarer class, or the groups that they come in, where they are judged or chosen on."""
    return min(_rarer(one) for one in (parts.judged, parts.chosen_on))


def _rarer(predictions: Predictions) -> int:
    counts = np.ones(predictions.rows, bool) if predictions.weight is None else predictions.weight > 0
    is_positive = predictions.truth == predictions.positive
    units = np.arange(predictions.rows) if predictions.clusters is None else predictions.clusters.codes
    return min(len(np.unique(units[counts & (is_positive == side)])) for side in (True, False))


def refuse_same_rows(parts: Parts) -> None:
    """Of thresholds that are judged on the rows they were chosen on, no model is the cheaper one for sure."""
    if parts.how == "same_rows":
        raise UsageError(
            "E_SAMEROWS",
            "regions compare models on other rows than those that the thresholds are chosen on",
            hint="--folds 10, with at least two rows (or groups) of each class; or --choose-on COL=VALUE",
        )


def few_units(units: int) -> Iterator[Notice]:
    if units < TOO_FEW:
        what = f"the rarer class has {counted(units, 'row')} (or groups of rows), fewer than {TOO_FEW}"
        yield Notice("W_FEWROWS", f"{what}: no model is named the cheaper one")
