"""Resampling: data, models and splits, and how all fits of them are made and judged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import NAMES
from referee.fitting.fit_runs import fit_all
from referee.fitting.model_identity import identity_of
from referee.fitting.model_spec import estimators_of
from referee.fitting.run_folder import configuration_of
from referee.fitting.split_scores import values_of_splits, values_on_all_rows
from referee.fitting.stored_predictions import predictions_of, with_training_part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.fitting.dataset import DataSet
    from referee.fitting.fit_runs import Records
    from referee.fitting.runner.pool import Failure
    from referee.fitting.scheme import Scheme
    from referee.fitting.split_scores import Judged
    from referee.fitting.splits import Split
    from referee.predictions import Predictions
    from referee.scoring import Metric


@dataclass(frozen=True, eq=False)
class Resampling:
    """All that fits are made of; further ones, on other rows or other data, are made in the same way."""

    data: DataSet
    models: Any
    """As they were named, so that they can be prepared for features that have changed."""
    scheme: Scheme
    goal: Metric
    seed: int = 0
    folder: str | Path | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    """How fits are run: jobs, timeout, max_memory, quiet."""

    @cached_property
    def estimators(self) -> dict[str, Any]:
        return self._estimators(self.data)

    @cached_property
    def splits(self) -> list[Split]:
        data = self.data
        labels = np.array(data.classes)[data.target] if data.classes else None
        groups = None if data.group is None else data.group.codes
        return list(self.scheme.splits(data.X, labels, groups, data.time, seed=self.seed))

    @cached_property
    def outer_scheme(self) -> str:
        """The name of the scheme that decides which rows are tested."""
        return self._part_of_nested("outer") if self.scheme.name == "nested" else self.scheme.name

    @property
    def chooses_by_rows(self) -> bool:
        """Whether models are chosen by the value on all inner test rows of an outer split, and not by a mean."""
        return self.scheme.name == "nested" and self._part_of_nested("inner") == "leave_one_out"

    def _part_of_nested(self, place: str) -> str:
        from referee.fitting.splitters import scheme_of

        return scheme_of((self.scheme.defaults | dict(self.scheme.settings))[place]).name

    @property
    def compares_rows(self) -> bool:
        """Whether the value on all test rows counts, and not the mean over the splits."""
        one_split = len(self.splits) == 1 and self.scheme.combine not in NAMES
        return one_split or self.outer_scheme == "leave_one_out"

    def fits(
        self,
        inside: str = "",
        *,
        data: DataSet | None = None,
        splits: Sequence[Split] | None = None,
        only: Sequence[str] | None = None,
    ) -> tuple[Records, list[Failure]]:
        """Fit the models, or only some, on these splits of these data; further runs are kept inside the folder."""
        every = self.estimators if data is None else self._estimators(data)
        estimators = {name: one for name, one in every.items() if only is None or name in only}
        return fit_all(
            data or self.data,
            self.splits if splits is None else splits,
            estimators,
            folder=None if self.folder is None else Path(self.folder) / inside,
            configuration=self._configuration(every),
            seed=self.seed,
            goal=self.goal,
            **self.limits,
        )

    def predictions(self, names: Sequence[str], records: Records) -> Predictions:
        """What the models say of the test rows, with all that the scheme's estimate needs."""
        found = predictions_of(self.data, self.splits, names, records)
        return with_training_part(found, self.data, self.splits, records, self.scheme.combine)

    def judged(
        self, names: Sequence[str], records: Records, splits: Sequence[Split] | None = None
    ) -> dict[str, Judged]:
        """Each model's value on the test rows, by what is true of them."""
        predictions = predictions_of(self.data, self.splits if splits is None else splits, names, records)
        judge = values_on_all_rows if self.compares_rows else values_of_splits
        return judge(replace(predictions, notices=()), self.goal)

    def _estimators(self, data: DataSet) -> dict[str, Any]:
        return estimators_of(self.models, data.features, data.task, self.seed)

    def _configuration(self, estimators: Mapping[str, Any]) -> str:
        """Of the scheme and all models: one that has failed belongs to it too, as it may not do so the next time."""
        models = [(name, identity_of(estimator)) for name, estimator in estimators.items()]
        return configuration_of(
            identity_of([models, self.scheme.full_name]), self.scheme.combine, compares_rows=self.compares_rows
        )
