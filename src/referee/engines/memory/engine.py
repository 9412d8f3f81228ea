"""The engine of arrays in memory."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from referee.arrays import largest, scale_to_one
from referee.engines.memory.rows import KEPT_ROWS, SUMMARIES
from referee.engines.memory.summary import Summary
from referee.engines.rank_sums import rank_sums as summed_ranks
from referee.predictions import Units, facts_of_arrays, score_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.engines.rank_sums import RankSums
    from referee.predictions import Facts, Model, Predictions

TO_HAVE_ROWS = ""
ROWS_ARE = "are in memory"
IN_BATCHES, SUMS_PAIRS, ANSWERS = False, False, False


def summarise(predictions: Predictions, model: Model, by: Units | None = None) -> Summary:
    """Give the summaries of one model's predictions for each unit; each is made when a metric asks for it."""
    if by is not None or predictions.rows > KEPT_ROWS:
        return Summary(predictions, model, by)
    # The same one as long as the predictions live, so that nothing is sorted or added up twice.
    made: dict[Model, Summary] = vars(predictions).setdefault(SUMMARIES, {})
    if model not in made:
        made[model] = Summary(predictions, model, None)
    return made[model]


def facts(predictions: Predictions, model: Model) -> Facts:
    return facts_of_arrays(predictions, model)


def rows_of_classes(predictions: Predictions) -> Array:
    return predictions.rows_of_classes


def constant(predictions: Predictions, value: float) -> Array:
    return np.broadcast_to(np.asarray(value), predictions.rows)


def mean_and_quantiles(predictions: Predictions, levels: Sequence[float]) -> tuple[float, dict[float, float]]:
    """Of the truth, with its weights."""
    truth, weight = predictions.truth, predictions.weight
    scale = scale_to_one(largest(truth))
    # Inverted distribution: the only kind that NumPy gives with weights.
    quantiles = {q: float(np.quantile(truth, q, weights=weight, method="inverted_cdf")) for q in levels}
    return float(np.average(truth * scale, weights=weight) / scale), quantiles


def units_alone(predictions: Predictions, model: Model, units: Units) -> Iterator[Summary | None]:
    """The summary of each unit's rows by themselves; None where a unit has no rows."""
    alone = replace(predictions, models=())
    order, ends = np.argsort(units.codes, kind="stable"), np.cumsum(np.bincount(units.codes, minlength=len(units)))
    for rows in np.split(order, ends[:-1]):
        yield summarise(alone.part(rows), model.part(rows)) if len(rows) else None


def rank_sums(summary: Summary) -> Iterator[list[RankSums]]:
    """Of each column of scores, class by class."""
    truth, unit, weight = summary.predictions.truth, summary.by.codes if summary.by else None, summary.weight
    assert unit is not None
    if weight is not None and summary.predictions.weight_kind != "frequency":
        weight = weight * scale_to_one(largest(weight))  # only their ratios count, and squares are taken
    for column in map(np.asarray, score_columns(summary.rows.model)):
        order = np.argsort(column, kind="stable")
        order = order if weight is None else order[weight[order] > 0]
        of_classes = (order[truth[order] == code] for code in range(len(summary.predictions.classes)))
        yield [
            summed_ranks([(column[rows], unit[rows], None if weight is None else weight[rows])], summary.units)
            for rows in of_classes
        ]


def fingerprint(predictions: Predictions) -> str:
    """A hash of all columns as 64-bit floats, so that the container they came in does not matter."""
    from hashlib import blake2b  # which loads OpenSSL, and few runs ask for it

    content = predictions.content()
    digest = blake2b(predictions.described(content), digest_size=16)
    for column in content.values():
        # Of each column by itself, as columns may come in pieces.
        digest.update(blake2b(np.ascontiguousarray(column, np.float64).data, digest_size=16).digest())
    return digest.hexdigest()


def crossed(several: Sequence[Units]) -> Units | None:
    """One unit for each combination that occurs."""
    if len(several) < 2:
        return several[0] if several else None
    # One column of numbers after the other: pairs of codes that occur are few, and NumPy sorts whole rows slowly.
    first, *others = several
    codes, names = np.asarray(first.codes, np.int64), first.names
    for units in others:
        pairs, codes = np.unique(codes * len(units) + units.codes, return_inverse=True)
        names = tuple(f"{names[pair // len(units)]}, {units.names[pair % len(units)]}" for pair in pairs)
    return Units(codes, names)


def rows_of_units(several: Sequence[Units]) -> Array:
    """How many rows each unit has, or each combination of units of several groupings."""
    sizes = tuple(map(len, several))
    codes = np.ravel_multi_index([units.codes for units in several], sizes)
    return np.bincount(codes, minlength=prod(sizes)).reshape(sizes)
