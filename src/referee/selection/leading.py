"""Who leads while the fits go on: the best mean of the goal over the splits that are done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.selection.fits.assembling import predictions_of
from referee.selection.judging import values_on_all_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.dataset import DataSet
    from referee.metric import Metric
    from referee.splitting.split import Split


class Leading:
    """The mean goal of each model so far; as a string, the best of them."""

    def __init__(self, data: DataSet, splits: Sequence[Split], goal: Metric) -> None:
        self._data, self._splits, self._goal = data, splits, goal
        self._values: dict[str, list[float]] = {}

    def add(self, model: str, split: int, record: Mapping[str, Any]) -> None:
        """Take in a fit; one on which the goal is undefined says nothing."""
        predictions = predictions_of(self._data, [self._splits[split]], [model], {(model, 0): record})
        value = values_on_all_rows(predictions, self._goal)[model].value
        if value is not None:
            self._values.setdefault(model, []).append(value)

    def __str__(self) -> str:
        means = {model: sum(each) / len(each) for model, each in self._values.items()}
        if not means:
            return ""
        best = (max if self._goal.better == "higher" else min)(means, key=lambda model: means[model])
        return f"{best} leads: {self._goal.name} {means[best]:.4g}"
