"""Contest: all models on one metric in one design, which is what significance tests are given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import EXACT_ROWS
from referee.contender import Contender
from referee.engines import engine_of
from referee.errors import UndefinedError
from referee.formula import values
from referee.row_pairs import refuse_weights_and_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.comparison import Comparison
    from referee.design import Design
    from referee.metric import Metric
    from referee.predictions import Model, Predictions, Units
    from referee.significance import SignificanceTest


@dataclass(frozen=True, eq=False)
class Contest:
    """Compares any two of the models by any test that takes what the design gives."""

    predictions: Predictions
    metric: Metric
    design: Design
    units: Units | None = None
    """The folds or data sets, where these are compared and not rows."""
    partitions: Array | None = None
    """The subset of each row in each of several partitions: (partition, row)."""

    @property
    def by_rows(self) -> bool:
        return self.design.kind in ("rows", "out_of_fold")

    @property
    def rows(self) -> int:
        """How many there are; a row with a frequency weight is so many, and one without weight is none."""
        return round(self.predictions.rows_seen)

    @cached_property
    def contenders(self) -> dict[str, Contender]:
        return {model.name: Contender(self.predictions, model, self.metric) for model in self.predictions.models}

    @cached_property
    def values(self) -> dict[str, float]:
        """What each model is ranked by: its value on all rows, or the mean over the units."""
        if self.by_rows:
            return {name: one.value for name, one in self.contenders.items()}
        return {name: float(each.mean()) for name, each in self.unit_values.items()}

    @cached_property
    def unit_values(self) -> dict[str, Array]:
        """Each model's value of each unit; of each partition's units, where there are several: (partition, unit)."""
        return {model.name: self._checked(model, self._values_of_units(model)) for model in self.predictions.models}

    def _values_of_units(self, model: Model) -> Array:
        if self.partitions is not None:
            from referee.engines.partitions import values_by_partition

            found = values_by_partition(self.predictions, model, [self.metric], self.partitions, self.subsets)
            return np.asarray(found[self.metric.full_name])
        summary = engine_of(self.predictions).summarise(self.predictions, model, self.units)
        return values(self.metric, summary, len(self.predictions.classes), self.predictions.positive)

    @property
    def subsets(self) -> int:
        return 0 if self.partitions is None else int(self.partitions.max()) + 1

    def _checked(self, model: Model, found: Array) -> Array:
        if np.isfinite(found).all():
            return found
        unit = int(np.argmin(np.isfinite(found).reshape(-1, found.shape[-1]).all(axis=0)))
        name = self.units.names[unit] if self.units else unit + 1
        reason = self.metric.undefined_when or "not a number"
        raise UndefinedError(
            "E_UNITS",
            f"{self.metric.full_name} of {model.name} is undefined in {self.design.unit} {name}: {reason}",
            hint=f"larger or fewer {self.design.unit}s, or a metric that is defined on each of them",
        )

    def compare(self, test: SignificanceTest, a: str, b: str, *, alpha: float | None = None) -> Comparison:
        """Compare two of the models by name."""
        design = self.design if alpha is None else replace(self.design, alpha=alpha)
        return replace(self._applied(test, a, b, design), a=a, b=b, metric=self.metric.full_name)

    def _applied(self, test: SignificanceTest, a: str, b: str, design: Design) -> Comparison:
        if test.takes == "rows":
            return test.apply(self.contenders[a], self.contenders[b], design)
        if test.takes == "decisions":
            refuse_weights_and_groups(self.predictions, test.title)
            return test.apply(self.contenders[a].correct, self.contenders[b].correct, design)
        mine, others = self.unit_values[a], self.unit_values[b]
        if self.partitions is None:
            return test.apply(mine, others, design)
        found = _median([test.apply(x, y, design) for x, y in zip(mine, others, strict=True)])
        return replace(found, details={**found.details, "subsets": self.subsets})

    @cached_property
    def covariance(self) -> Array:
        """Of the models' values, in the order of their names."""
        names = sorted(self.values)
        if not self.by_rows:
            each = np.stack([np.atleast_2d(self.unit_values[name]) for name in names])
            covariances = [np.atleast_2d(np.cov(each[:, one])) for one in range(each.shape[1])]
            return np.asarray(np.mean(covariances, axis=0) * self._of_mean(each.shape[2]))
        pieces = np.stack([self.contenders[name].pieces for name in names])
        if pieces.shape[1] <= EXACT_ROWS:
            pieces = pieces[:, np.lexsort(pieces)]  # so that rounding does not depend on the order of the rows
        with np.errstate(all="ignore"):
            return np.asarray(pieces @ pieces.T)

    def _of_mean(self, units: int) -> float:
        """What the variance of one unit's value is multiplied by to give that of their mean."""
        design, factor = self.design, 1 / units
        if design.overlapping and design.n_train is not None and design.n_test is not None:
            factor += float(design.n_test.sum() / design.n_train.sum())
        return factor


def _median(found: Sequence[Comparison]) -> Comparison:
    """The comparison with the median p (or probability) of several partitions, and how much these disagree."""
    ordered = sorted(found, key=lambda one: (one.p is None, one.details.get("a_better") if one.p is None else one.p))
    middle = ordered[len(ordered) // 2]
    significant = sum(one.outcome in ("a", "b") for one in found)
    details: dict[str, Any] = {"partitions": len(found), "significant_partitions": significant}
    warnings = tuple(dict.fromkeys(notice for one in found for notice in one.warnings))
    return replace(middle, details={**middle.details, **details}, warnings=warnings)
