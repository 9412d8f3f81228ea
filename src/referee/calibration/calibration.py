"""calibrate(): a model's scores become probabilities, and before is compared with after on every metric."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from referee.calibration.changes import Change, changes_of
from referee.calibration.diagnosis import Diagnosis, diagnose
from referee.calibration.division import Parts, cross_fitting, divided, refuse_one_class, refuse_repeats_of_unknown_rows
from referee.calibration.events import refuse_without_rows
from referee.calibration.map_fits import Fitted, chosen_methods, fit_method, notices_of, score_columns
from referee.document import Document, Part, Result, number, p_value
from referee.errors import Notice, RefereeError, UsageError
from referee.predictions import Columns, Model, Predictions, facts_of_arrays, predictions_of, takes_predictions
from referee.records import dataclass
from referee.scoring import Metric, asked_metrics, chosen_metrics, refuse_scales, why_not
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array
    from referee.calibration.calibrations import Calibrations


@dataclass(frozen=True)
class Settings:
    """What was asked of a calibration, whichever model it is of; see `calibrate`."""

    method: str | Sequence[str] = "all"
    goal: str | Metric = "log_loss"
    fit_on: str | Array | None = None
    folds: int = 10
    metrics: str | Metric | Sequence[str | Metric] | None = None
    bins: int = 10
    mass: bool = False
    alpha: float = 0.05
    seed: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result):
    """A model before and after calibration, on rows that its maps were not fitted on.

    `fitted` holds for each method its calibrator, fitted on all rows that may be fitted on; `changes` one comparison
    for each metric and method: after minus before.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([0, 1, 1, 0] * 30, {"m": [0.3, 0.99, 0.4, 0.9] * 30})
    >>> result = calibrate(predictions, "m", method="platt")
    >>> result.best, result.change("log_loss", "platt").comparison.difference < 0
    ('platt', True)
    """

    model: str
    predictions: Predictions
    """Those that are judged: the model as it is, then the same after each method."""
    goal: Metric
    how: str
    """On which rows the maps were fitted and judged."""
    fitted: dict[str, Fitted]
    changes: tuple[Change, ...]
    notices: tuple[Notice, ...]
    skipped: dict[str, str]
    """Methods that cannot be used on this model, and why."""
    settings: Settings

    @property
    def alpha(self) -> float:
        return self.settings.alpha

    @property
    def best(self) -> str:
        """The method with the best value of the goal."""
        sign = 1 if self.goal.better == "lower" else -1
        values = {name: self.change(self.goal.full_name, name).after for name in self.fitted}
        return min(values, key=lambda name: np.inf if values[name] is None else sign * float(values[name] or 0))

    def change(self, metric: str, method: str) -> Change:
        """What a method does to a metric."""
        for change in self.changes:
            if change.method == method and metric in (change.metric.full_name, change.metric.name):
                return change
        raise KeyError((metric, method))

    @cached_property
    def diagnoses(self) -> dict[str, tuple[Diagnosis, ...]]:
        """By model, before and after; nothing of scores that are no probabilities."""
        given = [model for model in self.predictions.models if _are_probabilities(self.predictions, model)]
        bins, mass = self.settings.bins, self.settings.mass
        return {
            model.name: diagnose(self.predictions, model.name, bins=bins, mass=mass, alpha=self.alpha)
            for model in given
        }

    @property
    def headline(self) -> str | None:
        """Whether the model as it is gives calibrated probabilities; None where it gives none."""
        return self.diagnoses[self.model][0].judgement if self.model in self.diagnoses else None

    @property
    def goal_change(self) -> Change:
        """What the best method does to the goal."""
        return self.change(self.goal.full_name, self.best)

    @property
    def is_advised(self) -> bool:
        """Whether the best method is significantly better than no map, or there are no probabilities without one."""
        change = self.goal_change
        better = change.p is not None and change.p < self.alpha and change.comparison.outcome == "a"
        return change.before is None or better

    @property
    def sentence(self) -> str:
        """Whether to calibrate, and how."""
        change, several = self.goal_change, len(self.fitted) > 1
        metric, after = self.goal.shown_name, number(change.after)
        if change.before is None:
            return (
                f"{self.model} gives scores that are not probabilities; {self.best} turns them into probabilities with "
                f"{metric} {after}, on rows that it was not fitted on."
            )
        values = f"{metric} goes from {number(change.before)} to {after} ({_how_sure(change)})"
        if self.is_advised:
            best = f", the best of {len(self.fitted)} methods" if several else ""
            return f"Calibrate {self.model} by {self.best}{best}: {values}."
        who = "No method makes" if several else f"{self.best} does not make"
        best = f" with {self.best}, the best of {len(self.fitted)}," if several else ""
        return f"{who} {self.model}'s probabilities significantly better:{best} {values}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "rows": self.predictions.rows,
            "model": self.model,
            "goal": self.goal.full_name,
            "alpha": self.alpha,
            "seed": self.settings.seed,
            "fingerprint": self.predictions.fingerprint,
            "read": self.predictions.reading,
            "fitted": self.how,
            "methods": [method.to_dict() for method in self.fitted.values()],
            "skipped": self.skipped,
            "changes": [change.to_dict() for change in self.changes],
            "calibration": [diagnosis.to_dict() for each in self.diagnoses.values() for diagnosis in each],
            "best": self.best,
            "headline": self.headline,
            "sentence": self.sentence,
            "warnings": [vars(notice) for notice in self.notices],
        }

    @property
    def command(self) -> str:
        return "calibrate"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.calibration.calibration_document import calibration_document

        return calibration_document(self)

    def explanation(self) -> tuple[Part, ...]:
        from referee.calibration.calibration_document import explained_calibration

        return explained_calibration(self)

    def records(self) -> list[dict[str, Any]]:
        """One for each metric and method."""
        rows = [change.to_dict() for change in self.changes]
        return [{name: row[name] for name in row if name not in ("details", "warnings")} for row in rows]


@takes_predictions("model", "method")
def calibrate(
    *given: Any,
    model: str | None = None,
    method: str | Sequence[str] = "all",
    goal: str | Metric = "log_loss",
    fit_on: str | Array | None = None,
    folds: int = 10,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    bins: int = 10,
    mass: bool = False,
    alpha: float = 0.05,
    seed: int = 0,
    **columns: Unpack[Columns],
) -> Calibration | Calibrations:
    """Fit maps from scores to probabilities, and compare before and after on rows that the maps were not fitted on.

    The input is the same as for `evaluate`: truth and predictions, a table and truth="COLUMN", fitted models with
    X_test and y_test, or `Predictions`. Every model is calibrated by itself, and `result["name"]` is one of them;
    `model` chooses one. `method` is "platt", "isotonic", "temperature", "beta", a list of these, or "all" that can be
    used. The maps are cross-fitted in `folds` folds; with `fit_on` ("COL=VALUE", or an array that is true for the rows
    to fit on) they are evaluated on all other rows. `goal`, a strictly proper metric, chooses the best method. `bins`
    and `mass` belong to the calibration error.

    >>> calibrate([0, 1] * 20, [-1.5, 2.0] * 20).skipped["beta"]
    'needs probabilities, and the model gives other scores'
    """
    by = (fit_on.partition("=")[0],) if isinstance(fit_on, str) else ()
    predictions = predictions_of("calibrate", given, columns, by=by, metrics=asked_metrics(goal, metrics))
    settings = Settings(method, goal, fit_on, folds, metrics, bins, mass, alpha, seed)
    if model is None and len(predictions.models) > 1:
        return _of_each(predictions, settings)
    return calibration_of(predictions, predictions.names[0] if model is None else model, settings)


def _of_each(predictions: Predictions, settings: Settings) -> Calibrations:
    """Every model that can be calibrated, and why the others cannot."""
    from referee.calibration.calibrations import Calibrations

    each: dict[str, Calibration] = {}
    refused: dict[str, RefereeError] = {}
    for name in predictions.names:
        try:
            each[name] = calibration_of(predictions, name, settings)
        except RefereeError as error:
            refused[name] = error
    if not each:
        raise next(iter(refused.values()))
    return Calibrations(predictions, each, {name: error.message for name, error in refused.items()})


def calibration_of(predictions: Predictions, name: str, settings: Settings) -> Calibration:
    """One model, before and after; see `calibrate`."""
    refuse_without_rows(predictions)
    chosen, goal = predictions.model(name), settings.goal
    score_columns(predictions, chosen)
    refuse_one_class(predictions)
    refuse_repeats_of_unknown_rows(predictions)
    refuse_scales(predictions, chosen)
    wanted = _strictly_proper(catalogue[goal] if isinstance(goal, str) else goal)
    methods, skipped = chosen_methods(settings.method, predictions, chosen)
    fitting, judged, parts, how = _divided(replace(predictions, models=(chosen,)), settings)
    fitted = {method.name: fit_method(method, fitting, judged, parts) for method in methods}
    after = replace(judged, models=(judged.models[0], *(fit.model for fit in fitted.values())))
    asked = chosen_metrics(after, settings.metrics)
    if wanted.full_name not in {metric.full_name for metric in asked}:
        asked = (wanted, *asked)
    maps, facts = list(fitted.values()), facts_of_arrays(predictions, chosen)
    changes = changes_of(after, maps, asked, wanted, facts, alpha=settings.alpha, seed=settings.seed)
    notices = notices_of(after, fitting, maps)
    return Calibration(chosen.name, after, wanted, how, fitted, changes, notices, skipped, settings)


def _divided(alone: Predictions, settings: Settings) -> tuple[Predictions, Predictions, Parts | None, str]:
    """The rows to fit on and those to judge; the folds, where these are the same; and how that was done."""
    if settings.fit_on is not None:
        fitting, judged, how = divided(alone, settings.fit_on)
        return fitting.with_rows_that_count(), judged.with_rows_that_count(), None, how
    judged = alone.with_rows_that_count().in_canonical_order()
    parts = cross_fitting(judged, settings.folds, settings.seed)
    return judged, judged, parts, parts.how


def _strictly_proper(goal: Metric) -> Metric:
    if goal.strictly_proper:
        return goal
    proper = [name for name, metric in catalogue.items() if metric.strictly_proper and "binary" in metric.tasks]
    raise UsageError(
        "E_GOAL",
        f"{goal.name} cannot choose between maps: it is not strictly proper, so worse probabilities may score better",
        hint=f"the strictly proper ones are {', '.join(proper)}",
    )


def _are_probabilities(predictions: Predictions, model: Model) -> bool:
    return why_not(catalogue["calibration_error"], model, facts_of_arrays(predictions, model)) is None


def _how_sure(change: Change) -> str:
    comparison = change.comparison
    if change.p is None:
        return f"no test: {comparison.undefined}"
    family = "" if comparison.p_adjusted == comparison.p else " adjusted for the choice"
    return f"difference {number(comparison.difference)}, {p_value(change.p)}{family}"
