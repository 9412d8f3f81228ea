"""Whether the judged rows are enough to name the better model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import Notice, UndefinedError, UsageError
from referee.verdict.doubts import TOO_FEW
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.predictions import Predictions
    from referee.thresholds.parts import Parts


def judged_share(judged: Predictions) -> float:
    """The share of positives, by weight."""
    if judged.engine != "memory":
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
