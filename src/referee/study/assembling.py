"""From the records of all repetitions to the outcomes of each case; the average of the five follows here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.study.outcomes import APPROACHES, ROLES, CaseOutcomes, Partition
from referee.study.settings import AVERAGE, FIVE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from referee.arrays import Array
    from referee.study.repetition import Repeating, Unit
    from referee.study.settings import Settings

    Records = Mapping[Unit, Mapping[str, Any]]


def cases_of(records: Records, work: Repeating, settings: Settings) -> tuple[CaseOutcomes, ...]:
    """The outcomes of every pair on every data set; `settings` may differ in what is chosen after the fits."""
    return tuple(
        _case(records, work, settings, name, place) for name in work.data for place in range(len(settings.pairs))
    )


def _case(records: Records, work: Repeating, settings: Settings, name: str, place: int) -> CaseOutcomes:
    pair = work.pairs[name][place]
    each = [record for unit, record in sorted(records.items()) if unit.data_set == name]
    differences = np.stack([record[f"{pair.name}_differences"] for record in each])
    whole = np.stack([record[f"{pair.name}_whole"] for record in each], axis=1)
    if AVERAGE in settings.chosen:
        data = work.data[name]
        weights, constant = average_of_five(settings, float((data.target == data.positive).mean()))
        differences = np.concatenate([differences, (differences @ weights)[..., None]], axis=-1)
        whole = np.concatenate([whole, (whole @ weights + constant)[..., None]], axis=-1)
    parts = dict(_partitions(differences, whole, settings))
    return CaseOutcomes(name, pair.name, pair.a, pair.b, settings.chosen, parts, settings.alpha)


def _partitions(differences: Array, whole: Array, settings: Settings) -> Iterator[tuple[Any, Partition]]:
    sizes = {"test_sets": settings.test_subsets, "holdout": settings.holdout_subsets}
    start = 0
    for place, (approach, role) in enumerate((approach, role) for approach in APPROACHES for role in ROLES):
        end = start + sizes[approach]
        yield (approach, role), Partition(differences[:, start:end], whole[0, :, place], whole[1, :, place])
        start = end


def average_of_five(settings: Settings, positives: float) -> tuple[Array, float]:
    """The weight of each measured metric in the average, and what is added.

    Plain: (accuracy + AUC + F + (1 - RMS) + (1 - MXE)) / 5. Normalised, as Caruana and Niculescu-Mizil (2004) do:
    each is 0 for guessing with the share of positives, and 1 for a perfect model.

    >>> from referee.study.settings import Settings
    >>> weights, constant = average_of_five(Settings(), 0.25)
    >>> weights.tolist(), constant
    ([0.2, 0.2, 0.2, -0.2, -0.2], 0.4)
    """
    guessing, perfect = _guessing(positives), {"rms": 0.0, "log_loss": 0.0}
    weights, constant = np.zeros(len(settings.measured)), 0.0
    for name in FIVE:
        best = perfect.get(name, 1.0)
        worst = 1 - best if settings.average == "plain" else guessing[name]
        weights[list(settings.measured).index(name)] = 1 / (best - worst) / len(FIVE)
        constant -= worst / (best - worst) / len(FIVE)
    return weights, constant


def _guessing(positives: float) -> dict[str, float]:
    """What guessing gives: the commoner class, the share of positives, or for F every row as positive."""
    shares = np.array([positives, 1 - positives])
    return {
        "accuracy": float(shares.max()),
        "roc_auc": 0.5,
        "f_beta": 2 * positives / (1 + positives),
        "rms": float(np.sqrt(shares.prod())),
        "log_loss": float(-(shares * np.log(shares)).sum()),
    }
