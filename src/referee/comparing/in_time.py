"""Rows in the order of time: what a verdict says of them, and what is said where their order was not named."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing.contender import Contender
from referee.document import counted
from referee.errors import InputError, Notice, UsageError
from referee.predictions import Instants, Lists, date_notices, option_row, times, unused_dates
from referee.scoring import (
    BLOCKS,
    FEW_PIECES,
    in_pieces,
    in_time_order,
    ratio_to_independence,
    refuse_panel,
    why_not_pooled,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.contest import Contest
    from referee.comparing.design import Design
    from referee.comparing.significance_test import SignificanceTest
    from referee.predictions import Predictions
    from referee.scoring import Metric

ROWS_OF_A_STEP = 10
"""For each step of a horizon, so that forecasts which overlap leave enough that do not."""
MANY_ROWS = 3000
ALARM, HARMFUL = 0.01, 1.1
"""The warning is given where chance seldom makes rows so alike, and the error is so much larger."""


def refuse_other_dependence(predictions: Predictions, horizon: int | None) -> None:
    """Stop where rows depend on each other in two ways, or a horizon has no time."""
    refuse_panel(predictions)
    if horizon is not None and predictions.time is None:
        raise UsageError("E_DESIGN", "--horizon is for rows in time order", hint="use --time COL")
    if horizon is not None and (horizon != int(horizon) or horizon < 1):
        raise UsageError("E_DESIGN", f"--horizon {horizon}: a whole number of steps is needed")


def rows_of_the_past(
    predictions: Predictions, metric: Metric, test: SignificanceTest | None, unit: str | None
) -> Predictions:
    """Rows in time that models predicted after they were fitted on earlier ones: as rows, or else as splits."""
    if predictions.time is None or predictions.train_rows is None:
        return predictions
    by_splits = unit == "fold" or (test is not None and test.takes in ("units", "refits"))
    if by_splits:
        return replace(predictions, time=None)
    if not (metric.pools_ranks and any(why_not_pooled(predictions, model) for model in predictions.models)):
        return replace(predictions, train_rows=None)
    notice = Notice(
        "W_SPLITS",
        f"{metric.shown_name} is compared by splits, with the corrected resampled t-test, and not by rows in time: the "
        "scores of different splits lie at different levels, so their rows cannot be ranked together",
    )
    return replace(predictions, time=None, notices=(*predictions.notices, notice))


def refuse_other_units(predictions: Predictions, design: Design) -> None:
    if predictions.time is not None and design.kind != "time":
        raise UsageError(
            "E_DESIGN",
            f"--time is for rows that depend on each other in time, but {design.unit}s are compared here",
            hint="leave --time out, or the option that turns the rows into other units",
        )


def with_horizon(test: SignificanceTest | None, horizon: int | None) -> SignificanceTest | None:
    """The test that was asked for, told how far forecasts look ahead, if it takes that."""
    if test is None or horizon is None or "horizon" not in test.defaults or "horizon" in test.settings:
        return test
    return test.bind(horizon=horizon)


def why_approximate(pair: Comparison, rows: int, design: Design) -> str | None:
    """What makes p rough: few pieces, or few rows for the steps that forecasts look ahead."""
    pieces = pair.details.get("pieces")
    if pieces is None:
        return None
    if pieces < FEW_PIECES:
        return f"{in_pieces(pieces, rows)}, and fewer than {FEW_PIECES} are few"
    if design.horizon is not None and rows < ROWS_OF_A_STEP * design.horizon:
        return f"{rows:,} rows are fewer than {ROWS_OF_A_STEP} for each of the {design.horizon:,} steps of the horizon"
    return None


def said_of_pieces(pair: Comparison, rows: int) -> str:
    """How many pieces the rows hold, and what cannot be seen of how they depend on each other."""
    if "pieces" not in pair.details:
        return ""
    wider = pair.details["times_wider"]
    said = f" {in_pieces(pair.details['pieces'], rows)}; the error is {wider:.1f} times that of independent rows."
    reach = max(rows // BLOCKS, 1)
    return said + (
        f" Weak dependence over more than {counted(reach, 'row')} may be missed." if rows < MANY_ROWS else ""
    )


def cautions_of_order(
    predictions: Predictions, contest: Contest, names: Sequence[str], so: str = "p is too small"
) -> Iterator[Notice]:
    """What to say where rows are taken for independent, and look as if they were not.

    `predictions` are in the order in which they were given.
    """
    if contest.design.kind != "rows" or not predictions.has_independent_rows:
        return
    yield from date_notices(predictions)
    if not predictions.has_rows:
        return
    a, b = _contenders(predictions, contest, names)
    for date, ordered in _orders(predictions, names):
        with np.errstate(all="ignore"):
            wider, p = ratio_to_independence(in_time_order(ordered, contest.metric).sums(a.changes - b.changes))
        if p < ALARM and wider > HARMFUL:
            order = f"in the order of {date!r}" if date else "in the order of the rows"
            remedy = f"use --time {option_row([date])}" if date else "if that is the time order, use --time COL"
            yield Notice(
                "W_ORDER",
                f"neighbours {order} are similar: the error of the difference is about {wider:.1f} times that of "
                f"independent rows, and {so}; {remedy}",
            )
            return


def _orders(predictions: Predictions, names: Sequence[str]) -> Iterator[tuple[str, Predictions]]:
    """The order of the dates that are the time of rows; else that of the rows, and of any other dates."""
    dates = unused_dates(predictions)
    by_date = _by_date(predictions, dates[0].name) if dates and dates[0].can_be_read else predictions
    if by_date.time is None or not dates[0].is_of_rows:
        yield from () if _is_sorted(predictions, names) else (("", predictions),)
    if by_date.time is not None:
        yield dates[0].name, by_date


def _contenders(predictions: Predictions, contest: Contest, names: Sequence[str]) -> list[Contender]:
    """Those of the contest, unless its rows were put in another order."""
    if predictions.truth is contest.predictions.truth:
        return [contest.contenders[name] for name in names]
    return [Contender(predictions, predictions.model(name), contest.metric) for name in names]


def _by_date(predictions: Predictions, column: str) -> Predictions:
    """As they are, where not all cells of the column can be read."""
    sources: Any = getattr(predictions.slices, "sources", ())
    source = next(source for source in sources if column in source.table.columns.column_names)
    with suppress(InputError):
        return replace(predictions, time=Instants.of(source.align(times(source.table, column))))
    return predictions


def _is_sorted(predictions: Predictions, names: Sequence[str]) -> bool:
    """Whether rows were put in order by the truth or by a model, which is no order of time."""
    columns = [predictions.truth, *(column for name in names for column in predictions.model(name).given_columns())]
    if isinstance(predictions.truth, Lists):
        return False
    classes = len(predictions.classes)
    in_blocks = bool(classes) and int(np.count_nonzero(np.diff(predictions.truth))) < classes
    single = [column for column in columns if isinstance(column, np.ndarray)]  # and not lists of items
    return in_blocks or any(_is_monotone(column) for column in single if column.min() < column.max())


def _is_monotone(column: Array) -> bool:
    return bool((column[1:] >= column[:-1]).all() or (column[1:] <= column[:-1]).all())
