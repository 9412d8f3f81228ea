"""The one-standard-error rule: the simplest model that is within one standard error of the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.wording import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.metric import Metric
    from referee.selection.fits.running import Records
    from referee.selection.resampling import Resampling
    from referee.selection.weighing.tradeoffs import Tradeoff
    from referee.verdict import Verdict

MEASURES = ("leaves", "coefficients", "support_vectors", "stored_rows", "bytes")
"""Of size, the plainest first."""


@dataclass(frozen=True)
class OneStandardError:
    """What the rule takes; it is no test, and the verdict does not depend on it."""

    model: str
    best: str
    standard_error: float
    """Of the best model's value."""
    limit: float
    """The value that a model must reach."""
    within: tuple[str, ...]
    """The models that reach it, the best first."""
    simplicity: str
    """How simple a model is was told by this."""

    @property
    def sentence(self) -> str:
        if len(self.within) == 1:
            return f"one-standard-error rule: {self.best}; no other model is within {number(self.standard_error)} of it"
        what = f"the simplest of {len(self.within)} models within one standard error ({number(self.standard_error)}) of"
        best = "the best, which it is itself" if self.model == self.best else f"the best, {self.best}"
        return f"one-standard-error rule, which is no test: {self.model} is {what} {best}; simplest: {self.simplicity}"


def one_standard_error(
    resampling: Resampling,
    records: Records,
    verdict: Verdict,
    rows: Sequence[Tradeoff],
    *,
    in_order: bool = False,
) -> OneStandardError | None:
    """Breiman, Friedman, Olshen and Stone (1984), section 3.4.3; `in_order`: the models were named simplest first."""
    best = rows[0]
    error = _standard_error(resampling, records, verdict, best.model)
    if verdict.undecided or best.value is None or error is None or not np.isfinite(error):
        return None
    limit = best.value - error if verdict.goal.better == "higher" else best.value + error
    within = [row for row in rows if row.value is not None and _reaches(row.value, limit, verdict.goal)]
    if in_order:
        names = list(resampling.estimators)
        simplest, how = min(within, key=lambda row: names.index(row.model)), "named first"
    else:
        measure = next((one for one in MEASURES if all(one in row.size for row in within)), None)
        if measure is None:
            return None
        simplest, how = min(within, key=lambda row: row.size[measure]), f"fewest {measure.replace('_', ' ')}"
    return OneStandardError(simplest.model, best.model, error, limit, tuple(row.model for row in within), how)


def _reaches(value: float, limit: float, goal: Metric) -> bool:
    return value >= limit if goal.better == "higher" else value <= limit


def _standard_error(resampling: Resampling, records: Records, verdict: Verdict, best: str) -> float | None:
    """That of the mean over the splits; of splits that share test rows only so many count as fit side by side.

    Of k folds this is the usual deviation / sqrt(k). Thirty splits of a third of the rows hold the rows of three test
    sets, not of thirty; Breiman et al. count rows.
    """
    if resampling.compares_rows:
        return verdict.scores[best, verdict.goal].standard_error
    each = resampling.judged([best], records)[best].each
    tested = np.mean([len(split.test) for split in resampling.splits])
    side_by_side = min(len(each), resampling.data.rows / float(tested))
    return float(each.std(ddof=1) / np.sqrt(side_by_side))
