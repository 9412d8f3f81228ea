"""What the limits came to on the judged rows: they were kept where the threshold was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.thresholds.objective import value_at

if TYPE_CHECKING:
    from referee.summaries import Counts
    from referee.thresholds.judging import Decided
    from referee.thresholds.objective import Objective

CALLED = "rows per thousand called positive"


def judged_limits(contender: Decided, objective: Objective) -> dict[str, float | None]:
    counts = _counts(contender)
    found = {str(limit): float(value_at(limit.metric, counts, 1)[0]) for limit in objective.limits}
    if objective.capacity is not None:
        found[CALLED] = 1000 * float((counts.tp + counts.fp)[0] / counts.total[0])
    return {name: value if np.isfinite(value) else None for name, value in found.items()}


def missed_limits(contender: Decided, objective: Objective) -> list[str]:
    """The limits that are not kept on the judged rows."""
    found = judged_limits(contender, objective)
    missed = [
        str(limit) for limit in objective.limits
        if (value := found[str(limit)]) is None or not limit.keeps(np.asarray(value))
    ]  # fmt: skip
    called = found.get(CALLED)
    if called is not None and objective.capacity is not None and called > objective.capacity * (1 + 1e-12):
        missed.append(f"at most {objective.capacity:g} {CALLED}")
    return missed


def _counts(contender: Decided) -> Counts:
    counts: Counts = contender.summary.counts.against_rest(int(contender.predictions.positive or 0))
    return counts
