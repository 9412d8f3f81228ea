"""Contest: all models on one metric in one design, which is what significance tests are given."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.arrays import total
from referee.comparing.all_pairs import FEW_MODELS
from referee.comparing.contender import Contender, refuse_weights_and_groups
from referee.comparing.left_out import pieces_of_refits
from referee.comparing.mean_differences import overlap_ratio
from referee.comparing.split_estimates import SchemeEstimate
from referee.comparing.summed_contender import SummedContender
from referee.engines import engine_of, share_summaries
from referee.errors import UndefinedError, UsageError
from referee.records import dataclass
from referee.scoring import (
    GUESSING,
    PairMoments,
    covariance_of_seeds,
    guess,
    know_beside_guess,
    metrics,
    values,
    why_not,
    why_not_pooled,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from referee.arrays import Array
    from referee.comparing.comparison import Comparison
    from referee.comparing.design import Design
    from referee.comparing.significance_test import SignificanceTest
    from referee.predictions import Model, Predictions, Units
    from referee.scoring import Metric


def best_first(values: Mapping[str, float], metric: Metric, ties: Mapping[str, float] | None = None) -> list[str]:
    """The models by their value, those without one last; equal ones by `ties`, lowest first, and by their names.

    >>> from referee import metrics
    >>> best_first({"a": 0.2, "b": 0.1, "c": float("nan")}, metrics["log_loss"])
    ['b', 'a', 'c']
    >>> best_first({"a": 0.9, "b": 0.9}, metrics["accuracy"], {"a": 0.08, "b": 0.07})
    ['b', 'a']
    """
    sign, ties = -1 if metric.better == "higher" else 1, ties or {}
    return sorted(values, key=lambda name: (*_place(sign * values[name]), to_digits(ties.get(name, 0.0)), name))


def _place(value: float) -> tuple[bool, float]:
    return not isfinite(value), to_digits(value) if isfinite(value) else 0.0


def to_digits(value: float) -> float:
    """A value without what is rounding only: means over units of equal models differ in the last digits."""
    return float(f"{value:.13g}")


def exact_ties(values: Mapping[str, float]) -> list[list[str]]:
    """The models that have exactly the same value as another one.

    >>> exact_ties({"a": 0.5, "b": 0.7, "c": 0.5})
    [['a', 'c']]
    """
    groups: dict[float, list[str]] = {}
    for name, value in values.items():
        if isfinite(value):
            groups.setdefault(to_digits(value), []).append(name)
    return [names for names in groups.values() if len(names) > 1]


"""No model of a user's has this name."""


@dataclass(frozen=True, eq=False)
class Contest:
    """Compares any two of the models by any test that takes what the design gives."""

    predictions: Predictions
    metric: Metric
    design: Design
    units: Units | None = None
    """The folds or data sets, where these are compared and not rows."""
    partitions: Array | None = None
    """The subset of each row in each of several partitions: (partition, row)."""
    within: SignificanceTest | None = None
    """The test of the folds of each data set, where another one than usual was asked for."""
    light: float = 0.0
    """Tails of losses that carry no more than this change nothing, and need not be looked at."""

    @property
    def goal(self) -> str:
        """What the metric is called."""
        return self.metric.called(len(self.predictions.classes))

    @property
    def by_rows(self) -> bool:
        return self.design.by_rows

    @property
    def rows(self) -> int:
        """How many there are; a row with a frequency weight is so many, and one without weight is none."""
        predictions = self.predictions
        several = self.design.kind == "left_out" and predictions.example is not None
        return len(predictions.example) if several and predictions.example else round(predictions.rows_seen)

    @cached_property
    def contenders(self) -> dict[str, Contender]:
        kind = Contender if self.predictions.has_rows else SummedContender
        return {model.name: kind(self.predictions, model, self.metric) for model in self.predictions.models}

    @cached_property
    def apart_by_scale(self) -> tuple[str, str] | None:
        """A model whose rows of all folds are ranked though they have no common order, and why they have none."""
        if self.design.kind not in ("time", "out_of_fold") or not self.metric.pools_ranks:
            return None
        reasons = ((model.name, why_not_pooled(self.predictions, model)) for model in self.predictions.models)
        return next(((name, reason) for name, reason in reasons if reason), None)

    @cached_property
    def values(self) -> dict[str, float]:
        """What each model is ranked by: its value on all rows, or the mean over the units."""
        if self.by_rows:
            return {name: contender.value for name, contender in self.contenders.items()}
        if self.design.kind == "left_out":
            return {name: contender.refits.value for name, contender in self.contenders.items()}
        with np.errstate(over="ignore", invalid="ignore"):  # values of 1e308
            return {name: float(each.mean()) for name, each in self.unit_values.items()}

    @cached_property
    def order(self) -> list[str]:
        """The models, best first; those with exactly the same value by their Brier scores."""
        return best_first(self.values, self.metric, self.brier_of_ties)

    @cached_property
    def brier_of_ties(self) -> dict[str, float]:
        """The Brier scores of models that have exactly the same value, where all of these give probabilities."""
        brier = metrics["brier"]
        if not self.predictions.classes or self.metric.name == brier.name:
            return {}
        tied = [names for names in exact_ties(self.values) if all(map(self._gives_probabilities, names))]
        models = {model.name: model for model in self.predictions.models}
        return {name: Contender(self.predictions, models[name], brier).value for names in tied for name in names}

    def _gives_probabilities(self, name: str) -> bool:
        model = self.predictions.model(name)
        return why_not(metrics["brier"], model, engine_of(self.predictions).facts(self.predictions, model)) is None

    def among(self, names: Sequence[str]) -> Contest:
        """The same contest between some of the models."""
        chosen = tuple(model for model in self.predictions.models if model.name in names)
        return replace(self, predictions=replace(self.predictions, models=chosen))

    def against_guessing(self, best: str, label: int | None = None) -> Contest:
        """The same contest, on test rows only, between the best model and one that only knows how often things are.

        It decides for the commonest class, or for the one that is named.
        """
        predictions = self.predictions
        shares = None if not predictions.classes else self.contenders[best].summary.class_weights[0]
        model = replace(guess(predictions, shares, label), name=GUESSING)
        both = replace(predictions, models=(predictions.model(best), model), training=None)
        if self.by_rows and not predictions.has_rows:
            share_summaries(predictions, both)
            know_beside_guess(predictions, both, self.metric, label)
        return replace(self, predictions=both)

    @cached_property
    def unit_values(self) -> dict[str, Array]:
        """Each model's value of each unit; of each partition's units, where there are several: (partition, unit).

        Where the scheme's estimate is no mean of test values, these are values around it.
        """
        return {name: self._around_estimate(name) for name in self._tested} if self.estimates else self._tested

    @cached_property
    def _tested(self) -> dict[str, Array]:
        return {model.name: self._checked(model, self._values_of_units(model)) for model in self.predictions.models}

    @cached_property
    def estimates(self) -> dict[str, SchemeEstimate]:
        """The scheme's own of each model, where it also looks at the training rows."""
        part = self.predictions.training
        if part is None or not self.design.mixes_training:
            return {}
        return {name: SchemeEstimate(part, self.metric, name) for name in self.predictions.names}

    def _around_estimate(self, name: str) -> Array:
        around = self.estimates[name].around(self._tested[name])
        if np.isfinite(around).all():
            return around
        raise UndefinedError(
            "E_UNITS",
            f"the {self.design.value_name} of {self.metric.shown_name} is undefined for {name}: it has no value on the "
            "training rows of a split",
            hint="choose a metric that is defined on each split",
        )

    def is_doubtful(self, name: str) -> bool:
        """Whether a model fits its training rows so well that the scheme's estimate flatters it."""
        return bool(self.estimates) and self.estimates[name].is_doubtful(self._tested[name])

    def _values_of_units(self, model: Model) -> Array:
        if self.partitions is not None:
            from referee.scoring import values_by_partition

            by_metric = values_by_partition(self.predictions, model, [self.metric], self.partitions, self.subsets)
            return np.asarray(by_metric[self.metric.full_name])
        summary = engine_of(self.predictions).summarise(self.predictions, model, self.units)
        return values(self.metric, summary, len(self.predictions.classes), self.predictions.positive)

    @property
    def subsets(self) -> int:
        return 0 if self.partitions is None else int(self.partitions.max()) + 1

    def _checked(self, model: Model, unit_values: Array) -> Array:
        if np.isfinite(unit_values).all():
            return unit_values
        unit = int(np.argmin(np.isfinite(unit_values).reshape(-1, unit_values.shape[-1]).all(axis=0)))
        name = self.units.names[unit] if self.units else unit + 1
        reason = self.metric.undefined_when or "not a number"
        raise UndefinedError(
            "E_UNITS",
            f"{self.metric.shown_name} of {model.name} is undefined in {self.design.unit} {name}: {reason}",
            hint=f"use larger or fewer {self.design.unit}s, or a metric that is defined on each of them",
        )

    def compare(self, test: SignificanceTest, a: str, b: str, *, alpha: float | None = None) -> Comparison:
        """Compare two of the models by name."""
        design = self.design if alpha is None else replace(self.design, alpha=alpha)
        comparison = self._applied(test, a, b, design)
        details = {**comparison.details, **self._facts_of_rows(a, b)}
        return replace(comparison, a=a, b=b, metric=self.metric.full_name, details=details)

    def _facts_of_rows(self, a: str, b: str) -> dict[str, Any]:
        if self.design.kind == "data_sets":
            from referee.comparing.data_set_wins import wins  # which needs all tests

            return {"data_sets": wins(self, a, b)}
        first, second = self.contenders[a], self.contenders[b]
        return first.facts_of_pair(second, self.light) | first.facts_of_procedures(second, self.design)

    def _applied(self, test: SignificanceTest, a: str, b: str, design: Design) -> Comparison:
        if self.predictions.has_seeds and test.name != "influence":
            raise UsageError(
                "E_TEST", f"{test.title} does not allow for random seeds",
                hint="--test influence does; without --seed-column the scores of all seeds are averaged",
            )  # fmt: skip
        if test.takes in ("rows", "refits"):
            return test.apply(self.contenders[a], self.contenders[b], design)
        if test.takes == "decisions":
            refuse_weights_and_groups(self.predictions, test.title)
            wrong, right = self.contenders[a].right_with(self.contenders[b])
            return test.apply(right, wrong, design)
        if test.takes == "folds":
            from referee.comparing.data_set_wins import folds_of_sets, with_sizes  # which needs all tests

            first, second = (folds_of_sets(self, name, test) for name in (a, b))
            return test.apply(first, second, with_sizes(self, design))
        mine, others = self.unit_values[a], self.unit_values[b]
        if self.partitions is None:
            return test.apply(mine, others, design)
        comparison = _median([test.apply(x, y, design) for x, y in zip(mine, others, strict=True)])
        return replace(comparison, details={**comparison.details, "subsets": self.subsets})

    @cached_property
    def pieces(self) -> list[Array]:
        """What chance drew, of each model in the order of their names: products add up to the covariance."""
        if self.design.kind == "left_out":
            return pieces_of_refits([self.contenders[name].refits for name in sorted(self.values)])
        if not self.by_rows:
            return [self._pieces_of_units(self.unit_values[name]) for name in sorted(self.values)]
        best, *others = (self.contenders[name] for name in self.order)
        spreads = [best.spread_of_difference(other) for other in others]
        each = (self.contenders[name] for name in sorted(self.values))
        return [contender.chance.pieces(contender.changes, spreads) for contender in each]

    def _pieces_of_units(self, values: Array) -> Array:
        """Of the units of each partition, as if they were all that there is; the variance is the mean of theirs."""
        each = np.atleast_2d(values)
        partitions, units = each.shape
        centred = each - each.mean(axis=1, keepdims=True)
        return np.asarray(centred.reshape(-1) * sqrt(self._of_mean(units) / (units - 1) / partitions))

    @cached_property
    def covariance(self) -> Array:
        """Of the models' values, in the order of their names."""
        if self.sums_rows:
            return self.summed(PairMoments.of(self.predictions, self.metric).covariance)
        with np.errstate(all="ignore"):
            covariance = _products(self.pieces)
        of_seeds = covariance_of_seeds(self.predictions, sorted(self.values))
        return covariance if of_seeds is None else covariance + of_seeds

    @property
    def sums_rows(self) -> bool:
        """Whether single rows are compared, and only sums of them are to be had."""
        return self.by_rows and not self.predictions.has_rows and self.predictions.clusters is None

    def summed(self, pairs: Array) -> Array:
        """What is known of every two models in the order in which they were given, in the order of their names."""
        order = np.argsort(self.predictions.names)
        return pairs[np.ix_(order, order)]

    def _of_mean(self, units: int) -> float:
        """What the variance of one unit's value is multiplied by to give that of their mean."""
        design, factor = self.design, 1 / units
        return factor + overlap_ratio(design) if design.overlapping and design.n_train is not None else factor


def _products(pieces: Sequence[Array]) -> Array:
    """Of every two models: without rounding of few, and quickly of many."""
    if len(pieces) > FEW_MODELS:
        each = np.stack(pieces)
        return np.asarray(each @ each.T)
    products = np.empty((len(pieces), len(pieces)))
    for i, a in enumerate(pieces):
        for j, b in enumerate(pieces[: i + 1]):
            products[i, j] = products[j, i] = total(a * b)
    return products


def _median(comparisons: Sequence[Comparison]) -> Comparison:
    """The comparison with the median p (or probability) of several partitions, and how much these disagree."""
    ordered = sorted(
        comparisons,
        key=lambda comparison: (
            comparison.p is None,
            comparison.details.get("a_better") if comparison.p is None else comparison.p,
        ),
    )
    middle = ordered[len(ordered) // 2]
    significant = sum(comparison.outcome in ("a", "b") for comparison in comparisons)
    details: dict[str, Any] = {"partitions": len(comparisons), "significant_partitions": significant}
    warnings = tuple(dict.fromkeys(notice for comparison in comparisons for notice in comparison.warnings))
    return replace(middle, details={**middle.details, **details}, warnings=warnings)
