"""Resampling: data, models and splits, how fits of them are made and judged, and what choosing inside them is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.comparing import NAMES, Verdict, best_first
from referee.errors import Notice, UndefinedError, UsageError, listed
from referee.fitting.fit_runs import Limits, fit_all
from referee.fitting.model_identity import identity_of
from referee.fitting.model_spec import estimators_of
from referee.fitting.splitters import scheme_of
from referee.fitting.stored_predictions import (
    Records,
    configuration_of,
    kinds_of,
    predictions_of,
    values_of_splits,
    values_on_all_rows,
    with_training_part,
)
from referee.predictions import Predictions, needs_positive
from referee.records import dataclass
from referee.scoring import Metric, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.fitting.dataset import DataSet
    from referee.fitting.runner.crew import Failure
    from referee.fitting.scheme import Scheme
    from referee.fitting.splits import Split
    from referee.fitting.stored_predictions import Judged


@dataclass(frozen=True, eq=False)
class Resampling:
    """All that fits are made of; further ones, on other rows or other data, are made in the same way."""

    data: DataSet
    models: Any
    """As they were named, so that they can be prepared for features that have changed."""
    scheme: Scheme
    goal: Metric
    seed: int = 0
    folder: str | Path | None = None
    limits: Limits = field(default_factory=Limits)
    in_time: bool = False
    """Whether the verdict is on the test rows of all splits in the order of time."""

    @cached_property
    def estimators(self) -> dict[str, Any]:
        return self._estimators(self.data)

    @cached_property
    def splits(self) -> list[Split]:
        data = self.data
        labels = np.array(data.classes)[data.target] if data.classes else None
        groups = None if data.group is None else data.group.codes
        return list(self.scheme.splits(data.X, labels, groups, data.time, seed=self.seed))

    @property
    def is_nested(self) -> bool:
        return self.scheme.name == "nested"

    @cached_property
    def outer_scheme(self) -> str:
        """The name of the scheme that decides which rows are tested."""
        return self._part_of_nested("outer") if self.is_nested else self.scheme.name

    @property
    def chooses_by_rows(self) -> bool:
        """Whether models are chosen by the value on all inner test rows of an outer split, and not by a mean."""
        return self.is_nested and self._part_of_nested("inner") == "leave_one_out"

    def _part_of_nested(self, place: str) -> str:
        return scheme_of((self.scheme.defaults | dict(self.scheme.settings))[place]).name

    @property
    def compares_rows(self) -> bool:
        """Whether the value on all test rows counts, and not the mean over the splits."""
        return self.in_time or self._has_no_splits

    @property
    def _has_no_splits(self) -> bool:
        """Whether there is one test set, or one for each row."""
        one_split = len(self.splits) == 1 and self.scheme.combine not in NAMES
        return one_split or self.outer_scheme == "leave_one_out"

    def fits(
        self,
        inside: str = "",
        *,
        data: DataSet | None = None,
        splits: Sequence[Split] | None = None,
        only: Sequence[str] | None = None,
    ) -> tuple[Records, list[Failure]]:
        """Fit the models, or only some, on these splits of these data; further runs are kept inside the folder."""
        every = self.estimators if data is None else self._estimators(data)
        estimators = {name: model for name, model in every.items() if only is None or name in only}
        return fit_all(
            data or self.data,
            self.splits if splits is None else splits,
            estimators,
            folder=None if self.folder is None else Path(self.folder) / inside,
            configuration=self._configuration(every),
            seed=self.seed,
            goal=self.goal,
            limits=self.limits,
        )

    def predictions(self, names: Sequence[str], records: Records) -> Predictions:
        """What the models say of the test rows, with all that the scheme's estimate needs; rows or splits are units."""
        said = predictions_of(self.data, self.splits, names, records)
        if self.data.time is not None and said.time is None:
            said = replace(said, notices=(*said.notices, IN_SPLITS))
        said = with_training_part(said, self.data, self.splits, records, self.scheme.combine)
        return replace(said, train_rows=None) if self.compares_rows else said

    def judged(
        self, names: Sequence[str], records: Records, splits: Sequence[Split] | None = None
    ) -> dict[str, Judged]:
        """Each model's value on the test rows, by what is true of them."""
        predictions = predictions_of(self.data, self.splits if splits is None else splits, names, records)
        judge = values_on_all_rows if self.compares_rows else values_of_splits
        return judge(replace(predictions, notices=()), self.goal)

    def _estimators(self, data: DataSet) -> dict[str, Any]:
        return estimators_of(self.models, data.features, data.task, self.seed)

    def _configuration(self, estimators: Mapping[str, Any]) -> str:
        """Of the scheme and all models: one that has failed belongs to it too, as it may not do so the next time."""
        models = [(name, identity_of(estimator)) for name, estimator in estimators.items()]
        return configuration_of(
            identity_of([models, self.scheme.full_name]), self.scheme.combine, compares_rows=self._has_no_splits
        )


IN_SPLITS = Notice(
    "W_SPLITS",
    "rows in time that also belong to groups are compared by splits, with the corrected resampled t-test: no test of "
    "rows that depend on each other in both ways has been measured",
)


def refuse_before_fitting(estimators: Mapping[str, Any], goal: Metric, scheme: Scheme, data: DataSet) -> None:
    """Refuse one model, splits that the goal is undefined on, and data that a scheme's test was not measured with."""
    if len(estimators) < 2:
        raise UsageError("E_ONEMODEL", f"selecting needs at least two models, and there is {listed(estimators)}")
    for part in _all_schemes(scheme):
        _refuse_scheme(part, goal)
    given = ["weights"] * (data.weight is not None) + ["rows in groups"] * (data.group is not None)
    if scheme.name == "leave_two_groups_out" and given:
        raise UsageError(
            "E_SCHEME",
            f"{scheme.name} is for independent rows of equal weight: its test was not validated with "
            f"{' or '.join(given)}",
            hint="random_subsampling supports both",
        )


def _all_schemes(scheme: Scheme) -> Iterator[Scheme]:
    """The scheme, and those that a nested one is made of."""
    yield scheme
    if scheme.name == "nested":
        settings = scheme.defaults | dict(scheme.settings)
        for place in ("outer", "inner"):
            yield from _all_schemes(scheme_of(settings[place]))


def _refuse_scheme(scheme: Scheme, goal: Metric) -> None:
    if scheme.name == "equal_subsets":
        raise UsageError(
            "E_SCHEME",
            "equal_subsets fits each model once and compares subsets of one test set, so it makes no splits to fit on",
            hint="`referee study --on DATA` runs the paper's experiment with it; `referee compare --subsets N` uses "
            "existing predictions",
        )
    if scheme.name == "leave_one_out" and {"ranking", "pairs"} & set(goal.summaries):
        raise UndefinedError(
            "E_FOLDS",
            f"leave_one_out tests one row at a time, and {goal.name} compares rows of different classes: pooling the "
            "scores of different fits would not measure that",
            hint="stratified_k_fold and random_subsampling have both classes in each test set",
        )


def refuse_without_positive(data: DataSet, asked: Sequence[Metric]) -> None:
    """Ask for the positive class where a metric speaks of it, as `compare` does."""
    if data.task == "binary" and data.positive is None and any(metric.of_one_class for metric in asked):
        raise needs_positive(data.source or "the data", data.target_column, data.classes)


SELECTED = "the model selected"


@dataclass(frozen=True)
class NestedSelection:
    """Which model the inner splits chose in each outer split, and how good it is on the outer test rows."""

    choices: tuple[str, ...]
    """In the order of the outer splits."""
    values: tuple[float | None, ...]
    """Of the model chosen, on the goal metric, in each outer split."""
    chosen: Mapping[str, int]
    """How often each model was chosen."""
    mean: float | None
    """Over the outer splits: what selecting is worth; where rows are compared, the value on all of them."""
    pooled: float | None
    """On all outer test rows together, with its interval."""
    low: float | None
    high: float | None
    best: str
    """The best model on the outer splits, which is chosen by them."""
    optimistic: float | None
    """Its value on the same splits: too good, the more so the more models there are."""
    undefined: str | None = None
    """Why there is no pooled value."""
    compares_rows: bool = False
    """Whether the value on all outer test rows counts, as with leave_one_out, and not the mean over the splits."""


def inner_splits(splits: Sequence[Split]) -> list[Split]:
    """The inner splits of all outer ones: an outer split is a repeat, its inner splits are the folds."""
    return [
        replace(inner, repeat=outer, fold=fold, seen=None)
        for outer, split in enumerate(splits, start=1)
        for fold, inner in enumerate(split.inner, start=1)
    ]


def nested_selection(resampling: Resampling, records: Records, inner: Records, verdict: Verdict) -> NestedSelection:
    """Choose in each outer split by its inner ones, and look at the outer test rows."""
    names = list(verdict.predictions.names)
    choices = _choices(resampling, names, inner)
    fits = {(SELECTED, split): records[name, split] for split, name in enumerate(choices)}
    outer = values_of_splits(predictions_of(resampling.data, resampling.splits, names, records), resampling.goal)
    each = [float(outer[name].each[split]) for split, name in enumerate(choices)]
    best = next(iter(verdict.values))
    pooled = _pooled(resampling, fits, verdict.alpha)
    mean = float(np.mean(each)) if np.isfinite(each).all() else None
    return NestedSelection(
        choices=tuple(choices),
        values=tuple(value if np.isfinite(value) else None for value in each),
        chosen={name: Counter(choices)[name] for name in names},
        mean=pooled["pooled"] if resampling.compares_rows else mean,
        **pooled,
        best=best,
        optimistic=verdict.values[best],
        compares_rows=resampling.compares_rows,
    )


def _choices(resampling: Resampling, names: Sequence[str], records: Records) -> list[str]:
    """The best model of each outer split by its inner splits; of equal ones the first by name."""
    goal, by_model = resampling.goal, _inner_values(resampling, names, records)
    chosen = []
    for outer in range(len(resampling.splits)):
        values = {name: each[outer] for name, each in by_model.items()}
        if np.isnan(list(values.values())).all():
            raise UndefinedError(
                "E_UNITS",
                f"{goal.full_name} is undefined in an inner split of outer split {outer + 1}, so no model can be "
                "chosen",
                hint="use larger or stratified inner splits, or another goal",
            )
        chosen.append(best_first(values, goal)[0])
    return chosen


def _inner_values(resampling: Resampling, names: Sequence[str], records: Records) -> dict[str, list[float]]:
    """Each model's value in each outer split: the mean over its inner splits, or the value on all their rows."""
    splits, goal = resampling.splits, resampling.goal
    predictions = replace(predictions_of(resampling.data, inner_splits(splits), names, records), notices=())
    if resampling.chooses_by_rows:
        pooled = values_of_splits(replace(predictions, fold=None), goal)
        return {name: list(map(float, judged.each)) for name, judged in pooled.items()}
    ends = np.cumsum([len(split.inner) for split in splits])[:-1]
    by_split = values_of_splits(predictions, goal)
    return {name: [float(part.mean()) for part in np.split(judged.each, ends)] for name, judged in by_split.items()}


def _pooled(resampling: Resampling, fits: Any, alpha: float) -> dict[str, Any]:
    """The value on all outer test rows, if the models chosen say things of one kind."""
    if len({kinds_of(record) for record in fits.values()}) > 1:
        why = "some of the models chosen give probabilities and others only decisions"
        return {"pooled": None, "low": None, "high": None, "undefined": why}
    predictions = predictions_of(resampling.data, resampling.splits, [SELECTED], fits)
    score = evaluate(predictions, [resampling.goal], alpha=alpha)[SELECTED, resampling.goal]
    return {"pooled": score.value, "low": score.low, "high": score.high, "undefined": score.undefined}
