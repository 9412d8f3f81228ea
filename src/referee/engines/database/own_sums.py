"""Sums of squares of what rows add to one model's values: over steps where these say everything, else over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.pair_sums import Changes
from referee.engines.database.rankings import SIDES, StepSlopes, steps_with_slopes
from referee.engines.protocol import PairSums
from referee.predictions import fetch, fetch_row, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array, Column
    from referee.engines.database.answers import Answers
    from referee.predictions import Predictions


def own_sums(predictions: Predictions, influences: Sequence[Any], by_class: Sequence[bool]) -> list[PairSums]:
    """Of each influence by itself: one query for each ranking that says everything, and one for all others."""
    answer: dict[int, tuple[Array, float]] = {}
    groups: dict[Answers | None, list[int]] = {}
    for place, influence in enumerate(influences):
        groups.setdefault(_steps_of(predictions, influence), []).append(place)
    for answers, places in groups.items():
        asked = [influences[place] for place in places]
        made = _of_rows(predictions, asked) if answers is None else _of_steps(predictions, answers, asked)
        answer |= dict(zip(places, made, strict=True))
    return [_pair_sums(*answer[place], by_class=each) for place, each in enumerate(by_class)]


def _steps_of(predictions: Predictions, influence: Any) -> Answers | None:
    """The steps that say everything about a row of two classes, and hold what no score says by itself."""
    slopes = [*influence.tables.values()]
    if len(predictions.classes) != 2 or influence.terms or not all(isinstance(each, StepSlopes) for each in slopes):
        return None
    answers = {each.ranking.answers for each in slopes}
    if len(answers) != 1 or not any(each.columns for each in slopes):
        return None
    (only,) = answers
    return only if only.positive is not None else None


def _of_rows(predictions: Predictions, influences: Sequence[Any]) -> list[tuple[Array, float]]:
    sums = fetch(Changes(predictions, influences).own())
    places, answer = sums["truth"].astype(np.intp), []
    for place, influence in enumerate(influences):
        scale, power = influence.summary.scale, influence.units_power
        squares = np.zeros(max(len(predictions.classes), 1))
        squares[places] = unscaled(sums[f"square{place}"], scale, 2 * power)
        answer.append((squares, float(unscaled(sums[f"fourth{place}"], scale, 4 * power).sum())))
    return answer


def _of_steps(predictions: Predictions, answers: Answers, influences: Sequence[Any]) -> list[tuple[Array, float]]:
    """No row has to look its step up."""
    every = [dict(enumerate(influence.tables.values())) for influence in influences]
    named = {f"s{i}_{k}": slopes for i, several in enumerate(every) for k, slopes in several.items()}
    sizes = {f"{side}_{power}": _size(predictions, answers.steps, side, power) for side in SIDES for power in (2, 4)}
    steps = steps_with_slopes(answers, named, **sizes)
    phi = {f"{side}_phi{i}": _slope(steps, side, i, several) for side in SIDES for i, several in enumerate(every)}
    rows, sums = steps.select(*sizes, **phi), {}
    for i in range(len(every)):
        for side in SIDES:
            square = rows[f"{side}_phi{i}"] * rows[f"{side}_phi{i}"]
            sums[f"{side}_square{i}"] = (rows[f"{side}_2"] * square).sum()
            sums[f"{side}_fourth{i}"] = (rows[f"{side}_4"] * square * square).sum()
    answer = {name: np.nan if value is None else value for name, value in fetch_row(rows.aggregate(**sums)).items()}
    sides = SIDES if answers.positive == 0 else SIDES[::-1]
    return [
        (np.array([answer[f"{side}_square{i}"] for side in sides]), sum(answer[f"{side}_fourth{i}"] for side in sides))
        for i in range(len(every))
    ]


def _size(predictions: Predictions, steps: Any, side: str, power: int) -> Column:
    """What the squares, or fourth powers, of rows at a step are multiplied by, as `Changes` has it row by row."""
    rows = steps[side].cast("float64")
    if predictions.weight is None:
        return rows
    if predictions.weight_kind != "frequency":
        return steps[f"{side}_{power}"]
    of_one = number(predictions.row_weight)
    return rows * of_one if power == 2 else rows / of_one


def _slope(steps: Any, side: str, place: int, several: dict[int, StepSlopes]) -> Column:
    """What a row of one side adds by all the ways in which it is ranked; turned, a positive row is a negative one."""
    import ibis

    total: Any = number(0.0)
    for way, each in several.items():
        is_positive = (side == "positives") != each.ranking.is_turned
        score = number(0.0) - steps.score if each.ranking.is_turned else steps.score
        own = steps[f"{SIDES[0 if is_positive else 1]}_s{place}_{way}"]
        total = total + own + each.of_rows(score, ibis.literal(is_positive))
    return total


def _pair_sums(squares: Array, fourth: float, *, by_class: bool) -> PairSums:
    """As of one model among several."""
    each = (squares if by_class else squares.sum(keepdims=True))[:, None, None]
    return PairSums(each, each, np.array([[fourth]]), np.empty(0))
