"""Degenerate predictions: one answer for all rows, and a model's own probabilities made surer, less sure or moved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from referee.engines import rows_of
from referee.predictions import Model
from referee.scoring import guess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from referee.arrays import Array
    from referee.predictions import Predictions
    from referee.scoring import Needs

Kind = Literal["constant", "surer", "unsure", "moved"]
ROUNDS = 100


@dataclass(frozen=True)
class Trick:
    """A way to make predictions that deserve no credit."""

    name: str
    title: str
    kind: Kind
    serves: tuple[Needs, ...]
    """The kinds of predictions that it changes; the others it leaves as they are."""
    make: Callable[[Predictions, Model], Model]


def tricks(predictions: Predictions) -> Iterator[Trick]:
    """All that can be tried on these predictions."""
    if predictions.task == "regression":
        yield from OF_NUMBERS
        return
    yield Trick("prior", "giving every row the shares of the classes", "constant", ("scores", "probabilities"), _prior)
    for code in _constant_answers(class_shares(predictions)):
        name = predictions.classes[code]
        title, answer = f'always saying "{name}"', partial(_always, code)
        yield Trick(f"always {name}", title, "constant", ("labels", "probabilities"), answer)
    yield from OF_PROBABILITIES


def class_shares(predictions: Predictions) -> Array:
    weights = np.bincount(predictions.truth, predictions.weight, len(predictions.classes))
    return np.asarray(weights / weights.sum())


def _constant_answers(shares: Array) -> list[int]:
    """The majority class, and of two classes the other one too."""
    majority = int(shares.argmax())
    return [majority, 1 - majority] if len(shares) == 2 else [majority]


def _prior(predictions: Predictions, model: Model) -> Model:  # noqa: ARG001 (every trick is made of both)
    return guess(predictions, class_shares(predictions))


def _always(code: int, predictions: Predictions, model: Model) -> Model:  # noqa: ARG001
    columns = np.eye(len(predictions.classes))[code]
    rows = predictions.rows
    return Model(
        "always",
        class_scores=tuple(np.broadcast_to(column, rows) for column in columns),
        labels=np.full(rows, code),
    )


def _probabilities(predictions: Predictions, model: Model) -> Array:
    """What the model gives to each class: (class, row)."""
    if model.class_scores is not None:
        return np.stack([np.asarray(column, float) for column in model.class_scores])
    positive = np.asarray(model.scores, float)
    return np.stack([1 - positive, positive] if predictions.positive == 1 else [positive, 1 - positive])


def _with(predictions: Predictions, model: Model, columns: Array) -> Model:
    """Other probabilities; the decisions stay the model's own."""
    labels = rows_of(predictions, model).labels
    return Model("changed", class_scores=tuple(columns), labels=labels, tie_order=model.tie_order)


def _thresholded(predictions: Predictions, model: Model) -> Model:
    labels = rows_of(predictions, model).labels
    return _with(predictions, model, np.eye(len(predictions.classes))[labels].T)


def _sharpened(predictions: Predictions, model: Model) -> Model:
    """Log odds times two."""
    squares = _probabilities(predictions, model) ** 2
    return _with(predictions, model, squares / squares.sum(axis=0))


def _shrunk(predictions: Predictions, model: Model) -> Model:
    """Half way to the shares of the classes."""
    return _with(
        predictions, model, (_probabilities(predictions, model) + class_shares(predictions)[:, None]) / 2
    )  # fmt: skip


def _recentred(predictions: Predictions, model: Model) -> Model:
    """Odds multiplied so that the mean of each class's probability is its share."""
    columns, shares = _probabilities(predictions, model), class_shares(predictions)
    for _ in range(ROUNDS):
        means = np.average(columns, axis=1, weights=predictions.weight)
        if np.abs(means - shares).max() < 1e-9 or not (means * shares).all():
            break
        columns = columns * (shares / means)[:, None]
        columns = columns / columns.sum(axis=0)
    return _with(predictions, model, columns)


OF_PROBABILITIES = (
    Trick("thresholded", "its own decisions said with certainty", "surer", ("scores", "probabilities"), _thresholded),
    Trick("sharpened", "the model made surer (log odds times two)", "surer", ("probabilities",), _sharpened),
    Trick("shrunk", "the model made less sure (half way to the shares)", "unsure", ("probabilities",), _shrunk),
    Trick("recentred", "the model moved to the right mean", "moved", ("probabilities",), _recentred),
)


def _mean(predictions: Predictions) -> float:
    return float(np.average(predictions.truth, weights=predictions.weight))


def _constant(predictions: Predictions, value: float) -> Model:
    return Model("constant", values=np.full(predictions.rows, value))


def _median(predictions: Predictions) -> float:
    return float(np.quantile(predictions.truth, 0.5, weights=predictions.weight, method="inverted_cdf"))


def _shrunk_numbers(predictions: Predictions, model: Model) -> Model:
    assert model.values is not None
    return Model("shrunk", values=(np.asarray(model.values, float) + _mean(predictions)) / 2)


def _recentred_numbers(predictions: Predictions, model: Model) -> Model:
    assert model.values is not None
    predicted = np.asarray(model.values, float)
    return Model("recentred", values=predicted + _mean(predictions) - np.average(predicted, weights=predictions.weight))


OF_NUMBERS = (
    Trick("mean", "saying the mean of every row", "constant", ("values",), lambda p, _: _constant(p, _mean(p))),
    Trick("median", "saying the median of every row", "constant", ("values",), lambda p, _: _constant(p, _median(p))),
    Trick("quantiles", "the same quantiles for every row", "constant", ("quantiles",), lambda p, _: guess(p, None)),
    Trick("shrunk", "the model shrunk half way to the mean", "unsure", ("values",), _shrunk_numbers),
    Trick("recentred", "the model moved to the right mean", "moved", ("values",), _recentred_numbers),
)
