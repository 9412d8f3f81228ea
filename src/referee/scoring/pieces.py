"""Pieces: what chance drew, as numbers whose products add up to the covariance of two models' values.

Independent rows, groups of rows and moments in time each make their own pieces of what the rows add to a value; whoever
tests, draws or plans takes pieces and degrees of freedom, and need not know what they were made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from referee.arrays import total
from referee.errors import UsageError
from referee.predictions import Instants
from referee.records import dataclass
from referee.scoring.groups import groups_of
from referee.scoring.intervals import Spread, bessel, degrees_of_freedom, df_from_moments
from referee.scoring.moments import compares_classes
from referee.scoring.time_order import TimeOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring.metric import Metric


class Pieces(Protocol):
    """What chance drew; `changes` are the derivative of a value by the weight of each row."""

    @property
    def most(self) -> float:
        """How many independent pieces there are at most."""

    def pieces(self, changes: Array, spreads: Sequence[Spread | None] = ()) -> Array:
        """What each piece adds to the value; `spreads` are those of the differences that the pieces are for."""

    def spread(self, changes: Array) -> Spread | None:
        """The variance of the value and its degrees of freedom; None where they cannot be known."""

    def spread_of_difference(self, changes: Array, other: Any, of_other: Array) -> Spread | None:
        """The same of the difference to another model, on the same rows."""


@dataclass(frozen=True, eq=False)
class IndependentRows:
    """Each row is a piece."""

    predictions: Predictions
    metric: Metric

    @property
    def most(self) -> float:
        return self.predictions.rows_seen

    def pieces(self, changes: Array, spreads: Sequence[Spread | None] = ()) -> Array:  # noqa: ARG002 (as of others)
        with np.errstate(all="ignore"):
            enlarged = np.sqrt(bessel_of_rows(self.predictions, self.metric))
            return np.asarray(added_by_rows(self.predictions, changes * enlarged))

    def spread(self, changes: Array) -> Spread | None:
        weight = self.predictions.weight
        if not np.isfinite(changes if weight is None else changes[weight > 0]).all():
            return None
        with np.errstate(over="ignore"):
            pieces = self.pieces(changes)
            variance = total(pieces**2)
            too_small = not variance and bool(pieces.any())  # for the squares of such numbers
            return None if too_small else Spread(variance, self._degrees_of_freedom(changes))

    def spread_of_difference(self, changes: Array, other: Any, of_other: Array) -> Spread | None:  # noqa: ARG002
        with np.errstate(invalid="ignore"):  # of two infinite changes
            return self.spread(changes - of_other)

    def _degrees_of_freedom(self, changes: Array) -> float:
        predictions, weight = self.predictions, self.predictions.weight
        if weight is None:
            return degrees_of_freedom(changes)
        if predictions.weight_kind == "frequency":
            times, squares = weight[weight > 0], changes[weight > 0] ** 2
            return df_from_moments(predictions.rows_seen, total(times * squares), total(times * squares**2))
        return degrees_of_freedom((weight * changes)[weight > 0])


def added_by_rows(predictions: Predictions, changes: Array) -> Array:
    """What rows add to a value, such that the squares add up to its variance: a row seen twice has two."""
    weight = predictions.weight
    if weight is None:
        return changes
    of_one = np.sqrt(weight) if predictions.weight_kind == "frequency" else weight
    return np.where(weight > 0, changes * of_one, 0.0)


def pieces_of(predictions: Predictions, rows: Any, metric: Metric, code: int | None = None) -> Pieces:
    """What chance drew, as a model's value, or that for one class, sees it; `rows` have the model's labels."""
    groups = groups_of(predictions, rows, metric, code)
    return pieces_of_rows(predictions, metric) if groups is None else groups


def pieces_of_rows(predictions: Predictions, metric: Metric) -> Pieces:
    """Of rows that come in no groups."""
    if predictions.time is None:
        return IndependentRows(predictions, metric)
    return in_time_order(predictions, metric)


def refuse_panel(predictions: Predictions) -> None:
    """Stop where rows depend on each other in two ways."""
    if predictions.time is not None and predictions.clusters is not None:
        within = "--group" if predictions.group is not None else "--id with --fold or --repeat"
        raise UsageError(
            "E_DESIGN",
            f"--time together with {within} (a panel) is refused: rows would depend on each other both over time and "
            "within groups, and no test of that has been measured",
            hint="average the rows of each moment first, or leave one of the two out",
        )


def in_time_order(predictions: Predictions, metric: Metric) -> TimeOrder:
    """The rows in the order of time; as they were given, where nothing is said of time."""
    by_class = compares_classes(predictions, metric)
    enlarged = np.sqrt(bessel_of_rows(predictions, metric) / bessel(predictions.rows_seen)) if by_class else None
    moments = Instants(np.arange(predictions.rows)) if predictions.time is None else predictions.time
    return TimeOrder(moments, predictions.weight, enlarged)


def bessel_of_rows(predictions: Predictions, metric: Metric) -> float | Array:
    if not compares_classes(predictions, metric):
        return bessel(predictions.rows_seen)
    return np.array([bessel(rows) for rows in predictions.rows_of_classes])[predictions.truth]
