"""Corruption: noise and gaps that are put into data on purpose, to see how much a model minds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from referee.catalogue import write_value
from referee.comparing import mean_difference
from referee.errors import UsageError, did_you_mean
from referee.fitting.answers import why_unfitted
from referee.fitting.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing import Design
    from referee.fitting.dataset import DataSet, Feature
    from referee.fitting.resampling import Resampling
    from referee.fitting.split_scores import Judged

DEFAULT_RATES = {"label_noise": 0.1, "feature_noise": 0.2, "missing": 0.1}
IN_WORDS = {
    "label_noise": "labels of the training rows changed to another class; numbers: noise of that share of their "
    "standard deviation",
    "feature_noise": "numbers: noise of that share of their standard deviation; categories changed to another one",
    "missing": "cells without a value",
}
CELL = 2**31
"""Keeps these streams apart from those of the splits."""


@dataclass(frozen=True)
class Corruption:
    """One kind of damage at one rate.

    >>> str(Corruption("label_noise", 0.1))
    'label_noise=0.1'
    """

    kind: str
    rate: float

    def __post_init__(self) -> None:
        if self.kind not in DEFAULT_RATES:
            hint = did_you_mean(self.kind, DEFAULT_RATES)
            raise UsageError("E_PARAMETER", f"--robustness: {self.kind!r} is no kind of noise; {hint}", hint=hint)
        if not 0 < self.rate <= 1 or (self.kind == "missing" and self.rate == 1):
            raise UsageError(
                "E_PARAMETER", f"--robustness: {self} is no rate", hint="a share between 0 and 1, such as 0.1"
            )

    def __str__(self) -> str:
        return f"{self.kind}={write_value(self.rate)}"

    def of(self, data: DataSet, seed: int = 0) -> DataSet:
        """The data with this done to them: the same for every model, and at a higher rate more of the same.

        What happens to a cell hangs on the seed and on its place alone.

        >>> from referee.fitting import DataSet
        >>> data = DataSet.from_arrays({"x": list(range(1000))}, [0, 1] * 500)
        >>> noisy = Corruption("label_noise", 0.2).of(data)
        >>> 150 < int((noisy.target != data.target).sum()) < 250
        True
        >>> 150 < Corruption("missing", 0.2).of(data).features[0].missing < 250
        True
        """
        if self.kind == "label_noise":
            return replace(data, target=self._noisy_target(data, seed))
        columns = [
            self._damaged(data.X[:, place], feature, self._stream(data, seed, place))
            for place, feature in enumerate(data.features)
        ]
        features = tuple(
            replace(feature, missing=int(np.isnan(column).sum()))
            for feature, column in zip(data.features, columns, strict=True)
        )
        return replace(data, X=np.column_stack(columns) if columns else data.X, features=features)

    def _stream(self, data: DataSet, seed: int, column: int) -> np.random.RandomState:
        kind = list(DEFAULT_RATES).index(self.kind)
        return Rows(data.rows, seed=seed, cell=(CELL, kind)).random(column)

    def _noisy_target(self, data: DataSet, seed: int) -> Array:
        random = self._stream(data, seed, 0)
        if not data.classes:
            return self._with_noise(data.target, random)
        return self._changed(data.target, len(data.classes), random).astype(data.target.dtype)

    def _damaged(self, column: Array, feature: Feature, random: np.random.RandomState) -> Array:
        if self.kind == "missing":
            return np.where(random.uniform(size=len(column)) < self.rate, np.nan, column)
        if feature.is_categorical:
            return self._changed(column, len(feature.categories), random)
        return self._with_noise(column, random)

    def _changed(self, codes: Array, categories: int, random: np.random.RandomState) -> Array:
        """Each code becomes another one at the rate, every other one with the same chance; missing ones stay so."""
        happens, steps = random.uniform(size=(2, len(codes)))
        if categories < 2:
            return codes
        others = (codes + 1 + np.floor(steps * (categories - 1))) % categories
        return np.where(happens < self.rate, others, codes)

    def _with_noise(self, numbers: Array, random: np.random.RandomState) -> Array:
        noise = random.standard_normal(len(numbers))
        deviation = np.nanstd(numbers) if np.isfinite(numbers).any() else 0.0
        return np.asarray(numbers + self.rate * deviation * noise)


@dataclass(frozen=True)
class Robustness:
    """What one kind of noise does to a model."""

    kind: str
    rate: float
    value: float | None
    """On the goal metric; labels are judged as they truly are."""
    change: float | None
    """The value minus that without noise, in the metric's own units."""
    standard_error: float | None = None
    """Of the change, paired over the splits and corrected for their overlap; None where rows are compared."""
    undefined: str | None = None
    """Why there is no value."""


def robustness(
    resampling: Resampling, corruptions: Sequence[Corruption], clean: Mapping[str, Judged], design: Design
) -> dict[str, tuple[Robustness, ...]]:
    """Fit the models on the damaged data, with the same splits, and compare with what they are worth without damage."""
    found: dict[str, list[Robustness]] = {name: [] for name in clean}
    for corruption in corruptions:
        damaged = corruption.of(resampling.data, resampling.seed)
        records, failures = resampling.fits(f"robustness/{corruption}", data=damaged, only=list(clean))
        unfitted = why_unfitted(failures, resampling.splits)
        values = resampling.judged([name for name in clean if name not in unfitted], records)
        for name, before in clean.items():
            found[name].append(_change(corruption, before, values.get(name), unfitted.get(name), design))
    return {name: tuple(each) for name, each in found.items()}


def _change(
    corruption: Corruption, before: Judged, after: Judged | None, why: str | None, design: Design
) -> Robustness:
    kind, rate = corruption.kind, corruption.rate
    if after is None or after.value is None or before.value is None:
        value = None if after is None else after.value
        return Robustness(kind, rate, value, None, undefined=why or "the metric is undefined")
    paired = design.kind == "splits" and len(before.each) > 1
    error = mean_difference(after.each, before.each, design).standard_error if paired else None
    return Robustness(kind, rate, after.value, after.value - before.value, error)
