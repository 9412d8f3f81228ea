"""The scheme's own estimate of a model, where it mixes the value of the test rows with that of the training rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from referee.combining import around_the_estimate, overfitting
from referee.engines import engine_of
from referee.formula import values
from referee.verdict.no_information import no_information_values

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.metric import Metric
    from referee.predictions import Predictions, TrainingPart

TOO_FITTED = 0.5
"""The rate of overfitting above which the plain .632 estimate is not to be trusted."""


@dataclass(frozen=True, eq=False)
class SchemeEstimate:
    """The .632 or .632+ value of one model from those of its test rows, split by split."""

    part: TrainingPart
    metric: Metric
    model: str

    def of(self, test: Array) -> float:
        """The estimate itself."""
        return float(self.around(test).mean())

    def around(self, test: Array) -> Array:
        """Values of the splits with the estimate as their mean, and the spread that tells how sure it is."""
        guessing = self.guessing if self.part.combine == "point_632_plus" else None
        return around_the_estimate(
            self.part.combine, test, train=self.train, no_information=guessing, better=self.metric.better
        )

    def is_doubtful(self, test: Array) -> bool:
        """Whether the model fits its training rows so well that plain .632 flatters it."""
        if self.part.combine != "point_632":
            return False
        rate = overfitting(test.mean(), self.train.mean(), self.guessing.mean(), self.metric.better)
        return bool(rate > TOO_FITTED)

    @cached_property
    def train(self) -> Array:
        """The value of the training rows in each split."""
        seen = self._seen
        several = [one for one in (seen.repeat, seen.fold) if one is not None]
        engine = engine_of(seen)
        summary = engine.summarise(seen, seen.models[0], engine.crossed(several))
        return values(self.metric, summary, len(seen.classes), seen.positive)

    @cached_property
    def guessing(self) -> Array:
        """The value in each split if the predictions told nothing of the truth."""
        return no_information_values(self._seen, self.metric)[self.model]

    @cached_property
    def _seen(self) -> Predictions:
        every = self.part.predictions
        return replace(every, models=(every.model(self.model),))
