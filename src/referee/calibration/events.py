"""Events that a model forecasts: the positive class; of several classes each one, and its first choice."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import frexp, ldexp
from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.engines import COMPILE_FROM, compiled, engine_of, rows_of, steps_of_rows
from referee.errors import UndefinedError, UsageError
from referee.predictions import Model, Predictions
from referee.records import dataclass
from referee.scoring import metrics, refuse_unless_applicable

if TYPE_CHECKING:
    from referee.arrays import Array


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Distinct forecasts, rising; `rows` counts weights where rows have them.

    >>> forecasts = Forecasts(np.array([0.2, 0.7]), np.array([5, 10]), np.array([1, 7]))
    >>> forecasts.total, forecasts.share
    (15.0, 0.5333333333333333)
    """

    forecast: Array
    rows: Array
    came_true: Array
    squares: Array | None = None
    """The squared weights at each forecast, where a weight is not a number of rows."""
    seen: Array | None = None
    """The rows at each forecast as often as they were seen, failed and come true, where weights say something else."""

    @classmethod
    def of(cls, predictions: Predictions, model: Model) -> Forecasts:
        """A model's forecasts of the positive class."""
        assert predictions.positive is not None
        ranking = (
            engine_of(predictions).summarise(predictions, model).ranking(predictions.positive, as_probability=True)
        )
        # Counts as they are kept may be too narrow for their squares.
        positives, negatives = (
            column[::-1].astype(float if column.dtype.kind == "f" else np.int64)
            for column in (ranking.positives, ranking.negatives)
        )
        squares, seen = None, None
        if predictions.weight is not None:
            squares, seen = (sums[..., ::-1] for sums in _weights_and_rows(predictions, model, ranking.scores))
            squares = None if predictions.weight_kind == "frequency" else squares
        made = cls(ranking.scores[::-1].astype(float), positives + negatives, positives, squares, seen)
        return made._at(made.rows > 0)

    def _at(self, steps: Array) -> Forecasts:
        """Some of the forecasts: not those whose rows all have weight 0."""
        if steps.all():
            return self
        columns = (self.forecast, self.rows, self.came_true, self.squares, self.seen)
        return Forecasts(*(None if column is None else column[..., steps] for column in columns))  # type: ignore[arg-type]

    @property
    def total(self) -> float:
        return float(self.rows.sum())

    @property
    def share(self) -> float:
        """How often the event came true."""
        return float(self.came_true.sum()) / self.total

    @property
    def seen_rows(self) -> tuple[Array, Array]:
        """How many rows failed and came true at each forecast, whatever they weigh."""
        return (self.rows - self.came_true, self.came_true) if self.seen is None else (self.seen[0], self.seen[1])

    @property
    def variance(self) -> Array:
        """Of the rows at each forecast, if they come true as often as forecast: forecast times its complement."""
        return self.forecast * (1 - self.forecast)

    @property
    def noise(self) -> Array:
        """What the rows at each forecast add to the variance of a weighted sum of outcomes, per unit variance."""
        return self.rows if self.squares is None else self.squares

    def blocks(self, first: Array) -> tuple[Array, Array, Array]:
        """The rows, those that came true and the mean forecast of neighbours that are taken together."""
        rows, came_true = np.add.reduceat(self.rows, first), np.add.reduceat(self.came_true, first)
        with np.errstate(over="ignore"):  # of scores of any size, where no mean is asked for
            return rows, came_true, np.add.reduceat(self.rows * self.forecast, first) / rows


def _weights_and_rows(predictions: Predictions, model: Model, scores: Array) -> tuple[Array, Array]:
    """At each score the squared weights, and the rows as often as they were seen: failed and come true."""
    weight, times = predictions.weight, predictions.times_seen
    assert weight is not None
    assert times is not None
    of_rows = rows_of(predictions, model).score(predictions.positive, as_probability=True)
    counts = weight > 0  # other rows are at no step
    step, came_true = steps_of_rows(of_rows[counts], scores), (predictions.truth == predictions.positive)[counts]
    cell = step + len(scores) * came_true
    seen = np.bincount(cell, times[counts], 2 * len(scores)).reshape(2, -1)
    return np.bincount(step, weight[counts] ** 2, len(scores)), seen


def first_of_blocks(forecasts: Forecasts) -> Array:
    """Where each block of the isotonic regression of outcomes on forecasts begins.

    >>> first_of_blocks(Forecasts(np.array([0.1, 0.2, 0.3]), np.array([1, 1, 1]), np.array([1, 0, 1])))
    array([0, 2])
    """
    came_true, rows = _near_one(forecasts.came_true, forecasts.rows)
    if len(rows) < COMPILE_FROM:
        from scipy.optimize import isotonic_regression

        blocks = isotonic_regression(came_true / rows, weights=rows).blocks[:-1]
        return _joined_where_equal(came_true, rows, blocks)
    first = np.empty(len(rows), np.int64)
    sums = np.empty(len(rows)), np.empty(len(rows))
    count = compiled(pool_adjacent)(came_true, rows, first, *sums)
    return first[:count].copy()


MOST_COUNTED = 2.0**53


def _near_one(came_true: Array, rows: Array) -> tuple[Array, Array]:
    """Weights whose products are finite: divided by a power of two, which changes no digit; counts stay as they are."""
    heaviest = float(rows.max(initial=0))
    scale = ldexp(1.0, -frexp(heaviest)[1]) if heaviest > MOST_COUNTED else 1.0
    return came_true * scale, rows * scale


def pool_adjacent(came_true: Array, rows: Array, first: Array, pooled_true: Array, pooled_rows: Array) -> int:
    """Go up the forecasts, and join each to the blocks below as long as its share is not above theirs."""
    count = 0
    for step in range(len(rows)):
        true, weight, begin = float(came_true[step]), float(rows[step]), step
        # Shares are compared crosswise, which is exact for counts.
        while count > 0 and true * pooled_rows[count - 1] <= pooled_true[count - 1] * weight:
            count -= 1
            true += pooled_true[count]
            weight += pooled_rows[count]
            begin = first[count]
        first[count] = begin
        pooled_true[count] = true
        pooled_rows[count] = weight
        count += 1
    return count


def _joined_where_equal(came_true: Array, rows: Array, first: Array) -> Array:
    """Neighbouring blocks with the same share are one, as rounding may have kept them apart."""
    first = np.asarray(first, np.int64)
    of_true, of_rows = np.add.reduceat(came_true, first), np.add.reduceat(rows, first)
    new = np.ones(len(first), bool)
    below = of_true[:-1] * of_rows[1:]
    new[1:] = of_true[1:] * of_rows[:-1] > (below if _are_counts(rows, came_true) else below * (1 + 1e-12))
    return first[new]


def shares(came_true: Array, rows: Array) -> Array:
    """Of rows that came true; those of weights to twelve places, so that what is equal but for rounding is equal."""
    share = np.clip(came_true / rows, 0, 1)
    if _are_counts(rows, came_true):
        return share
    return np.where(np.minimum(share, 1 - share) > SMALL, share.round(12), share)


def _are_counts(rows: Array, came_true: Array) -> bool:
    """Whether sums of them do not round."""
    return bool((rows % 1 == 0).all() and (came_true % 1 == 0).all())


SMALL = 1e-3
"""A share to be kept with all digits."""


CLIP = 2.220446049250313e-16
"""The smallest probability that log_loss believes."""


TOP_LABEL = "top label"


@dataclass(frozen=True, eq=False)
class Event:
    """Something that a model gives a probability for, and that comes true or not in each row.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 1], {"m": [0.1, 0.8, 0.4]})
    >>> [(event.name, event.forecasts.share) for event in events_of(predictions, "m")]
    [('1', 0.6666666666666666)]
    """

    name: str
    """The class, or "top label": the most probable class is the true one."""
    kind: Literal["class", "top label"]
    predictions: Predictions
    """Of two classes; the positive one is the event."""
    model: Model

    @cached_property
    def forecasts(self) -> Forecasts:
        return Forecasts.of(self.predictions, self.model)


def events_of(predictions: Predictions, model: str | Model) -> tuple[Event, ...]:
    """All events that a model's probabilities speak of; stop where these are no probabilities."""
    model = predictions.model(model) if isinstance(model, str) else model
    _refuse_regression(predictions)
    refuse_unless_applicable(metrics["calibration_error"], model, engine_of(predictions).facts(predictions, model))
    if predictions.positive is not None:
        if predictions.weight is not None:
            refuse_without_rows(predictions)
        return (Event(predictions.classes[predictions.positive], "class", predictions, model),)
    refuse_without_rows(predictions)
    of_classes = tuple(_of_class(predictions, model, code) for code in range(len(predictions.classes)))
    return (_of_first_choice(predictions, model), *of_classes)


def event_of(predictions: Predictions, model: str | Model, name: str | None = None) -> Event:
    """One event by its name; without a name the positive class, or of several classes the top label."""
    events = events_of(predictions, model)
    for event in events:
        if name is None or event.name == str(name):
            return event
    known = [event.name for event in events]
    raise UsageError("E_CLASS", f"there is no class {name!r}; available: {', '.join(map(repr, known))}")


def _of_class(predictions: Predictions, model: Model, code: int) -> Event:
    assert model.class_scores is not None
    happened = predictions.truth == code
    scores = np.asarray(model.class_scores[code], float)
    return _event(predictions, model, predictions.classes[code], "class", happened, scores)


def _of_first_choice(predictions: Predictions, model: Model) -> Event:
    """Guo et al. (2017): the confidence of the decision, and whether it is right."""
    assert model.class_scores is not None
    labels = rows_of(predictions, replace(model, labels=None)).labels
    scores = np.max(np.stack([np.asarray(column, float) for column in model.class_scores]), axis=0)
    return _event(predictions, model, TOP_LABEL, "top label", labels == predictions.truth, scores)


def _event(
    predictions: Predictions,
    model: Model,
    name: str,
    kind: Literal["class", "top label"],
    happened: object,
    scores: object,
) -> Event:
    alone = Model(model.name, scores=np.asarray(scores), columns=model.columns, source=model.source, order=model.order)
    of_two = replace(
        predictions, task="binary", truth=np.asarray(happened).astype(np.int64), models=(alone,),
        classes=(f"not {name}", name), positive=1,
    )  # fmt: skip
    return Event(name, kind, of_two, alone)


def _refuse_regression(predictions: Predictions) -> None:
    if not predictions.classes:
        raise UndefinedError(
            "E_CONTINUOUS",
            f"calibration is about probabilities of classes, but column {predictions.truth_column!r} holds numbers",
            hint="--task binary or --task multiclass says that they are classes",
        )


def refuse_without_rows(predictions: Predictions) -> None:
    if predictions.scored is not None:
        raise UsageError("E_TASK", "this needs predictions and their truth, and a table of scores has neither")
    if not predictions.has_rows:
        raise UsageError(
            "E_ROWS",
            f"this needs the rows in memory, and these {predictions.rows:,} are summarised where they are",
            hint=engine_of(predictions).TO_HAVE_ROWS,
        )
