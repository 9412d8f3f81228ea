"""Rows to fit on and rows to judge, as the user divides them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import UndefinedError, UsageError
from referee.marked_rows import column_and_value, marked_rows

if TYPE_CHECKING:
    from referee.arrays import Array
    from referee.predictions import Predictions


def divided(predictions: Predictions, fit_on: str | Array) -> tuple[Predictions, Predictions, str]:
    """The rows to fit on, those to judge, and both in words; `fit_on` is COL=VALUE, or true for rows to fit on."""
    where = f" ({fit_on})" if isinstance(fit_on, str) else ""
    fit_on = _fitted_on(predictions, fit_on)
    if len(fit_on) != predictions.rows:
        raise UsageError("E_LENGTH", f"fit_on has {len(fit_on):,} values for {predictions.rows:,} rows")
    count = int(fit_on.sum())
    if not 0 < count < predictions.rows:
        which = "no row" if not count else "every row"
        raise UsageError("E_FITON", f"{which} is to be fitted on: some must be, and some are judged")
    fitting, judged = predictions.part(fit_on), predictions.part(~fit_on)
    refuse_one_class(fitting)
    _refuse_shared_groups(fitting, judged)
    return fitting, judged, f"fitted on {count:,} rows{where}, judged on the other {predictions.rows - count:,}"


def _fitted_on(predictions: Predictions, chosen: str | Array) -> Array:
    if isinstance(chosen, str):
        return marked_rows(predictions, *column_and_value("--fit-on", chosen))
    return np.asarray(chosen, bool)


def refuse_repeats_of_unknown_rows(predictions: Predictions) -> None:
    """Without an id the other predictions of a row would be fitted on, where the row is judged."""
    if predictions.repeat is not None and len(predictions.repeat) > 1 and predictions.clusters is None:
        raise UsageError(
            "E_REPEATS",
            f"rows were predicted in {len(predictions.repeat)} repeats, and which of them are the same row is not "
            "known: a map would be judged on rows that it was fitted on",
            hint="name the column that identifies a row: --id COL",
        )


def _refuse_shared_groups(fitting: Predictions, judged: Predictions) -> None:
    if fitting.clusters is None or judged.clusters is None:
        return
    shared = np.intersect1d(fitting.clusters.codes, judged.clusters.codes)
    if len(shared):
        raise UsageError(
            "E_FITON",
            f"group {fitting.clusters.names[int(shared[0])]!r} has rows on both sides, to fit on and to judge",
            hint="divide by whole groups, or leave --fit-on out",
        )


def refuse_one_class(predictions: Predictions) -> None:
    weights = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    if (weights <= 0).any():
        missing = predictions.classes[int(np.argmin(weights))]
        place = ": ".join(filter(None, [predictions.source, f"column {predictions.truth_column!r}"]))
        raise UndefinedError("E_ONECLASS", f"{place}: no row of class {missing!r}, and a map is fitted to all outcomes")
