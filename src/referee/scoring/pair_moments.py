"""Pair moments: what an engine's sums say of the spread of each model's value, and of the difference of any two."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from itertools import combinations
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.engines import AskedLaterError, PairSums, engine_of, replay, summing_engine_of
from referee.errors import UsageError
from referee.records import dataclass
from referee.scoring.applicability import GUESSING, guess, rows_to_guess, why_not
from referee.scoring.group_sums import GroupSums
from referee.scoring.influences import influence
from referee.scoring.intervals import Spread, bessel, df_from_moments
from referee.scoring.moments import compares_classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.predictions import Model, Predictions
    from referee.scoring.metric import Metric

MOMENTS = "_moments_of_metrics"


@dataclass(frozen=True, eq=False)
class PairMoments:
    """Of all models on one metric; numbers only, as whoever keeps rows keeps their connection open."""

    names: tuple[str, ...]
    sums: PairSums
    enlarged: Array
    """What squares of each class are multiplied by, as a mean was estimated."""
    rows: float
    square_of_one: float
    """What squares are divided by to count each row as often as it was seen."""

    @classmethod
    def of(cls, predictions: Predictions, metric: Metric) -> PairMoments:
        """Asked for once, as long as the predictions live."""
        made: dict[str, PairMoments] = vars(predictions).setdefault(MOMENTS, {})
        if metric.full_name not in made:
            made[metric.full_name] = moments = moments_of(
                predictions, metric, predictions.names, _sums(predictions, metric)
            )
            for model in predictions.models:
                kept = summing_engine_of(predictions).summarise(predictions, model).kept
                if predictions.group is None:
                    kept["spread", metric.full_name] = moments.spread(model.name)
                else:
                    groups = GroupSums.of(predictions, metric)
                    kept["spread", metric.full_name] = groups.spread(model.name)
                    kept["groups", metric.full_name] = groups.groups[model.name]
        return made[metric.full_name]

    @classmethod
    def of_all(cls, predictions: Predictions, metrics: Sequence[Metric], shown: Sequence[Metric] = ()) -> None:
        """Ask for those of several metrics together, as far as one scan gives them; the first is the goal.

        Of those that are only shown, the values will be asked for.
        """
        goal, *others = metrics
        summing_engine_of(predictions).prepare(predictions, [*metrics, *shown])
        cls.of(predictions, goal)
        for metric in others:
            if metric.summaries in (("counts",), ("sums",)) and is_judged(predictions, metric):
                cls.of(predictions, metric)

    def spread(self, a: str, b: str | None = None) -> Spread | None:
        """Of a model's value, or of the difference of two."""
        i, j = (self.names.index(name) for name in (a, a if b is None else b))
        squares, fourth = self.sums.squares[:, i, j], float(self.sums.fourths[i, j])
        if not isfinite(squares.sum()):
            return None
        df = df_from_moments(self.rows, float(squares.sum()) / self.square_of_one, fourth)
        # What is made of sums and not of rows may round below 0.
        return Spread(max(0.0, float(_times(self.enlarged, squares).sum())), df)

    @cached_property
    def df(self) -> Array:
        """Of the difference of any two."""
        spreads = [[self.spread(a, b) for b in self.names] for a in self.names]
        return np.array([[1.0 if each is None else each.df for each in row] for row in spreads])

    @cached_property
    def covariance(self) -> Array:
        """Of the models' values, in the order in which they were given."""
        return np.asarray(_times(self.enlarged[:, None, None], self.sums.products).sum(axis=0))


def moments_of(predictions: Predictions, metric: Metric, names: tuple[str, ...], sums: PairSums) -> PairMoments:
    """Of some models, from their sums."""
    by_class = compares_classes(predictions, metric)
    rows = predictions.rows_of_classes.tolist() if by_class else [predictions.rows_seen]
    frequency = predictions.weight is not None and predictions.weight_kind == "frequency"
    return PairMoments(
        names,
        sums,
        np.array([bessel(number) for number in rows]),
        predictions.rows_seen,
        float(predictions.row_weight**2) if frequency else 1.0,
    )


def _sums(predictions: Predictions, metric: Metric) -> PairSums:
    engine = summing_engine_of(predictions)
    with np.errstate(all="ignore"), metric.answerable():
        engine.prepare(predictions, [metric])
        try:
            every = _influences(predictions, metric)
        except TypeError as error:
            raise UsageError(
                "E_ROWS", f"{metric.shown_name} cannot be compared inside a database: {error}",
                hint=engine.TO_HAVE_ROWS,
            ) from None  # fmt: skip
        return engine.pair_sums(predictions, every, by_class=compares_classes(predictions, metric))


def _influences(predictions: Predictions, metric: Metric) -> list[Any]:
    """Of all models; what they want to know is asked together."""
    every = [summing_engine_of(predictions).summarise(predictions, model) for model in predictions.models]

    def run() -> None:
        for summary in every:
            with suppress(AskedLaterError):
                influence(summary, metric)

    replay([summary.rounds for summary in every if hasattr(summary, "rounds")], run)
    return [influence(summary, metric) for summary in every]


SHARES = "_shares_of_largest_rows"


def tails(predictions: Predictions, metric: Metric, a: str, b: str, light: float) -> dict[str, Any] | None:
    """The share that the largest 1% of rows carry of two models' losses, and of their difference.

    None where the metric has no such rows, or where those of the first are known to carry no more than a `light` share.
    """
    if not metric.carried_by or GUESSING in predictions.names:
        return None
    made: dict[str, dict[Any, float | None]] = vars(predictions).setdefault(SHARES, {})
    if metric.full_name not in made:
        if light and summing_engine_of(predictions).most_carried(predictions, metric, a) <= light:
            return None
        made[metric.full_name] = _shares(predictions, metric)
    shares, pair = made[metric.full_name], tuple(sorted((a, b), key=predictions.names.index))
    return {"models": {name: shares[name] or 0.0 for name in (a, b)}, "difference": shares[pair]}


def _shares(predictions: Predictions, metric: Metric) -> dict[Any, float | None]:
    """Of every model, and of every two."""
    engine, names = summing_engine_of(predictions), predictions.names
    losses: dict[Any, tuple[Any, float]] = dict(zip(names, engine.losses(predictions, metric), strict=True))
    for a, b in combinations(names, 2):
        losses[a, b] = losses[a][0] - losses[b][0], losses[a][1] - losses[b][1]
    columns, totals = zip(*losses.values(), strict=True)
    tails = engine.largest_sums(predictions, columns, ceil(predictions.rows_seen / 100))
    shares = (tail / total if total and isfinite(total) else None for tail, total in zip(tails, totals, strict=True))
    return dict(zip(losses, shares, strict=True))


def know_beside_guess(predictions: Predictions, both: Predictions, metric: Metric, label: int | None) -> None:
    """Make the moments of a model and a guess of the model's sums, without looking at the rows again.

    A guess says the same of every row, so that all rows of a class add the same to its value.
    """
    rows = predictions.rows_of_classes.astype(float) if predictions.classes else None
    in_memory = rows_to_guess(predictions, rows)
    if rows is None or not in_memory.has_rows:
        return
    moments, added = PairMoments.of(predictions, metric), np.zeros(len(rows))
    model = guess(in_memory, rows, label)
    with np.errstate(all="ignore"):
        added[in_memory.truth] = influence(engine_of(in_memory).summarise(in_memory, model), metric).of_rows()
    place = moments.names.index(both.names[0])
    first, second, third, fourth = np.moveaxis(moments.sums.powers[:, place], 1, 0)
    apart = second - 2 * added * first + rows * added**2
    fourths = [fourth, _fourth_apart(rows, first, second, third, fourth, added), rows * added**4]
    products = np.moveaxis(np.array([[second, added * first], [added * first, rows * added**2]]), 2, 0)
    squares = np.moveaxis(np.array([[second, apart], [apart, rows * added**2]]), 2, 0)
    if not compares_classes(predictions, metric):
        products, squares = (sums.sum(axis=0, keepdims=True) for sums in (products, squares))
    own, differing, of_guess = (float(sums.sum()) for sums in fourths)
    sums = PairSums(products, squares, np.array([[own, differing], [differing, of_guess]]), np.empty(0))
    known = PairMoments(both.names, sums, moments.enlarged, moments.rows, moments.square_of_one)
    vars(both).setdefault(MOMENTS, {})[metric.full_name] = known


def _fourth_apart(rows: Array, first: Array, second: Array, third: Array, fourth: Array, added: Array) -> Array:
    return fourth - 4 * added * third + 6 * added**2 * second - 4 * added**3 * first + rows * added**4


def _times(enlarged: Array, sums: Array) -> Any:
    """A class without rows adds nothing."""
    with np.errstate(invalid="ignore"):
        return np.where(sums == 0, 0.0, enlarged * sums)


def is_judged(predictions: Predictions, metric: Metric) -> bool:
    """Whether all models have the metric, and their sums give it."""
    return metric.compares_models and all(has_sums(predictions, metric, model) for model in predictions.models)


def has_sums(predictions: Predictions, metric: Metric, model: Model) -> bool:
    """Whether a model has the metric, and sums over rows give what these add to its value."""
    engine = summing_engine_of(predictions)
    if "baseline" in metric.row_arguments or engine.why_lacking(predictions, metric):
        return False
    return why_not(metric, model, predictions.facts[model.name]) is None


def why_not_summed(metric: Metric) -> str | None:
    """Why a metric's influences cannot be summed inside a database, whatever the rows are."""
    if metric.row_terms is not None and "ranking" in metric.summaries:
        return "the precision of a median depends on the rows around it"
    if "pairs" in metric.summaries:
        return "it ranks the rows of every two classes"
    if "ranking" in metric.summaries and metric.settings.get("average") == "micro":
        return "it ranks the rows of all classes together"
    return None
