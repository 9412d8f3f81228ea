"""Group sums: groups of rows that stay in a database, where the rows of one kind in each group are one cell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from referee.engines import summing_engine_of
from referee.predictions import Model, Units
from referee.records import dataclass
from referee.scoring.groups import Groups, groups_of
from referee.scoring.influences import influence

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring.intervals import Spread
    from referee.scoring.metric import Metric

GROUP_SUMS = "_group_sums_of_metrics"


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Of all models on one metric."""

    groups: dict[str, Groups]
    """Of each model, with cells in place of rows."""
    changes: dict[str, Array]
    """What one row of each cell adds, on average."""

    @classmethod
    def of(cls, predictions: Predictions, metric: Metric) -> GroupSums:
        """Asked for once, as long as the predictions live."""
        made: dict[str, GroupSums] = vars(predictions).setdefault(GROUP_SUMS, {})
        if metric.full_name not in made:
            made[metric.full_name] = _asked(predictions, metric)
        return made[metric.full_name]

    def spread(self, name: str) -> Spread | None:
        return self.groups[name].spread(self.changes[name])


def _asked(predictions: Predictions, metric: Metric) -> GroupSums:
    engine = summing_engine_of(predictions)
    with np.errstate(all="ignore"), metric.answerable():
        every = [influence(engine.summarise(predictions, model), metric) for model in predictions.models]
        cells = engine.group_cells(predictions, every, by_label=metric.summaries == ("counts",))
    assert predictions.group is not None
    few = replace(
        predictions, truth=cells.truth, weight=cells.weight, group=Units(cells.group, predictions.group.names),
        models=(), fold=None, repeat=None, baseline=None, slices={}, engine="memory", row_count=None,
    )  # fmt: skip
    groups = {}
    for place, name in enumerate(predictions.names):
        labels = None if cells.labels is None else cells.labels[place]
        made = groups_of(few, Model(name, labels=labels), metric)
        assert made is not None
        groups[name] = made
    return GroupSums(groups, dict(zip(predictions.names, cells.changes, strict=True)))
