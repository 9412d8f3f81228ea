"""Sums over the steps of a ranking of what the rows there add to values: no row has to look its step up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines.database.rankings import StepSlopes
from referee.engines.protocol import PairSums
from referee.predictions import fetch_row, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Column
    from referee.engines.database.answers import Answers
    from referee.predictions import Predictions

SIDES = ("negatives", "positives")


def step_sums(predictions: Predictions, influences: Sequence[Any]) -> list[PairSums | None]:
    """Of each influence by itself, those of one ranking in one query; None where steps do not say what a row adds."""
    answer: list[PairSums | None] = [None] * len(influences)
    rankings: dict[Answers, list[int]] = {}
    for place, influence in enumerate(influences):
        if (answers := _steps_of(predictions, influence)) is not None:
            rankings.setdefault(answers, []).append(place)
    for answers, places in rankings.items():
        made = _asked(predictions, answers, [influences[place] for place in places])
        for place, sums in zip(places, made, strict=True):
            answer[place] = sums
    return answer


def _steps_of(predictions: Predictions, influence: Any) -> Answers | None:
    """The steps that say everything about a row of two classes."""
    slopes = [*influence.tables.values()]
    if len(predictions.classes) != 2 or influence.terms or influence.added or not slopes:
        return None
    if not all(isinstance(each, StepSlopes) and each.centred for each in slopes):
        return None
    answers = {each.ranking.answers for each in slopes}
    return answers.pop() if len(answers) == 1 else None


def _asked(predictions: Predictions, answers: Answers, influences: Sequence[Any]) -> list[PairSums]:
    every = [[*influence.tables.values()] for influence in influences]
    steps = answers.steps
    named = {f"s{i}_{k}": slopes for i, several in enumerate(every) for k, slopes in enumerate(several)}
    columns = {name: column for prefix, slopes in named.items() for name, column in slopes.named(prefix).items()}
    sizes = {f"{side}_{power}": _size(predictions, steps, side, power) for side in SIDES for power in (2, 4)}
    base = steps.select("score", *answers.parts.names, **sizes, **columns)
    phi: dict[str, Column] = {
        f"{side}_phi{i}": _slope(base, side, {f"s{i}_{k}": slopes for k, slopes in enumerate(several)})
        for side in SIDES
        for i, several in enumerate(every)
    }
    rows = base.select(*sizes, **phi)
    sums: dict[str, Any] = {}
    for i in range(len(every)):
        for side in SIDES:
            square = rows[f"{side}_phi{i}"] * rows[f"{side}_phi{i}"]
            sums[f"{side}_square{i}"] = (rows[f"{side}_2"] * square).sum()
            sums[f"{side}_fourth{i}"] = (rows[f"{side}_4"] * square * square).sum()
    answer = {
        name: np.nan if value is None else float(value) for name, value in fetch_row(rows.aggregate(**sums)).items()
    }
    return [_pair_sums(answers.positive, answer, i) for i in range(len(every))]


def _size(predictions: Predictions, steps: Any, side: str, power: int) -> Column:
    """What the squares, or fourth powers, of rows at a step are multiplied by, as `Changes` has it row by row."""
    rows = steps[side].cast("float64")
    if predictions.weight is None:
        return rows
    if predictions.weight_kind != "frequency":
        return steps[f"{side}_{power}"]
    of_one = number(predictions.row_weight)
    return rows * of_one if power == 2 else rows / of_one


def _slope(base: Any, side: str, slopes: dict[str, StepSlopes]) -> Column:
    """What a row of one side adds by all the ways in which it is ranked; turned, a positive row is a negative one."""
    import ibis

    total: Any = number(0.0)
    for prefix, each in slopes.items():
        is_positive = (side == "positives") != each.ranking.is_turned
        score = number(0.0) - base.score if each.ranking.is_turned else base.score
        own = each.slope(base, prefix, int(is_positive))
        total = total + own + each.of_rows(score, ibis.literal(is_positive))
    return total


def _pair_sums(positive: int, answer: dict[str, float], place: int) -> PairSums:
    """By class, each with one side."""
    squares = np.zeros((2, 1, 1))
    squares[positive], squares[1 - positive] = (answer[f"{side}_square{place}"] for side in reversed(SIDES))
    fourths = np.array([[sum(answer[f"{side}_fourth{place}"] for side in SIDES)]])
    return PairSums(squares, squares, fourths, np.empty(0))
