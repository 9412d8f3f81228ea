"""Own sums in a database: powers of what rows add to many values of one model, from which their spreads follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.changes import Changes, Powers, is_centred, steps_of
from referee.engines.database.rankings import number_of_unit
from referee.engines.database.step_slopes import StepSlopes, slope_table
from referee.engines.protocol import OwnSums
from referee.predictions import fetch, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array, Column
    from referee.engines.database.rankings import DatabaseRanking
    from referee.predictions import Predictions

MOST_SLOPES = 1 << 26
"""Slopes of steps that one query looks up, as the database keeps them until it has: half a gigabyte."""
MOST_VALUES = 200
"""Of which one query makes sums, as databases limit its columns."""


def own_sums(predictions: Predictions, influences: Sequence[Any]) -> OwnSums:
    """Of what rows add to several values of one model; those that hang on the steps of rankings by themselves."""
    every: dict[int, OwnSums] = {}
    by_steps = _by_steps(influences) if predictions.weight is None and len(predictions.classes) == 2 else {}
    in_steps = {place for places in by_steps.values() for place in places}
    rest = [place for place in range(len(influences)) if place not in in_steps]
    batches = [(batch, None) for batch in _batches(influences, rest, predictions.rows)]
    for batch, ranking in [*batches, *((places, ranking) for ranking, places in by_steps.items())]:
        chosen = [influences[place] for place in batch]
        sums = _asked(predictions, chosen) if ranking is None else _asked_of_steps(ranking, chosen)
        for place, squares, fourths in zip(batch, sums.squares, sums.fourths, strict=True):
            every[place] = OwnSums(sums.seen, squares, fourths)
    in_order = [every[place] for place in range(len(influences))]
    return OwnSums(
        in_order[0].seen, np.stack([sums.squares for sums in in_order]), np.stack([sums.fourths for sums in in_order])
    )


def _by_steps(influences: Sequence[Any]) -> dict[DatabaseRanking, list[int]]:
    """Places of those for which the score and the class of a row say everything, by the ranking that they hang on."""
    of_rankings: dict[DatabaseRanking, list[int]] = {}
    for place, influence in enumerate(influences):
        bases = {columns.ranking.base for columns in _slopes_of(influence)}
        alone = not influence.terms and not influence.added and all(map(_is_of_steps, influence.tables.items()))
        if len(bases) == 1 and alone and is_centred(influence):
            of_rankings.setdefault(bases.pop(), []).append(place)
    return of_rankings


def _is_of_steps(item: tuple[Any, Any]) -> bool:
    """Whether every class has its own number, or its rows find their steps in one ranking or in that one turned."""
    cells, table = item
    if not isinstance(table, StepSlopes):
        return bool(cells.are_classes)
    rankings = {columns.ranking for _, columns in table.steps}
    return len(rankings) == 1 and rankings == {cells.ranking}


def _batches(influences: Sequence[Any], places: Sequence[int], rows: int) -> Iterator[list[int]]:
    """Places of influences that are asked for together, of some."""
    plain: list[int] = []
    ranked: list[int] = []
    for place in places:
        (ranked if _slopes_of(influences[place]) else plain).append(place)
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
            [
                unscaled(each(f"{name}_{place}"), summary.scale, power * influences[place].units_power)
                for place in places
            ]
        )

    return OwnSums(each("seen"), powers_of("square", 2), powers_of("fourth", 4).sum(axis=2))


SIDES = ("negative", "positive")


def _asked_of_steps(ranking: DatabaseRanking, influences: Sequence[Any]) -> OwnSums:
    """Of two classes, where all rows of one class at a step add the same: no row has to look its step up."""
    every = list(dict.fromkeys(columns for each in influences for columns in _slopes_of(each)))
    rows = {f"{side}_rows": ranking.in_order[f"{side}s"] for side in SIDES}
    steps = slope_table(ranking, every, rows)
    phi = {
        f"{side}_{place}": _at_steps(steps, influence, every, side)
        for place, influence in enumerate(influences)
        for side in SIDES
    }
    keys = ["unit"] if ranking.units > 1 else []
    steps = steps.select(*keys, *rows, **phi)
    sums: dict[str, Any] = {}
    for name in phi:
        square, weight = steps[name] * steps[name], steps[f"{name.partition('_')[0]}_rows"]
        sums |= {f"square_{name}": (square * weight).sum(), f"fourth_{name}": (square * square * weight).sum()}
    answer = fetch(steps.group_by(keys).aggregate(**sums) if keys else steps.aggregate(**sums))
    unit = answer["unit"].astype(np.int64) if keys else np.zeros(1, np.int64)
    summary, positive = influences[0].summary, _positive_class(influences[0])

    def each(power: str) -> Array:
        """Of each value, unit and class."""
        numbers = np.zeros((len(influences), ranking.units, 2))
        for place in range(len(influences)):
            for side, code in zip(SIDES, (1 - positive, positive), strict=True):
                numbers[place, unit, code] = np.asarray(answer[f"{power}_{side}_{place}"], float)
        return numbers

    return OwnSums(summary.class_weights.astype(float), each("square"), each("fourth").sum(axis=2))


def _positive_class(influence: Any) -> int:
    """That of the ranking whose steps are asked for."""
    cells = steps_of(influence)[0][0]
    return 1 - cells.code if cells.ranking.is_turned else cells.code


def _at_steps(steps: Any, influence: Any, every: list[Any], side: str) -> Column:
    """What a row of one class adds at each step."""
    import ibis

    unit = steps.unit if "unit" in steps.columns else None
    total: Any = number(0.0)
    for cells, table in influence.tables.items():
        if not isinstance(table, StepSlopes):
            code = _positive_class(influence) if side == "positive" else 1 - _positive_class(influence)
            total = total + number_of_unit(unit, table.reshape(-1, 2)[:, code])
            continue
        is_positive = (side == "positive") != cells.ranking.is_turned
        score = -steps.score if cells.ranking.is_turned else steps.score
        total = total + table.of_rows(score, ibis.literal(is_positive), unit)
        for factor, columns in table.steps:
            total = total + steps[f"{SIDES[is_positive]}{every.index(columns)}"] * number(factor)
    return total
