"""How much rows are worth: less than it seems where some are copies, or where a few have most of the weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.document import counted
from referee.engines import RepeatedRows, WeightFacts, summing_engine_of
from referee.errors import Notice
from referee.predictions import FEW_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.arrays import Array
    from referee.comparing.contest import Contest
    from referee.predictions import Predictions

FEW_OF_ALL = 0.1
"""The warning is given where the weights make less than this share of the rows count."""
ENOUGH, SELDOM = 10, 0.05
"""So many neighbours with different truths, and at most this share of that among rows with equal scores: chance makes
such data in one of a thousand cases."""


def cautions_of_worth(contest: Contest) -> Iterator[Notice]:
    """Where a comparison of rows counts them as more than they are."""
    predictions = contest.predictions
    if not contest.by_rows:
        return
    yield from _about_weight(predictions)
    if predictions.clusters is None:
        yield from _about_copies(predictions)


def _about_weight(predictions: Predictions) -> Iterator[Notice]:
    weight = predictions.weight
    if weight is None or predictions.weight_kind == "frequency":
        return
    facts = _facts_of(weight) if predictions.has_rows else predictions.weight_facts
    counts = facts.total / facts.squares * facts.total
    if counts < FEW_OF_ALL * facts.rows:
        yield Notice(
            "W_EFFECTIVE",
            f"the weights make {facts.rows:,} rows count as about {counts:,.3g}: one row has "
            f"{100 * facts.high / facts.total:.2g}% of the weight, and p rests on a few rows; check the weights, or "
            "cap the largest",
        )


def _facts_of(weight: Array) -> WeightFacts:
    share = weight / weight.sum()
    return WeightFacts(
        int(np.count_nonzero(share)), 1.0, float((share**2).sum()), float(share.min()), float(share.max())
    )


def _about_copies(predictions: Predictions) -> Iterator[Notice]:
    columns = [column for model in predictions.models for column in model.given_columns()]
    if predictions.has_rows:
        are_plain = all(isinstance(column, np.ndarray) for column in (predictions.truth, *columns))  # and not lists
        repeated = repeated_rows(predictions.truth, columns) if are_plain else None
    else:
        engine, are_few = summing_engine_of(predictions), predictions.rows <= FEW_ROWS
        repeated = engine.repeated_rows(predictions, columns, ENOUGH) if are_few else None
    if repeated is not None and are_copies(repeated):
        yield Notice(
            "W_DUPROWS",
            f"{counted(repeated.copies, 'row')} of {predictions.rows:,} repeat another row, with the same truth and "
            "the same predictions of all models: if these are the same cases more than once, p is too small; leave the "
            "copies out, or use --group COL, which names the case of each row",
        )


def are_copies(repeated: RepeatedRows) -> bool:
    return repeated.expected >= ENOUGH and repeated.differ <= SELDOM * repeated.expected


def repeated_rows(truth: Array, columns: list[Array]) -> RepeatedRows | None:
    """How many rows repeat an earlier one, and whether equal predictions come with equal truths more than by chance.

    None where nearly all rows differ. Rows that only happen to be scored alike, as by labels or by a few leaves, have
    truths that differ about as often as those of neighbours in the order of the scores.

    >>> scores, truth = np.arange(100) / 100, np.arange(100) % 2
    >>> repeated_rows(np.tile(truth, 3), [np.tile(scores, 3)])
    RepeatedRows(copies=200, differ=0.0, expected=99.0)
    """
    group = _coded(columns)
    if group is None:
        return None
    sizes = np.bincount(group)
    label = np.unique(truth, return_inverse=True)[1]
    cells, rows = np.unique(group * (int(label.max()) + 1) + label, return_counts=True)
    owner = cells // (int(label.max()) + 1)
    alike = np.bincount(owner, rows * (rows - 1.0), len(sizes))
    several = np.flatnonzero(sizes[:-1] > 1)
    differ = 1 - alike[several] / (sizes[several] * (sizes[several] - 1.0))
    place = np.searchsorted(cells, cells + int(label.max()) + 1).clip(max=len(cells) - 1)
    meets = cells[place] == cells + int(label.max()) + 1
    shared = np.bincount(owner, np.where(meets, rows * rows[place], 0.0), len(sizes))[several]
    neighbours_differ = 1 - shared / (sizes[several] * sizes[several + 1])
    return RepeatedRows(len(truth) - len(cells), float(differ.sum()), float(neighbours_differ.sum()))


def _coded(columns: list[Array]) -> Array | None:
    """The same number for rows that are equal in all columns, rising with the first; None where nearly all differ."""
    if not all(map(_repeats, columns)):
        return None
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, own = np.unique(column, return_inverse=True)
        code = np.unique(code * len(values) + own, return_inverse=True)[1]
    return code


def _repeats(column: Array) -> bool:
    """Whether values are there more than once; a sort is much cheaper than to say which."""
    ordered = np.sort(column)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1])) >= ENOUGH
