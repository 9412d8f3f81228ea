"""Tally: what one scan over the rows counts and adds up, of all models at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import ceil, inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import unscaled
from referee.engines.database.rows import conditions
from referee.engines.protocol import PairSums
from referee.engines.summaries import Counts, Sums
from referee.predictions import fetch, fetch_row, number, table_of
from referee.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array, Column
    from referee.predictions import Predictions
    from referee.scoring import Metric

TALLY = "_tally"
MOST_CELLS = 1 << 12
"""Of decisions of all models and the truth; of more, the models are counted one by one."""
MOST_SUMS = 1000
HEAD = 1000
"""Rows whose mean stands in for that of all while these are added up: databases add floats up one after the other, and
powers of what is far from 0 cancel. The mean of so many of n rows is at most sqrt(n / 1000) deviations from that of all
of them, however the table is sorted, so that powers of the rest are exact enough."""


@dataclass(frozen=True, eq=False)
class TermPowers:
    """Sums over rows of the first four powers of a row term, and of its difference between every two models."""

    centres: Array
    """What was subtracted from the term of each model."""
    rows: Array
    """(class)"""
    own: Array
    """(class, model, power)"""
    apart: dict[tuple[int, int], Array]
    """(class, power) of every two models."""

    @property
    def shifts(self) -> Array:
        """How far each model's mean is from its centre."""
        return np.asarray(self.own[:, :, 0].sum(axis=0) / self.rows.sum())

    def sums(self, term: str, model: int) -> Sums:
        """As the formula takes them."""
        shift, rows = self.shifts[model], self.rows.sum()
        finite = shift if isfinite(shift) else 0.0
        moment = self.own[:, model, 1].sum() - rows * finite**2
        return Sums((term,), np.array([rows]), np.array([[self.centres[model] + shift]]), np.array([[[moment]]]))

    def pair_sums(self, slope: float) -> PairSums:
        """Where every row adds its deviation from the mean times a slope, which all models have in common."""
        models = range(len(self.centres))
        powers = np.stack([_about(self.own[:, i], self.shifts[i], self.rows) for i in models], axis=1)
        squares, fourths = (np.diag(powers[:, :, power].sum(axis=0)) for power in (1, 3))
        for (i, j), sums in self.apart.items():
            about = _about(sums, sums[:, 0].sum() / self.rows.sum(), self.rows).sum(axis=0)
            squares[i, j], fourths[i, j] = squares[j, i], fourths[j, i] = about[[1, 3]]
        own = np.diag(squares)
        products = (own[:, None] + own - squares) / 2
        products[models, models] = own
        return PairSums(
            products[None] * slope**2, squares[None] * slope**2, fourths * slope**4,
            powers * slope ** np.arange(1.0, 5.0),
        )  # fmt: skip

    def most_carried(self, model: int) -> float:
        """A bound (Hoelder's) of what the largest 1% of rows carry of a model's losses, which are not negative.

        So many rows exceed the mean by no more than the fourth powers of all deviations allow.
        """
        rows = self.rows.sum()
        largest, shift = ceil(rows / 100), self.shifts[model]
        with np.errstate(all="ignore"):
            fourth = _about(self.own[:, model], shift, self.rows)[:, 3].sum()
            share = float((largest + (largest**3 * fourth) ** 0.25 / (self.centres[model] + shift)) / rows)
        return share if share >= 0 else inf


def _about(sums: Array, shift: float, rows: Array) -> Array:
    """Sums of powers about another centre: (class, power)."""
    first, second, third, fourth = np.moveaxis(sums, -1, 0)
    return np.stack(
        [
            first - shift * rows,
            second - 2 * shift * first + shift**2 * rows,
            third - 3 * shift * second + 3 * shift**2 * first - shift**3 * rows,
            fourth - 4 * shift * third + 6 * shift**2 * second - 4 * shift**3 * first + shift**4 * rows,
        ],
        axis=-1,
    )


@dataclass(frozen=True, eq=False)
class Tally:
    """How many rows have each true class together with each decision of every model, and what is added up of them."""

    names: tuple[str, ...]
    classes: int
    truth: Array
    labels: Array | None
    """(model, cell); None where rows have weights, or cells would be many"""
    rows: Array
    conditions: Mapping[str, dict[str, int]]
    """How many rows meet conditions, by the name of the model that they are about; where that is known."""
    powers: Mapping[str, TermPowers]
    """By the full names of metrics that have one row term."""

    def matrix(self, name: str) -> Array:
        """The confusion matrix of a model."""
        places = self.truth * self.classes + self.labels_of(name)
        return np.bincount(places, self.rows, self.classes**2).astype(np.int64).reshape(1, self.classes, self.classes)

    def labels_of(self, name: str) -> Array:
        assert self.labels is not None
        return np.asarray(self.labels[self.names.index(name)])


def tally_of(predictions: Predictions) -> Tally | None:
    return vars(predictions).get(TALLY)


def take_tally(predictions: Predictions, every: Sequence[Any], metrics: Sequence[Metric]) -> None:
    """Look at all rows once, for what is not known yet; `every` are the summaries of the models, which then know it."""
    known = tally_of(predictions)
    new = [metric for metric in metrics if known is None or metric.full_name not in known.powers]
    new = [metric for metric in new[: _most_metrics(len(every))] if _has_one_term(every, metric)]
    if known is not None and not new:
        return
    scan = _Scan(predictions, every, new, at_first=known is None)
    taken = scan.tally()
    tally = taken if known is None else replace(known, powers={**known.powers, **taken.powers})
    keep_tally(predictions, tally, every)
    for place, summary in enumerate(every):
        for name, powers in taken.powers.items():
            (term,) = scan.terms[name][place]
            summary.known_sums.setdefault(name, powers.sums(term, place))


def keep_tally(predictions: Predictions, tally: Tally, every: Sequence[Any]) -> None:
    """Where it is looked for: with the predictions, and the counts of each model with its summary."""
    vars(predictions)[TALLY] = tally
    if tally.labels is not None:
        for name, summary in zip(tally.names, every, strict=True):
            vars(summary).setdefault("counts", Counts(tally.matrix(name)))


def _most_metrics(models: int) -> int:
    """How many can be added up in one query, as databases limit its columns."""
    return MOST_SUMS // (2 * models * (models + 1))


def _has_one_term(every: Sequence[Any], metric: Metric) -> bool:
    """Whether a metric is a function of the mean of one row term, which no yardstick enters."""
    if metric.summaries != ("sums",) or every[0].predictions.weight is not None:
        return False
    if any(summary.baseline.used_by(metric) or not summary.rows.gives(metric.needs) for summary in every):
        return False
    return len(every[0].rows.row_terms(metric, every[0].baseline)) == 1


class _Scan:
    """The query, and what its answer means."""

    def __init__(
        self, predictions: Predictions, every: Sequence[Any], metrics: Sequence[Metric], *, at_first: bool
    ) -> None:
        self.predictions, self.every, self.at_first = predictions, every, at_first
        models = predictions.models if at_first else ()
        self.conditions = {m.name: _conditions(summary) for m, summary in zip(models, every, strict=False)}
        self.terms = {m.full_name: [summary.rows.row_terms(m, summary.baseline) for summary in every] for m in metrics}
        self.pairs = [*combinations(range(len(every)), 2)]
        self.columns = {
            f"term{place}_{model}": next(iter(terms.values()))
            for place, of_models in enumerate(self.terms.values())
            for model, terms in enumerate(of_models)
        }

    def tally(self) -> Tally:
        keys, centres = self._keys(), self._centres()
        answer = fetch(self._query(keys, centres))
        truth = answer["truth"].astype(np.int64) if "truth" in keys else np.zeros(len(answer["rows"]), np.int64)
        labels = [answer[name].astype(np.int64) for name in keys if name != "truth"]
        classes, rows = max(len(self.predictions.classes), 1), answer["rows"].astype(float)

        def by_class(name: str) -> Array:
            return np.bincount(truth, answer[name], classes)

        def powers(name: str) -> Array:
            return np.stack([by_class(f"{name}_{power}") for power in range(1, 5)], axis=1)

        of_classes, models = np.bincount(truth, rows, classes), range(len(self.every))
        of_metrics = {
            metric: TermPowers(
                np.array([centres[f"term{place}_{model}"] for model in models]),
                of_classes,
                np.stack([powers(f"term{place}_{model}") for model in models], axis=1),
                {(i, j): powers(f"apart{place}_{i}_{j}") for i, j in self.pairs},
            )
            for place, metric in enumerate(self.terms)
        }
        names = self.predictions.names
        return Tally(names, classes, truth, np.stack(labels) if labels else None, rows, self._met(answer), of_metrics)

    def _met(self, answer: dict[str, Array]) -> dict[str, dict[str, int]]:
        """How many rows meet each condition."""
        return {
            model: {name: int(answer[f"{place}_{name}"].sum()) if f"{place}_{name}" in answer else 0 for name in named}
            for place, (model, named) in enumerate(self.conditions.items())
        }

    def _keys(self) -> dict[str, Column]:
        """What rows are told apart by."""
        predictions = self.predictions
        if not predictions.classes:
            return {}
        keys: dict[str, Column] = {"truth": predictions.truth}
        many = len(predictions.classes) ** (len(self.every) + 1) > MOST_CELLS
        if predictions.weight is not None or many or not self.at_first:
            return keys
        return keys | {f"label{place}": summary.rows.labels for place, summary in enumerate(self.every)}

    def _centres(self) -> dict[str, float]:
        """The means of the first rows."""
        if not self.columns:
            return {}
        head = table_of(self.predictions.truth).select(**self.columns).limit(HEAD)
        means = fetch_row(head.aggregate(**{name: head[name].mean() for name in self.columns}))
        return {name: mean if mean is not None and isfinite(mean) else 0.0 for name, mean in means.items()}

    def _query(self, keys: dict[str, Column], centres: dict[str, float]) -> Any:
        off: dict[str, Any] = {name: column - number(centres[name]) for name, column in self.columns.items()}
        met: dict[str, Any] = {
            f"{place}_{name}": condition
            for place, named in enumerate(self.conditions.values())
            for name, condition in named.items()
            if condition is not None
        }
        cells, rows = {**keys, **off, **met}, table_of(self.predictions.truth)
        rows = rows.select(**cells) if cells else rows
        sums: dict[str, Any] = {"rows": rows.count()}
        sums |= {name: rows[name].ifelse(1, 0).sum() for name in met}
        sums |= {f"{name}_{power}": column.sum() for name in off for power, column in _powers(rows[name])}
        for place in range(len(self.terms)):
            for i, j in self.pairs:
                apart = rows[f"term{place}_{i}"] - rows[f"term{place}_{j}"]
                sums |= {f"apart{place}_{i}_{j}_{power}": column.sum() for power, column in _powers(apart)}
        return rows.group_by(*keys).aggregate(**sums) if keys else rows.aggregate(**sums)


def _conditions(summary: Any) -> dict[str, Any]:
    """What is worth counting of a model's rows; None where its extremes say that no row is so.

    All conditions on single scores are about those at or beyond 0 and 1.
    """
    named = conditions(summary.predictions, summary.rows.model)
    column = summary.rows.model.scores
    if column is None or summary.rows.model.class_scores is not None or not column.op().relations:
        return named
    low, high = summary.rows.extremes
    return dict.fromkeys(named) if low > 0 and high < 1 else named


def _powers(column: Any) -> list[tuple[int, Column]]:
    square = column * column
    return [(1, column), (2, square), (3, square * column), (4, square * square)]


def pair_sums_of_terms(tally: Tally, influences: Sequence[Any]) -> PairSums | None:
    """Of influences that are one row term times the same slope; None of others."""
    first = influences[0]
    if any(influence.tables or influence.added or len(influence.terms) != 1 for influence in influences):
        return None
    names = tuple(influence.summary.rows.model.name for influence in influences)
    ways = [way for influence in influences for _, way in influence.terms]
    powers = tally.powers.get(first.terms[0][0].full_name)
    slopes = {float(way.by_mean[0, 0] / way.weight[0]) for way in ways}
    if powers is None or len(slopes) > 1 or any(way.by_covariance.any() for way in ways):
        return None
    if len({influence.summary.scale for influence in influences}) > 1:
        return None
    (slope,) = slopes
    sums, scale, power = powers.pair_sums(slope), first.summary.scale, first.units_power
    places = [tally.names.index(name) for name in names]
    every, of_each = np.ix_([0], places, places), np.ix_(places, places)
    return replace(
        sums,
        products=unscaled(sums.products[every], scale, 2 * power),
        squares=unscaled(sums.squares[every], scale, 2 * power),
        fourths=unscaled(sums.fourths[of_each], scale, 4 * power),
        powers=np.stack([unscaled(sums.powers[:, places, k], scale, (k + 1) * power) for k in range(4)], axis=-1),
    )


def pair_sums_of_labels(tally: Tally, influences: Sequence[Any]) -> PairSums:
    """Of influences that depend on the true class and the decision alone."""
    classes = tally.classes
    changes = np.stack(
        [
            table[tally.truth * classes + tally.labels_of(influence.summary.rows.model.name)]
            for influence in influences
            for table in influence.tables.values()
        ]
    )
    apart = changes[:, None] - changes

    def by_class(numbers: Array) -> Array:
        """Sums over the cells of each true class, which comes first."""
        weighed = numbers * tally.rows
        return np.stack([weighed[..., tally.truth == code].sum(axis=-1) for code in range(classes)])

    own = np.arange(len(changes))
    powers = np.moveaxis(np.stack([by_class(changes**power) for power in (1, 2, 3, 4)]), 0, 2)
    products, squares, fourths = by_class(changes[:, None] * changes), by_class(apart**2), by_class(apart**4)
    squares[:, own, own], fourths[:, own, own] = powers[:, :, 1], powers[:, :, 3]
    return PairSums(
        products.sum(axis=0, keepdims=True), squares.sum(axis=0, keepdims=True), fourths.sum(axis=0), powers
    )


def is_by_labels(influence: Any) -> bool:
    """Whether it depends on the true class and the decision alone."""
    return [*influence.tables] == [influence.summary.label_cells] and not influence.terms
