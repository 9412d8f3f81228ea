"""The rows of a repetition: what is trained on, and how all others are dealt out into subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.comparing import DUST
from referee.document import counted
from referee.engines import rows_of
from referee.errors import UndefinedError
from referee.fitting import DataSet, Rows, dealt, parted
from referee.predictions import Model, Predictions
from referee.records import dataclass
from referee.scoring import Metric, Partitioned, SampledRows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.arrays import Array
    from referee.paper.outcomes import Approach, Role
    from referee.paper.settings import Settings


@dataclass(frozen=True, eq=False)
class Deal:
    """The training rows, the others, and for every partition the unit that each of the others belongs to.

    Partitions 0 and 1 deal all other rows out, for the goal and again for the evaluation metric. Partition 2 deals
    the test rows out, and behind them the holdout rows. 3 and 4 are the same without subsets.
    """

    train: Array
    others: Array
    codes: Array
    """(partition, row)."""
    units: int
    places: dict[tuple[Approach, Role], tuple[int, slice]]
    """The partition and units of the subsets of an approach and role."""


WHOLE: dict[tuple[Approach, Role], tuple[int, int]] = {
    ("test_sets", "goal"): (3, 0),
    ("test_sets", "evaluation"): (3, 0),
    ("holdout", "goal"): (4, 0),
    ("holdout", "evaluation"): (4, 1),
}
"""The partition and unit that holds all rows of an approach and role."""


def deal(rows: Rows, settings: Settings, repetition: int) -> Deal:
    """Draw the training rows and deal the others out; each repetition, from 1, has its own stream of random numbers."""
    random = rows.random(repetition)
    others, train = parted(rows.strata, settings.train, random if settings.retrain else rows.random(1))
    strata = rows.strata[others]
    test, holdout = parted(strata, settings.holdout / (1 - settings.train), random)
    codes = np.zeros((5, len(others)), np.int64)
    everyone, subsets = np.arange(len(others)), settings.holdout_subsets
    for partition, part, count, first in (
        (0, everyone, settings.test_subsets, 0),
        (1, everyone, settings.test_subsets, 0),
        (2, test, subsets, 0),
        (2, holdout, subsets, subsets),
    ):
        for unit, places in enumerate(dealt(strata[part], count, random), first):
            codes[partition, part[places]] = unit
    codes[4, holdout] = 1
    return Deal(train, others, codes, max(settings.test_subsets, 2 * subsets), _places(settings))


def _places(settings: Settings) -> dict[tuple[Approach, Role], tuple[int, slice]]:
    subsets = settings.holdout_subsets
    return {
        ("test_sets", "goal"): (0, slice(0, settings.test_subsets)),
        ("test_sets", "evaluation"): (1, slice(0, settings.test_subsets)),
        ("holdout", "goal"): (2, slice(0, subsets)),
        ("holdout", "evaluation"): (2, slice(subsets, 2 * subsets)),
    }


def refuse_small(name: str, data: DataSet, settings: Settings) -> None:
    """Refuse data of which a subset would have no row of one of the classes."""
    rarest = int(np.bincount(data.target, minlength=2).min())
    if settings.train * rarest < 1:
        raise UndefinedError(
            "E_TOOFEW",
            f"{name}: {settings.train:g} of the rows leaves no training row of the rarer class",
            hint="use a larger --train",
        )
    smallest = min(settings.train_holdout_test[1:])
    for share, subsets in ((1 - settings.train, settings.test_subsets), (smallest, settings.holdout_subsets)):
        rows = int(share * rarest)
        if rows < subsets:
            raise UndefinedError(
                "E_SUBSETS",
                f"{name}: {counted(rows, 'row')} of the rarer class cannot be divided into {subsets:,} subsets",
                hint="use fewer subsets: --test-subsets and --holdout-subsets",
            )


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


ALIKE = 1e-12
"""Differences that vary by less than this share of their size are all the same, but for rounding."""


def decided(gains: Array, test: str = "t", alpha: float = 0.05) -> Array:
    """The outcome of each row of gains (..., subset): 1 if the gains are significantly positive, -1 negative, else 0.

    As `tests["paired_t"]` and `tests["sign"]` decide: no difference at all is a tie, and where all subsets differ by
    the same amount the sign test decides.

    >>> decided(np.array([[0.1, 0.2, 0.3, 0.2], [0.1, -0.1, 0.2, -0.2], [0.0, 0.0, 0.0, 0.0]])).tolist()
    [1, 0, 0]
    """
    p = {"t": _t_p, "sign": _sign_p}[test](gains)
    leaning = _surplus(gains) if test == "sign" else gains.mean(axis=-1)
    return np.where(p < alpha, np.sign(leaning), 0).astype(np.int8)


def _t_p(gains: Array) -> Array:
    from scipy.special import stdtr

    subsets = gains.shape[-1]
    alike = np.ptp(gains, axis=-1) <= ALIKE * np.abs(gains).max(axis=-1)
    with np.errstate(all="ignore"):
        statistic = gains.mean(axis=-1) / (gains.std(axis=-1, ddof=1) / subsets**0.5)
        p = 2 * stdtr(subsets - 1, -np.abs(statistic))
    return np.where(alike, _sign_p(gains), p)


def _sign_p(gains: Array) -> Array:
    from scipy.special import bdtr

    wins, losses = (gains > 0).sum(axis=-1), (gains < 0).sum(axis=-1)
    return np.minimum(1.0, 2 * bdtr(np.minimum(wins, losses), np.maximum(wins + losses, 1), 0.5))


def _surplus(gains: Array) -> Array:
    return (gains > 0).sum(axis=-1) - (gains < 0).sum(axis=-1)
