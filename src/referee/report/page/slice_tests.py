"""Whether a slice differs from the other rows, or another model leads there, by more than chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, permutations
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.adjustments import adjusted
from referee.comparison import tail
from referee.engines import engine_of
from referee.errors import RefereeError
from referee.scores import score_all
from referee.significance import tests
from referee.verdict.choice import DEFAULTS, contest_of

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Predictions, Units
    from referee.score_table import Score
    from referee.verdict import Verdict

MOST_WORK = 3e7
"""Rows times slices times models: beyond, the slices are shown untested."""
MOST_COLUMNS = 3
FEW = 10
"""Rows of a slice, or of its rarer class: below, nothing is tested."""


@dataclass(frozen=True)
class Tested:
    """Adjusted p values: of a slice against the other rows by model, and of another leader in a slice."""

    apart: dict[tuple[str, str], float | None] = field(default_factory=dict)
    leads: dict[str, float | None] = field(default_factory=dict)


def tested_slices(verdict: Verdict, units: Units, names: tuple[str, ...]) -> Tested | None:
    """Test every slice; None where that would take too long, or rows are not in memory."""
    predictions = verdict.predictions
    if predictions.engine != "memory" or predictions.rows * len(units) * len(names) > MOST_WORK:
        return None
    apart: dict[tuple[str, str], float | None] = {}
    leads: dict[str, float | None] = {}
    for code, unit in enumerate(units.names):
        inside = units.codes == code
        if not _enough(predictions, inside) or not _enough(predictions, ~inside):
            continue
        here, there = (_scored(predictions.part(np.flatnonzero(rows)), verdict.goal) for rows in (inside, ~inside))
        apart |= {(unit, name): _difference_p(here[name], there[name]) for name in names}
        leads[unit] = _lead_p(verdict, predictions.part(np.flatnonzero(inside)), here)
    return Tested(_family(apart), _family(leads))


def slices_of(predictions: Predictions, found: set[str]) -> tuple[tuple[str, ...], Units] | None:
    """The columns, and their units, that make up the slices with these names."""
    able = [name for name, units in predictions.slices.items() if _may_belong(units, found)]
    for columns in chain.from_iterable(permutations(able, size) for size in range(1, MOST_COLUMNS + 1)):
        units = engine_of(predictions).crossed([predictions.slices[name] for name in columns])
        if units is not None and set(units.names) == found:
            return columns, units
    return None


def _may_belong(units: Units, found: set[str]) -> bool:
    return len(units) <= len(found) and all(any(name in one for one in found) for name in units.names)


def _family(found: dict[Any, float | None]) -> dict[Any, float | None]:
    return dict(zip(found, adjusted([*found.values()], "holm"), strict=True))


def _enough(predictions: Predictions, rows: Array) -> bool:
    if not predictions.classes:
        return int(rows.sum()) >= FEW
    each = np.bincount(predictions.truth[rows], minlength=len(predictions.classes))
    return bool(np.sort(each)[-2] >= FEW)


def _scored(part: Predictions, goal: Metric) -> dict[str, Score]:
    return {row.model: row for row in score_all(part, [goal], []) if row.overall}


def _difference_p(here: Score, there: Score) -> float | None:
    """Rows of a slice and the other rows are different rows, so their errors are independent."""
    if here.value is None or there.value is None or here.standard_error is None or there.standard_error is None:
        return None
    error = float(np.hypot(here.standard_error, there.standard_error))
    return 2 * tail(abs(here.value - there.value) / error, inf) if error else None


def _lead_p(verdict: Verdict, part: Predictions, here: dict[str, Score]) -> float | None:
    """Of the model that leads in a slice against the best one overall; None where that is the same."""
    known = {name: score.value for name, score in here.items() if score.value is not None}
    if verdict.best not in known:
        return None
    leader = (max if verdict.goal.better == "higher" else min)(known, key=lambda name: known[name])
    if known[leader] == known[verdict.best]:
        return None
    try:
        contest = contest_of(part, verdict.goal, unit="row", alpha=verdict.alpha, seed=verdict.seed)
        return contest.compare(tests[DEFAULTS["rows"]], leader, verdict.best).p
    except RefereeError:
        return None
