"""Values and spreads of all metrics together, where rows stay in a database: a query answers what many formulas ask."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import AwaitedError, known_as, summing_engine_of
from referee.scoring.formula import class_values, values
from referee.scoring.influences import Influence, influence
from referee.scoring.intervals import Spread, bessel, df_from_moments
from referee.scoring.moments import compares_classes
from referee.scoring.taped_steps import UnitByUnitError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from referee.engines import OwnSums
    from referee.predictions import Predictions
    from referee.scoring.metric import Metric

    Wanted = tuple[Metric, int | None]
    """A metric, and the class that its value is about."""
    Task = tuple[Metric, Callable[[], Any]]


MOST_UNITS = 200
"""Slices or folds that have standard errors, as each number of a unit is a case of an expression."""


def know_together(summary: Any, values_wanted: Sequence[Wanted], spreads_wanted: Sequence[Wanted]) -> None:
    """Let a summary know what will be asked of it."""
    asked: dict[object, Task] = {
        ("value", *wanted): (wanted[0], partial(_value, summary, *wanted)) for wanted in values_wanted
    }
    if summary.predictions.group is None and summary.units <= MOST_UNITS:
        new = [wanted for wanted in spreads_wanted if _key(*wanted) not in summary.kept]
        new = [wanted for wanted in new if not is_counted(summary, wanted[0]) and not _is_compared(summary, *wanted)]
        asked |= {wanted: (wanted[0], partial(_influence, summary, *wanted)) for wanted in new}
    made = _in_rounds(summary, asked)
    known: dict[Any, Any] = {key: each for key, each in made.items() if isinstance(each, Influence)}
    if not known:
        return
    sums = summing_engine_of(summary.predictions).own_sums(summary.predictions, [*known.values()])
    for place, wanted in enumerate(known):
        summary.kept[_key(*wanted)] = _spreads(summary.predictions, wanted[0], sums, place)


def known_spreads(summary: Any, metric: Metric, code: int | None) -> list[Spread | None] | None:
    """Of each unit; None where they were not to be had."""
    spreads: list[Spread | None] | None = summary.kept.get(_key(metric, code))
    return spreads


def is_counted(summary: Any, metric: Metric) -> bool:
    """Whether the confusion matrix says everything about a spread."""
    predictions = summary.predictions
    return metric.summaries == ("counts",) and predictions.weight is None and predictions.has_independent_rows


def _is_compared(summary: Any, metric: Metric, code: int | None) -> bool:
    """Whether sums of pairs have given its spread."""
    return code in (None, summary.predictions.positive) and ("spread", metric.full_name) in summary.kept


def _key(metric: Metric, code: int | None) -> object:
    return "spreads", metric.full_name if code is None else known_as(metric, code)


def _in_rounds(summary: Any, left: dict[object, Task]) -> dict[object, Any]:
    """Run what waits for answers until all of it is done; each round asks what is next for every one of them."""
    done: dict[object, Any] = {}
    summary.questions.are_collected = True
    try:
        while left:
            for key, (metric, run) in [*left.items()]:
                with metric.answerable(), suppress(AwaitedError):
                    done[key] = run()
                    del left[key]
            if left and not summary.questions.ask_collected():
                raise AssertionError("a formula waits for what it did not ask")
    finally:
        summary.questions.are_collected = False
    return done


def _value(summary: Any, metric: Metric, code: int | None) -> Any:
    if code is not None:
        return class_values(metric, summary, code)
    return values(metric, summary, len(summary.predictions.classes), summary.predictions.positive)


def _influence(summary: Any, metric: Metric, code: int | None) -> Influence | None:
    """None of a formula that columns of a database cannot follow."""
    try:
        with np.errstate(all="ignore"):
            return influence(summary, metric, code)
    except (TypeError, UnitByUnitError):
        return None


def _spreads(predictions: Predictions, metric: Metric, sums: OwnSums, place: int) -> list[Spread | None]:
    by_class = compares_classes(predictions, metric)
    frequency = predictions.weight is not None and predictions.weight_kind == "frequency"
    of_one = float(predictions.row_weight**2) if frequency else 1.0
    each = zip(sums.seen, sums.squares[place], sums.fourths[place].tolist(), strict=True)
    return [_spread(seen, squares, fourth, of_one, by_class=by_class) for seen, squares, fourth in each]


def _spread(seen: Any, squares: Any, fourth: float, of_one: float, *, by_class: bool) -> Spread | None:
    total = float(squares.sum())
    if not np.isfinite(total):
        return None
    parts = zip(seen.tolist(), squares.tolist(), strict=True) if by_class else [(float(seen.sum()), total)]
    variance = sum(bessel(rows) * square for rows, square in parts if square)
    return Spread(float(variance), df_from_moments(float(seen.sum()), total / of_one, fourth))
