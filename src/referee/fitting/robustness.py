"""Robustness: how much a model minds noise and gaps in its data, and whether it says the same again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.catalogue import split_list, write_value
from referee.comparing import Design, mean_difference
from referee.errors import Notice, UsageError, did_you_mean
from referee.fitting.fit_runs import outcomes, why_unfitted
from referee.fitting.fits import Fitting, Unit
from referee.fitting.rows import Rows
from referee.fitting.runner.crew import Failure
from referee.records import dataclass

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.fitting.dataset import DataSet, Feature
    from referee.fitting.resampled_models import Resampling
    from referee.fitting.stored_predictions import Judged, Records

DEFAULT_RATES = {"label_noise": 0.1, "feature_noise": 0.2, "missing": 0.1}
IN_WORDS = {
    "label_noise": "labels of the training rows changed to another class; numbers: noise with that share of their "
    "standard deviation",
    "feature_noise": "numbers: noise with that share of their standard deviation; categories changed to another one",
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
            raise UsageError("E_PARAMETER", f"--robustness: {self.kind!r} is not a kind of noise; {hint}", hint=hint)
        if not 0 < self.rate <= 1 or (self.kind == "missing" and self.rate == 1):
            raise UsageError(
                "E_PARAMETER", f"--robustness: {self} is not a rate", hint="a share between 0 and 1, such as 0.1"
            )

    def __str__(self) -> str:
        return f"{self.kind}={write_value(self.rate)}"

    def applied_to(self, data: DataSet, seed: int = 0) -> DataSet:
        """The data with this done to them: the same for every model, and at a higher rate more of the same.

        What happens to a cell hangs on the seed and on its place alone.

        >>> from referee.fitting import DataSet
        >>> data = DataSet.from_arrays({"x": list(range(1000))}, [0, 1] * 500)
        >>> noisy = Corruption("label_noise", 0.2).applied_to(data)
        >>> 150 < int((noisy.target != data.target).sum()) < 250
        True
        >>> 150 < Corruption("missing", 0.2).applied_to(data).features[0].missing < 250
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


def robustness_of(
    resampling: Resampling, corruptions: Sequence[Corruption], clean: Mapping[str, Judged], design: Design
) -> dict[str, tuple[Robustness, ...]]:
    """Fit the models on the damaged data, with the same splits, and compare with what they are worth without damage."""
    changes: dict[str, list[Robustness]] = {name: [] for name in clean}
    for corruption in corruptions:
        damaged = corruption.applied_to(resampling.data, resampling.seed)
        records, failures = resampling.fits(f"robustness/{corruption}", data=damaged, only=list(clean))
        unfitted = why_unfitted(failures, resampling.splits)
        values = resampling.judged([name for name in clean if name not in unfitted], records)
        for name, before in clean.items():
            changes[name].append(_change(corruption, before, values.get(name), unfitted.get(name), design))
    return {name: tuple(each) for name, each in changes.items()}


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


def corruptions_of(given: Any) -> tuple[Corruption, ...]:
    """Kinds of noise with their rates: a text as on the command line, or a dict; none if nothing is asked.

    >>> [str(corruption) for corruption in corruptions_of("label_noise=0.1,0.2,missing")]
    ['label_noise=0.1', 'label_noise=0.2', 'missing=0.1']
    >>> corruptions_of({"missing": [0.3]})
    (Corruption(kind='missing', rate=0.3),)
    >>> len(corruptions_of("default"))
    3
    """
    if given is None:
        return ()
    if given == "default":
        given = DEFAULT_RATES
    if isinstance(given, str):
        given = _rates_by_kind(given)
    if not isinstance(given, Mapping) or not given:
        hint = 'label_noise=0.1,0.2 on the command line, {"label_noise": [0.1, 0.2]} in Python'
        raise UsageError("E_PARAMETER", "--robustness: no kind of noise with its rates", hint=hint)
    corruptions = [
        Corruption(kind, finite_number(rate, "--robustness"))
        for kind, rates in given.items()
        for rate in as_list(rates)
    ]
    return tuple(dict.fromkeys(corruptions))


def _rates_by_kind(text: str) -> dict[str, list[Any]]:
    """A kind without a rate has the usual one; a rate without a kind is one more of the kind before."""
    rates: dict[str, list[Any]] = {}
    kind = ""
    for word in split_list(text):
        name, equals, rate = (part.strip() for part in word.partition("="))
        if equals:
            kind = name
            rates.setdefault(kind, []).append(rate)
        elif kind and _is_number(word):
            rates[kind].append(word)
        else:
            kind = name
            rates.setdefault(kind, []).append(DEFAULT_RATES.get(kind, 0.1))
    return rates


def as_list(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | int | float) else list(given)


def finite_number(given: Any, option: str) -> float:
    if isinstance(given, bool) or not _is_number(given):
        raise UsageError("E_PARAMETER", f"{option}: {given!r} is not a number")
    return float(given)


def _is_number(given: Any) -> bool:
    try:
        return abs(float(given)) < float("inf")
    except (TypeError, ValueError):
        return False


ROWS = 20
"""Of the first test part, that are predicted one by one."""
NEAR = 1e-6
"""What the order of a sum may change, in relation to the value."""


@dataclass(frozen=True)
class Check(Fitting):
    """Fit once more, and predict some rows together and alone."""

    def __call__(self, unit: Unit) -> dict[str, Any]:
        test = self.splits[unit.split].test
        ((model, *_),) = self.fitted(unit)
        rows = self.X[test][:ROWS]
        together = _said(self, model, rows)
        return {
            "again": _said(self, model, self.X[test]),
            "differs": not _equal(together, _said(self, model, rows)),
            "alone": _first_that_differs(together, [_said(self, model, rows[[row]]) for row in range(len(rows))]),
        }


def _said(work: Fitting, model: Any, rows: Array) -> dict[str, Array]:
    (said,) = work.said([model], rows)
    return {kind: values for kind, values in said.answers.items() if isinstance(values, np.ndarray)}


def _equal(some: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    return all(np.array_equal(values, other[kind]) for kind, values in some.items())


def _first_that_differs(together: Mapping[str, Array], alone: Sequence[Mapping[str, Array]]) -> int | None:
    for row, said in enumerate(alone):
        if not all(np.allclose(values[row], said[kind][0], rtol=NEAR) for kind, values in together.items()):
            return row
    return None


def check_models(resampling: Resampling, records: Records) -> list[Notice]:
    """Fit each model on the first split again, and say which are not what a comparison takes them to be."""
    work = Check.of(resampling.data, resampling.splits, resampling.estimators)
    units = [Unit((name,), 0) for name in resampling.estimators if (name, 0) in records]
    checked = dict(outcomes(units, work, resampling.limits))
    return [notice for unit in units for notice in _notices(unit.models[0], checked[unit], records)]


def _notices(name: str, check: Any, records: Records) -> list[Notice]:
    if isinstance(check, Failure):
        return [Notice("W_NONDET", f"{name} failed when it was fitted again with the same seed: {check.message}")]
    first = {kind: records[name, 0][f"test_{kind}"] for kind in check["again"]}
    if check["differs"] or not _equal(check["again"], first):
        return [
            Notice(
                "W_NONDET",
                f"{name} gives different predictions with the same seed and the same rows: its result cannot be "
                "reproduced, and a resumed run will differ",
            )
        ]
    if check["alone"] is not None:
        return [
            Notice(
                "W_BATCH",
                f"{name} predicts test row {check['alone'] + 1} differently on its own than in a batch: it uses the "
                "other test rows, which may not be available in production",
            )
        ]
    return []
