"""Own sums in a database: powers of what rows add to many values of one model, from which their spreads follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.changes import Changes, Powers, steps_of
from referee.engines.protocol import OwnSums
from referee.predictions import fetch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions

MOST_SLOPES = 1 << 26
"""Slopes of steps that one query looks up, as the database keeps them until it has: half a gigabyte."""
MOST_VALUES = 200
"""Of which one query makes sums, as databases limit its columns."""


def own_sums(predictions: Predictions, influences: Sequence[Any]) -> OwnSums:
    """Of what rows add to several values of one model; those that hang on the steps of rankings by themselves."""
    every: dict[int, OwnSums] = {}
    for batch in _batches(influences, predictions.rows):
        sums = _asked(predictions, [influences[place] for place in batch])
        for place, squares, fourths in zip(batch, sums.squares, sums.fourths, strict=True):
            every[place] = OwnSums(sums.seen, squares, fourths)
    in_order = [every[place] for place in range(len(influences))]
    return OwnSums(
        in_order[0].seen, np.stack([sums.squares for sums in in_order]), np.stack([sums.fourths for sums in in_order])
    )


def _batches(influences: Sequence[Any], rows: int) -> Iterator[list[int]]:
    """Places of influences that are asked for together."""
    plain, ranked = [], []
    for place, influence in enumerate(influences):
        (ranked if _slopes_of(influence) else plain).append(place)
    for start in range(0, len(plain), MOST_VALUES):
        yield plain[start : start + MOST_VALUES]
    batch: list[int] = []
    looked_up: set[Any] = set()
    for place in ranked:
        more = looked_up | _slopes_of(influences[place])
        if batch and (2 * len(more) * rows > MOST_SLOPES or len(batch) == MOST_VALUES):
            yield batch
            batch, more = [], _slopes_of(influences[place])
        batch.append(place)
        looked_up = more
    if batch:
        yield batch


def _slopes_of(influence: Any) -> set[Any]:
    """What is looked up by the scores of rows."""
    return {columns for _, slopes in steps_of(influence) for _, columns in slopes.steps}


def _asked(predictions: Predictions, influences: Sequence[Any]) -> OwnSums:
    """In one query, or two where something is smoothed at a cut."""
    rows = Changes(predictions, influences, on_one_scale=False).centred()
    powers, places = Powers(predictions, rows), range(len(influences))
    sums = {"seen": powers.seen()}
    for place in places:
        phi = rows[f"phi{place}"]
        sums |= {f"square_{place}": powers.square(phi * phi), f"fourth_{place}": powers.fourth(phi)}
    summary, classes = influences[0].summary, max(len(predictions.classes), 1)
    keys = [*(["unit"] if summary.by is not None else []), *(["truth"] if predictions.classes else [])]
    answer = fetch(rows.group_by(keys).aggregate(**sums) if keys else rows.aggregate(**sums))
    none = np.zeros(len(answer["seen"]), np.int64)
    unit, truth = (answer[key].astype(np.int64) if key in keys else none for key in ("unit", "truth"))

    def each(name: str) -> Array:
        of_classes = np.zeros((summary.units, classes))
        of_classes[unit, truth] = np.asarray(answer[name], float)
        return of_classes

    def powers_of(name: str, power: int) -> Array:
        """In the units of the truth, which was scaled."""
        return np.stack(
            [unscaled(each(f"{name}_{place}"), summary.scale, power * influences[place].units_power) for place in places]
        )

    return OwnSums(each("seen"), powers_of("square", 2), powers_of("fourth", 4).sum(axis=2))
