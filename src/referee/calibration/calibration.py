"""calibrate(): a model's scores become probabilities, and before is compared with after on every metric."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from referee.calibration.diagnosis import Diagnosis, diagnose
from referee.calibration.division import Parts, cross_fitting, divided, refuse_one_class, refuse_repeats_of_unknown_rows
from referee.calibration.events import refuse_without_rows
from referee.calibration.map_fits import Fitted, chosen_methods, fit_method, notices_of, score_columns
from referee.comparing import Comparison, Contest, Design, Kind, adjusted, by_student_t, tests, undefined
from referee.document import Document, Part, Result, number, p_value
from referee.errors import Notice, UndefinedError, UsageError, listed
from referee.predictions import Columns, Facts, Model, Predictions, facts_of_arrays, predictions_of, takes_predictions
from referee.records import dataclass
from referee.scoring import Metric, asked_metrics, chosen_metrics, why_not
from referee.scoring import metrics as catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee.arrays import Array


NO_TEST = "each fold has a map of its own, and their scores are ranked fold by fold: no test"


@dataclass(frozen=True)
class Change:
    """What a method does to a metric; `comparison.difference` is after minus before."""

    metric: Metric
    method: str
    before: float | None
    after: float | None
    comparison: Comparison
    by_ranking: bool = False
    """Whether the value is that of the ranking, which the method keeps, and so the same before and after."""
    within_folds: bool = False
    """Whether the difference is the mean over the folds of the cross-fitting, and has no test."""

    def to_dict(self) -> dict[str, Any]:
        head = {"metric": self.metric.full_name, "method": self.method, "before": self.before, "after": self.after}
        how = {"by_ranking": self.by_ranking, "within_folds": self.within_folds}
        return head | how | self.comparison.to_dict()


def changes_of(
    predictions: Predictions,
    fitted: Sequence[Fitted],
    metrics: Sequence[Metric],
    goal: Metric,
    facts: Facts,
    *,
    alpha: float,
    seed: int,
) -> tuple[Change, ...]:
    """Compare the first of the models, of which `facts` are known, with each of the others on every metric."""
    kind: Kind = "rows" if predictions.fold is None else "out_of_fold"
    changes = []
    for metric in metrics:
        design = Design(kind, "row", better=metric.better, alpha=alpha, seed=seed)
        of_metric = [_change(predictions, method, metric, facts, design) for method in fitted]
        if metric.full_name == goal.full_name:
            each = zip(of_metric, adjusted([change.comparison.p for change in of_metric]), strict=True)
            of_metric = [replace(change, comparison=replace(change.comparison, p_adjusted=p)) for change, p in each]
        changes += of_metric
    return tuple(changes)


def _change(predictions: Predictions, fitted: Fitted, metric: Metric, facts: Facts, design: Design) -> Change:
    # The maps of several folds, each its own, would shuffle rows between the folds; the one that is kept does not.
    ranked_by_one = metric.ranks_only and fitted.has_one_order
    before, after = predictions.models[0], fitted.by_one_map if ranked_by_one else fitted.model
    contest = Contest(replace(predictions, models=(before, after)), metric, design)
    names = {"a": after.name, "b": before.name, "metric": metric.full_name, "test": "influence", "alpha": design.alpha}
    if reason := why_not(metric, before, facts):
        # Only probabilities can be missing before, and after they are there.
        after_value = _defined(contest.contenders[after.name].value)
        return Change(metric, fitted.method.name, None, after_value, undefined(f"before: {reason}", **names))
    value = _defined(contest.contenders[before.name].value)
    if metric.ranks_only and fitted.parts is not None and not ranked_by_one:
        return _within_folds(contest, fitted, fitted.parts, value, names)
    comparison = contest.compare(tests["influence"], after.name, before.name)
    if fitted.parts is not None and not ranked_by_one and not _is_safe(metric, comparison, design):
        comparison = corrected_for_shared_rows(comparison, len(fitted.parts.units), design)
    after_value = _defined(contest.contenders[after.name].value)
    same = ranked_by_one and fitted.keeps_ranking
    return Change(metric, fitted.method.name, value, after_value, comparison, by_ranking=same)


def _is_safe(metric: Metric, comparison: Comparison, design: Design) -> bool:
    """Noise in a map can only cost a strictly proper score, so it has not made a difference for the map."""
    favours_map = comparison.difference is not None and design.outcome(comparison.difference, p=0.0) == "a"
    return metric.strictly_proper and favours_map


def _within_folds(contest: Contest, fitted: Fitted, parts: Parts, value: float | None, names: dict[str, Any]) -> Change:
    """Scores of the same map only are ranked: the mean of the folds' differences, added to the value before."""
    metric, design = contest.metric, replace(contest.design, kind="splits", unit="fold")
    try:
        means = Contest(contest.predictions, metric, design, parts.units).values
    except UndefinedError as error:
        return Change(metric, fitted.method.name, value, None, undefined(error.message, **names), within_folds=True)
    difference = means[names["a"]] - means[names["b"]]
    after = None if value is None else min(max(value + difference, metric.range[0]), metric.range[1])
    comparison = replace(undefined(NO_TEST, **names), difference=difference)
    return Change(metric, fitted.method.name, value, after, comparison, within_folds=True)


def corrected_for_shared_rows(comparison: Comparison, folds: int, design: Design) -> Comparison:
    """Nadeau and Bengio (2003): the maps of k folds share their rows, so the variance is 1 + k test / training rows."""
    if comparison.difference is None or not comparison.standard_error:
        return comparison
    factor = 1 + folds / (folds - 1)
    df = folds - 1 if comparison.df is None else min(comparison.df, folds - 1)
    wider = by_student_t(comparison.difference, comparison.standard_error * factor**0.5, df, design)
    changed = ("p", "outcome", "statistic", "df", "critical", "low", "high", "standard_error")
    details = {**comparison.details, "variance_factor": factor}
    return replace(comparison, details=details, **{name: getattr(wider, name) for name in changed})


def _defined(value: float) -> float | None:
    return value if isfinite(value) else None


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
    bins: int
    mass: bool
    alpha: float
    seed: int

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
        return {
            model.name: diagnose(self.predictions, model.name, bins=self.bins, mass=self.mass, alpha=self.alpha)
            for model in given
        }

    @property
    def headline(self) -> str | None:
        """Whether the model as it is gives calibrated probabilities; None where it gives none."""
        return self.diagnoses[self.model][0].judgement if self.model in self.diagnoses else None

    @property
    def sentence(self) -> str:
        """Whether to calibrate, and how."""
        change, several = self.change(self.goal.full_name, self.best), len(self.fitted) > 1
        metric, after = self.goal.shown_name, number(change.after)
        if change.before is None:
            return (
                f"{self.model} gives scores that are not probabilities; {self.best} turns them into probabilities with "
                f"{metric} {after}, on rows that it was not fitted on."
            )
        values = f"{metric} is {after} after and {number(change.before)} before ({_how_sure(change.comparison)})"
        p = _p(change.comparison)
        if p is not None and p < self.alpha and change.comparison.outcome == "a":
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
            "seed": self.seed,
            "fingerprint": self.predictions.fingerprint,
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
) -> Calibration:
    """Fit maps from scores to probabilities, and compare before with after where the maps were not fitted.

    Given is what `evaluate` takes: the truth and predictions, a table and truth="COLUMN", fitted models with X_test and
    y_test, or `Predictions`; `model` names one of several. `method` is "platt", "isotonic", "temperature", "beta",
    several of them or "all" that can be used. The maps are cross-fitted in `folds` folds; with `fit_on` ("COL=VALUE",
    or true for rows to fit on) they are judged on all other rows. `goal` is a strictly proper metric, by which the best
    method is chosen. `bins` and `mass` are those of the calibration error.

    >>> calibrate([0, 1] * 20, [-1.5, 2.0] * 20).skipped["beta"]
    'needs probabilities, and the model gives other scores'
    """
    by = (fit_on.partition("=")[0],) if isinstance(fit_on, str) else ()
    predictions = predictions_of("calibrate", given, columns, by=by, metrics=asked_metrics(goal, metrics))
    refuse_without_rows(predictions)
    chosen = _chosen_model(predictions, model)
    refuse_one_class(predictions)
    refuse_repeats_of_unknown_rows(predictions)
    wanted = _strictly_proper(catalogue[goal] if isinstance(goal, str) else goal)
    methods, skipped = chosen_methods(method, predictions, chosen)
    fitting, judged, parts, how = _divided(replace(predictions, models=(chosen,)), fit_on, folds, seed)
    fitted = {method.name: fit_method(method, fitting, judged, parts) for method in methods}
    after = replace(judged, models=(judged.models[0], *(fit.model for fit in fitted.values())))
    asked = chosen_metrics(after, metrics)
    if wanted.full_name not in {metric.full_name for metric in asked}:
        asked = (wanted, *asked)
    maps, facts = list(fitted.values()), facts_of_arrays(predictions, chosen)
    changes = changes_of(after, maps, asked, wanted, facts, alpha=alpha, seed=seed)
    notices = notices_of(after, fitting, maps)
    return Calibration(chosen.name, after, wanted, how, fitted, changes, notices, skipped, bins, mass, alpha, seed)


def _divided(
    alone: Predictions, fit_on: str | Array | None, folds: int, seed: int
) -> tuple[Predictions, Predictions, Parts | None, str]:
    """The rows to fit on and those to judge; the folds, where these are the same; and how that was done."""
    if fit_on is not None:
        fitting, judged, how = divided(alone, fit_on)
        return fitting, judged, None, how
    judged = alone.in_canonical_order()
    parts = cross_fitting(judged, folds, seed)
    return judged, judged, parts, parts.how


def _chosen_model(predictions: Predictions, name: str | None) -> Model:
    if name is not None:
        chosen = predictions.model(name)
    elif len(predictions.models) == 1:
        chosen = predictions.models[0]
    else:
        raise UsageError(
            "E_MODELS",
            f"one model is calibrated at a time, and there are {len(predictions.models)}: {listed(predictions.names)}",
            hint="name it: --models NAME",
        )
    score_columns(predictions, chosen)
    return chosen


def _strictly_proper(goal: Metric) -> Metric:
    if goal.strictly_proper:
        return goal
    proper = [name for name, metric in catalogue.items() if metric.strictly_proper and "binary" in metric.tasks]
    raise UsageError(
        "E_GOAL",
        f"{goal.name} cannot choose between maps: it is not strictly proper, so a worse probability may do better",
        hint=f"strictly proper are {', '.join(proper)}",
    )


def _are_probabilities(predictions: Predictions, model: Model) -> bool:
    return why_not(catalogue["calibration_error"], model, facts_of_arrays(predictions, model)) is None


def _p(comparison: Comparison) -> float | None:
    return comparison.p if comparison.p_adjusted is None else comparison.p_adjusted


def _how_sure(comparison: Comparison) -> str:
    p = _p(comparison)
    if p is None:
        return f"no test: {comparison.undefined}"
    family = "" if comparison.p_adjusted == comparison.p else " adjusted for the choice"
    return f"difference {number(comparison.difference)}, {p_value(p)}{family}"
