"""How the scores of a scheme's splits become one: formulas on arrays, one value of each split."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from referee.engines import engine_of
from referee.errors import UsageError
from referee.predictions import Predictions, Units
from referee.records import dataclass
from referee.scoring import values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from referee.arrays import Array
    from referee.predictions import TrainingPart
    from referee.scoring import Metric

Combine = Literal["mean", "pooled", "point_632", "point_632_plus"]
Better = Literal["higher", "lower"]

IN_WORDS: dict[Combine, str] = {
    "mean": "the mean of the values of the splits, or of their subsets",
    "pooled": "the value on the test rows of all splits together: of accuracy, correct / all",
    "point_632": "0.632 x test + 0.368 x train, averaged over the repeats",
    "point_632_plus": "the .632 mix, with more weight on the test value the more a model overfits",
}
NAMES: dict[Combine, str] = {"point_632": ".632", "point_632_plus": ".632+"}
"""Of those that mix the value of the test rows with that of the training rows."""
TEST_SHARE, TRAIN_SHARE = 0.632, 0.368
"""As the lecture has them; 1 - 1/e = 0.63212 and 1/e = 0.36788."""
MOST_PAIRS = 1_000_000


def pooled(test: Any, rows: Any) -> float:
    """The value on all test rows from the values of the folds, of a metric that is an average over rows.

    >>> pooled([1.0, 0.5], rows=[10, 20])
    0.6666666666666666
    """
    return float(np.average(np.asarray(test, float), weights=np.asarray(rows, float)))


def point_632(test: Any, train: Any) -> Array:
    """Each split's mix of test and training value.

    >>> float(point_632(test=0.8, train=1.0))
    0.8736
    """
    return TEST_SHARE * np.asarray(test, float) + TRAIN_SHARE * np.asarray(train, float)


def point_632_plus(test: Any, train: Any, no_information: Any, better: Better = "higher") -> Array:
    """Mix test and training value by how much of the way from fitting to guessing the test value has gone.

    `no_information` is the value that the same predictions would have if they told nothing of the truth.

    >>> float(point_632_plus(test=0.6, train=1.0, no_information=0.5))
    0.6417233560090703
    >>> round(float(point_632_plus(test=0.5, train=1.0, no_information=0.5)), 12)
    0.5
    """
    sign = -1.0 if better == "higher" else 1.0
    test_error, train_error, guessing = (sign * np.asarray(value, float) for value in (test, train, no_information))
    rate = overfitting(test, train, no_information, better)
    # Efron and Tibshirani (1997), equations 31 and 32.
    gap = np.minimum(test_error, guessing) - train_error
    more = gap * TRAIN_SHARE * TEST_SHARE * rate / (1 - TRAIN_SHARE * rate)
    return np.asarray(sign * (point_632(test_error, train_error) + np.where(rate > 0, more, 0.0)))


def overfitting(test: Any, train: Any, no_information: Any, better: Better = "higher") -> Array:
    """How much of the way from the training value to guessing the test value has gone: Efron and Tibshirani's R.

    >>> float(overfitting(test=0.6, train=1.0, no_information=0.5))
    0.8
    """
    sign = -1.0 if better == "higher" else 1.0
    test_error, train_error, guessing = (sign * np.asarray(value, float) for value in (test, train, no_information))
    gap, room = np.minimum(test_error, guessing) - train_error, guessing - train_error
    overfits = (gap > 0) & (room > 0)
    return np.where(overfits, gap / np.where(overfits, room, 1.0), 0.0)


def no_information(value: Callable[..., float], truth: Any, prediction: Any) -> float:
    """What a metric's value would be if the predictions told nothing of the truth: every truth with every prediction.

    `value(truth, prediction, weight)` is the metric. Of truths with very many distinct values some are taken, evenly
    from the smallest to the largest.

    >>> from referee import metrics
    >>> no_information(metrics["accuracy"], [1, 1, 1, 0], [1, 1, 0, 0])
    0.5
    """
    truth, prediction = np.asarray(truth), np.asarray(prediction)
    distinct, counts = np.unique(truth, return_counts=True)
    if len(distinct) * len(truth) > MOST_PAIRS:
        places = (np.arange(MOST_PAIRS // len(truth) or 1) + 0.5) * len(truth) / (MOST_PAIRS // len(truth) or 1)
        distinct, counts = np.unique(np.sort(truth)[places.astype(int)], return_counts=True)
    every = np.tile(prediction, (len(distinct), *[1] * (prediction.ndim - 1)))
    return float(value(np.repeat(distinct, len(truth)), every, np.repeat(counts / counts.sum(), len(truth))))


def combined(
    how: Combine,
    test: Any,
    *,
    rows: Any = None,
    train: Any = None,
    no_information: Any = None,
    better: Better = "higher",
) -> float:
    """One value of all splits, from those that the way of combining needs.

    >>> combined("point_632", test=[0.8, 0.6], train=[1.0, 1.0])
    0.8104
    """
    needed = {"pooled": {"rows": rows}, "point_632": {"train": train}}
    needed |= {"point_632_plus": {"train": train, "no_information": no_information}}
    if missing := [name for name, given in needed.get(how, {}).items() if given is None]:
        raise UsageError("E_USAGE", f"{how} needs {' and '.join(missing)} of each split")
    if how == "pooled":
        return pooled(test, rows)
    if how == "point_632":
        return float(point_632(test, train).mean())
    if how == "point_632_plus":
        # The rate of overfitting is that of the means: of single splits it is mostly noise.
        return float(point_632_plus(np.mean(test), np.mean(train), np.mean(no_information), better))
    return float(np.mean(np.asarray(test, float)))


def around_the_estimate(
    how: Combine, test: Any, *, train: Any, no_information: Any = None, better: Better = "higher"
) -> Array:
    """Values of the splits with the estimate as their mean, and a spread that says how sure it is.

    It is that of the test values: training values of overlapping samples scatter far less than from one data set to
    another, where they go with the test values. The weight of .632+ grows with the error, which adds to the spread.

    >>> around_the_estimate("point_632", [0.7, 0.9], train=[1.0, 1.0]).round(4).tolist()
    [0.7736, 0.9736]
    """
    test = np.asarray(test, float)
    estimate = combined(how, test, train=train, no_information=no_information, better=better)
    stretch = 1.0
    if how == "point_632_plus":
        rate = overfitting(np.mean(test), np.mean(train), np.mean(no_information), better)
        stretch = max(1.0, float(_steepness(rate)))
    return np.asarray(estimate + stretch * (test - test.mean()))


def _steepness(rate: Array) -> Array:
    """The derivative of .632+ by the test value, where the training value stays: of equation 32."""
    left = 1 - TRAIN_SHARE * rate
    return TEST_SHARE / left + TEST_SHARE * TRAIN_SHARE * rate / left**2


MOST_ROWS = 250
"""Of a split where the truth is a number: every truth meets every prediction, in each split of each model."""


def no_information_values(predictions: Predictions, goal: Metric) -> dict[str, Array]:
    """Of each model in each split; NaN where the metric is undefined.

    >>> two = Predictions.from_arrays([1, 1, 1, 0], {"a": [1.0, 1.0, 0.0, 0.0]}, fold=["x"] * 4)
    >>> from referee import metrics
    >>> no_information_values(two, metrics["accuracy"])
    {'a': array([0.5])}
    """
    engine = engine_of(predictions)
    units = engine.crossed([column for column in (predictions.repeat, predictions.fold) if column is not None])
    assert units is not None, "a split is a fold or a repeat"
    each = [_pairs(predictions, np.flatnonzero(units.codes == code)) for code in range(len(units))]
    values = [_values(predictions, goal, part) for part in _parts(each)]
    return {model.name: np.concatenate([part[model.name] for part in values]) for model in predictions.models}


class _Pairs(NamedTuple):
    """Every truth of a split with every prediction, and how much each pair counts."""

    truth: Array
    rows: Array
    weight: Array


def _pairs(predictions: Predictions, rows: Array) -> _Pairs:
    rows = _few(rows, predictions)
    truth = predictions.truth[rows]
    weight = np.ones(len(rows)) if predictions.weight is None else predictions.weight[rows]
    distinct, codes = np.unique(truth, return_inverse=True)
    total = np.bincount(codes, weight)
    return _Pairs(
        np.repeat(distinct, len(rows)),
        np.tile(rows, len(distinct)),
        np.repeat(total, len(rows)) * np.tile(weight, len(distinct)),
    )


def _few(rows: Array, predictions: Predictions) -> Array:
    """All rows where there are classes; of numbers some, evenly spread over the table."""
    if predictions.classes or len(rows) <= MOST_ROWS:
        return rows
    return rows[(np.arange(MOST_ROWS) + 0.5).astype(int) * len(rows) // MOST_ROWS]


def _parts(each: Sequence[_Pairs]) -> Iterator[list[_Pairs]]:
    """As many splits together as fit into memory."""
    part: list[_Pairs] = []
    for pairs_of_split in each:
        if part and sum(len(pairs.rows) for pairs in part) + len(pairs_of_split.rows) > MOST_PAIRS:
            yield part
            part = []
        part.append(pairs_of_split)
    yield part


def _values(predictions: Predictions, goal: Metric, part: Sequence[_Pairs]) -> dict[str, Array]:
    truth, rows, weight = (np.concatenate(column) for column in zip(*part, strict=True))
    split = np.repeat(np.arange(len(part)), [len(pairs.rows) for pairs in part])
    paired = Predictions(
        task=predictions.task,
        truth=truth,
        models=tuple(model.part(rows) for model in predictions.models),
        classes=predictions.classes,
        positive=predictions.positive,
        weight=weight,
        threshold=predictions.threshold,
    )
    units = Units(split, tuple(map(str, range(len(part)))))
    engine = engine_of(paired)
    return {
        model.name: values(goal, engine.summarise(paired, model, units), len(paired.classes), paired.positive)
        for model in paired.models
    }


TOO_FITTED = 0.5
"""The rate of overfitting above which the plain .632 estimate is not to be trusted."""


@dataclass(frozen=True, eq=False)
class SchemeEstimate:
    """The .632 or .632+ value of one model from those of its test rows, split by split."""

    part: TrainingPart
    metric: Metric
    model: str

    def of(self, test: Array) -> float:
        """The estimate itself."""
        return float(self.around(test).mean())

    def around(self, test: Array) -> Array:
        """Values of the splits with the estimate as their mean, and the spread that tells how sure it is."""
        guessing = self.guessing if self.part.combine == "point_632_plus" else None
        return around_the_estimate(
            self.part.combine, test, train=self.train, no_information=guessing, better=self.metric.better
        )

    def is_doubtful(self, test: Array) -> bool:
        """Whether the model fits its training rows so well that plain .632 flatters it."""
        if self.part.combine != "point_632":
            return False
        rate = overfitting(test.mean(), self.train.mean(), self.guessing.mean(), self.metric.better)
        return bool(rate > TOO_FITTED)

    @cached_property
    def train(self) -> Array:
        """The value of the training rows in each split."""
        seen = self._seen
        several = [column for column in (seen.repeat, seen.fold) if column is not None]
        engine = engine_of(seen)
        summary = engine.summarise(seen, seen.models[0], engine.crossed(several))
        return values(self.metric, summary, len(seen.classes), seen.positive)

    @cached_property
    def guessing(self) -> Array:
        """The value in each split if the predictions told nothing of the truth."""
        return no_information_values(self._seen, self.metric)[self.model]

    @cached_property
    def _seen(self) -> Predictions:
        every = self.part.predictions
        return replace(every, models=(every.model(self.model),))
