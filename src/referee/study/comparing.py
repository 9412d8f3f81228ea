"""What two models differ by on every subset of a repetition, by every metric, without a loop over subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.engines.partitions import Partitioned
from referee.engines.rows import rows_of
from referee.engines.sampled_rows import SampledRows
from referee.errors import UndefinedError
from referee.predictions import Model, Predictions
from referee.study.dealing import WHOLE
from referee.unit_differences import DUST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.metric import Metric
    from referee.study.dealing import Deal


def compared(
    truth: Array, a: Array, b: Array, positive: int, dealt: Deal, metrics: Mapping[str, Metric]
) -> dict[str, Array]:
    """Differences a - b on the subsets (subset, metric), and the values on whole parts (model, part, metric).

    The subsets of all approaches and roles stand one after the other, in the order of `dealt.places`.
    """
    values = np.stack([values_on(truth, scores, positive, dealt, metrics) for scores in (a, b)])
    subsets = [values[:, :, partition, units] for partition, units in dealt.places.values()]
    _refuse_undefined(subsets, list(metrics))
    whole = np.stack([values[:, :, partition, unit] for partition, unit in WHOLE.values()], axis=1)
    differences = np.concatenate([_without_dust(*both) for both in subsets], axis=1)
    return {"differences": np.ascontiguousarray(differences.T), "whole": whole}


def values_on(truth: Array, scores: Array, positive: int, dealt: Deal, metrics: Mapping[str, Metric]) -> Array:
    """Every metric of a model in every unit of every partition: (metric, partition, unit)."""
    model = Model("model", scores=scores)
    predictions = Predictions("binary", truth, (model,), ("0", "1"), positive)
    subsets = Partitioned(SampledRows(rows_of(predictions, model)), dealt.codes, dealt.units)
    return np.stack([subsets.value(metric) for metric in metrics.values()])


def _without_dust(a: Array, b: Array) -> Array:
    """What only rounding makes different is the same: (metric, subset)."""
    differences = a - b
    largest = np.maximum(np.abs(a), np.abs(b)).max(axis=1, keepdims=True)
    return np.where(np.abs(differences) <= DUST * largest, 0.0, differences)


def _refuse_undefined(subsets: list[Array], names: list[str]) -> None:
    for values in subsets:
        missing = ~np.isfinite(values).all(axis=(0, 2))
        if missing.any():
            name = names[int(missing.argmax())]
            raise UndefinedError("E_SUBSETS", f"{name} is undefined on a subset", hint="fewer subsets")
