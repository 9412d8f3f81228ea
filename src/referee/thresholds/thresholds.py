"""Threshold: one model's, with what it is worth on rows that it was not chosen on; Thresholds: those of all models."""

from __future__ import annotations

from dataclasses import field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Unpack

from referee.comparing import TOO_FEW, Comparison, Design
from referee.document import Document, Part, Result, counted, finite
from referee.engines import reaches
from referee.errors import Notice, UsageError, listed
from referee.predictions import Columns, Predictions, predictions_of, takes_predictions
from referee.records import dataclass
from referee.scoring import Metric, goal_of, metrics, with_one_scale
from referee.thresholds.choice import Choice, choose
from referee.thresholds.judgement import Decided, Parts, decided, parts_of, values_as_given
from referee.thresholds.objective import Objective, judged_limits, missed_limits
from referee.thresholds.redraws import compare_all, rarer_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.thresholds.costs import Regions

HOW = {
    "cross_fitted": "chosen on all folds except one and evaluated on that fold, in turn",
    "other_rows": "chosen on some rows and evaluated on the others",
    "same_rows": "chosen and evaluated on the same rows",
}


@dataclass(frozen=True)
class Threshold:
    """Call a row positive if its score is at least this.

    `value` is what the way of choosing is worth on rows that were not chosen on; `apparent` the same on the rows that
    the threshold was chosen on, which is optimistic by the `optimism`.
    """

    model: str
    threshold: float
    """Infinite where calling no row positive is best, minus infinite where calling all."""
    low: float
    high: float
    """Thresholds from low to high cannot be told from the best one on these rows."""
    value: float | None
    value_low: float | None
    value_high: float | None
    standard_error: float | None
    apparent: float | None
    flagged: float
    """The share of rows called positive where it was chosen."""
    tp: float
    fp: float
    fn: float
    tn: float
    reached: bool = True
    """Whether a threshold keeps the limits; if none does, no row is called positive."""
    undefined: str | None = None
    limits: Mapping[str, float | None] = field(default_factory=dict)
    """What each limit came to on the evaluation rows."""
    value_as_given: float | None = None
    """What the threshold that was given, such as 0.5, is worth on the evaluation rows, where these are in memory."""

    @property
    def optimism(self) -> float | None:
        """What choosing and judging on the same rows adds to the value, in its own units."""
        return None if self.apparent is None or self.value is None else self.apparent - self.value

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; an infinite threshold is null, and `calls_positive` says what that means."""
        calls = "some" if isfinite(self.threshold) else "none" if self.threshold > 0 else "all"
        return finite(vars(self)) | {"optimism": self.optimism, "calls_positive": calls}


@dataclass(frozen=True, repr=False)
class Thresholds(Result):
    """The thresholds of all models for one objective, and the models compared, each at its own.

    >>> from referee import Predictions
    >>> from referee.thresholds import threshold
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 10, {"m": [0.9, 0.7, 0.6, 0.1] * 10})
    >>> threshold(predictions, "accuracy")["m"].threshold
    0.8
    """

    predictions: Predictions
    objective: Objective
    how: str
    """cross_fitted, other_rows or same_rows."""
    chosen: tuple[Threshold, ...]
    comparisons: tuple[Comparison, ...]
    notices: tuple[Notice, ...]
    alpha: float
    seed: int
    folds: int = 0
    regions: Regions | None = None

    def __getitem__(self, model: str) -> Threshold:
        for threshold in self.chosen:
            if threshold.model == model:
                return threshold
        raise KeyError(model)

    def to_dict(self) -> dict[str, Any]:
        more = {} if self.regions is None else {"regions": self.regions.to_dict()}
        return {
            "rows": self.predictions.rows,
            "goal": str(self.objective),
            "alpha": self.alpha,
            "seed": self.seed,
            "fingerprint": self.predictions.fingerprint,
            "read": self.predictions.reading,
            "better": self.objective.better,
            "how": self.how,
            "folds": self.folds or None,
            "thresholds": [choice.to_dict() for choice in self.chosen],
            "comparisons": [comparison.to_dict() for comparison in self.comparisons],
            **more,
            "warnings": [vars(notice) for notice in self.notices],
        }

    @property
    def command(self) -> str:
        return "threshold"

    def document(self, *, whole: bool = False) -> Document:  # noqa: ARG002 (nothing in it is long)
        from referee.thresholds.thresholds_document import thresholds_document

        return thresholds_document(self)

    def explanation(self) -> tuple[Part, ...]:
        """What each threshold gives, with its counts filled in."""
        from referee.thresholds.thresholds_document import explained_thresholds

        return explained_thresholds(self)

    def records(self) -> list[dict[str, Any]]:
        """One for each model; limits are known where rows are in memory."""
        rows = [chosen.to_dict() | dict(chosen.limits) for chosen in self.chosen]
        names = [name for name in max(rows, key=len) if name != "limits"]
        return [{name: row.get(name) for name in names} for row in rows]


@takes_predictions("goal")
def threshold(
    *given: Any,
    goal: str | Metric | Objective | None = None,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    capacity: float | None = None,
    prevalence: float | None = None,
    chosen_on: Predictions | tuple[str, str] | None = None,
    folds: int = 10,
    alpha: float = 0.05,
    seed: int = 0,
    **columns: Unpack[Columns],
) -> Thresholds:
    """Choose each model's threshold for a goal: any metric of the confusion matrix.

    The input is the same as for `compare`: truth and predictions, a table and truth="COLUMN", fitted models with X_test
    and y_test, or `Predictions`. `at_least={"precision": 0.9}`, `at_most` and `capacity` (rows per thousand that can be
    called positive) are limits to keep; `prevalence` is the share of positives where the threshold will be applied. The
    threshold is evaluated by cross-fitting, or on rows other than those of `chosen_on`: predictions, or the column and
    value that mark them. `folds=0` evaluates it on the rows that it was chosen on, and says so.

    >>> found = threshold([1, 0, 1, 0] * 10, {"m": [0.9, 0.7, 0.6, 0.1] * 10}, goal="expected_cost(fp=1, fn=5)")["m"]
    >>> round(found.threshold, 2), found.apparent
    (0.35, 0.25)
    """
    by = chosen_on[:1] if isinstance(chosen_on, tuple) else ()
    predictions = predictions_of("threshold", given, columns, by=by, metrics=[metrics["roc_auc"]], push_down=folds == 0)
    predictions = with_one_scale(predictions)
    goal = goal_of(None, predictions.task) if goal is None else goal
    objective = Objective.of(goal, at_least=at_least, at_most=at_most, capacity=capacity, prevalence=prevalence)
    design = Design("rows", unit="row", better=objective.metric.better, alpha=alpha, seed=seed)
    parts = parts_of(predictions, chosen_on, folds, seed)
    choices = [choose(parts, model, objective, alpha) for model in parts.chosen_on.models]
    contenders = _contenders(parts, choices, objective)
    chosen = tuple(_threshold(choice, contenders.get(choice.model), objective, alpha) for choice in choices)
    as_given = values_as_given(parts.judged, contenders, objective)
    chosen = tuple(replace(cut, value_as_given=as_given.get(cut.model)) for cut in chosen)
    missed = {name: missed_limits(contender, objective) for name, contender in contenders.items()}
    comparisons = tuple(compare_all(parts, contenders, objective, missed, design))
    about = [*_about(chosen, objective), *_about_limits(missed, chosen)]
    about += [*_about_few(contenders), *_about_groups(comparisons)]
    notices = (*predictions.notices, *parts.notices, *about)
    return Thresholds(
        predictions, objective, parts.how, chosen, comparisons, notices, alpha, seed, parts.folds,
    )  # fmt: skip


def _contenders(parts: Parts, choices: Sequence[Choice], objective: Objective) -> dict[str, Decided]:
    """Each model's decisions on the evaluation rows; none where these are not in memory."""
    called = {choice.model: choice.called_positive for choice in choices if choice.called_positive is not None}
    if not called:
        return {}
    return decided(parts.judged, called, objective.metric, objective.prevalence)


def _threshold(choice: Choice, contender: Decided | None, objective: Objective, alpha: float) -> Threshold:
    best, apparent = choice.best, choice.apparent
    nothing = {"value": apparent, "value_low": None, "value_high": None, "standard_error": None}
    judged: dict[str, Any] = nothing if contender is None else contender.uncertainty(alpha)
    reason = objective.metric.undefined_when or "not a number" if judged["value"] is None else None
    P, N = choice.rows  # noqa: N806 (the lecture's letters)
    shifted = objective.shifted(choice.above)
    return Threshold(
        choice.model, best.threshold, choice.low, choice.high, **judged, apparent=apparent,
        flagged=float((shifted.tp + shifted.fp)[0] / (shifted.P + shifted.N)),
        tp=best.tp, fp=best.fp, fn=_rest(P, best.tp), tn=_rest(N, best.fp), reached=choice.reached, undefined=reason,
        limits={} if contender is None else judged_limits(contender, objective),
    )  # fmt: skip


def _rest(rows: float, called: float) -> float:
    """Sums of weights round: what is nothing but that is no row."""
    return 0.0 if reaches(called, rows) else rows - called


def _about(chosen: Sequence[Threshold], objective: Objective) -> Iterator[Notice]:
    for threshold in chosen:
        if not threshold.reached:
            limited = objective.limits or objective.capacity is not None
            why = "keeps the limits" if limited else "has a defined value"
            yield Notice(
                "W_UNREACHED", f"{objective}: no threshold of {threshold.model} {why}, so no row is called positive"
            )


def _about_limits(missed: Mapping[str, Sequence[str]], chosen: Sequence[Threshold]) -> Iterator[Notice]:
    for threshold in chosen:
        if threshold.reached and missed.get(threshold.model):
            what = f"{threshold.model} misses {listed(missed[threshold.model])} on the evaluation rows"
            yield Notice("W_LIMIT", f"{what}, though it keeps it where the threshold was chosen")


def _about_groups(comparisons: Sequence[Comparison]) -> Iterator[Notice]:
    reasons = [comparison.details.get("groups", {}).get("too_few") for comparison in comparisons]
    yield from (Notice("W_FEWGROUPS", reason) for reason in dict.fromkeys(reasons) if reason)


def _about_few(contenders: Mapping[str, Decided]) -> Iterator[Notice]:
    for contender in contenders.values():
        if rarer_rows(contender) < TOO_FEW:
            label, rows = contender.rarer_class or ("", 0)
            what = f"class {label!r} has {counted(rows, 'evaluation row')}, fewer than {TOO_FEW}"
            yield Notice("W_FEWROWS", f"{what}: the thresholds are very uncertain, and no model is named as better")
            return


def limits(given: Sequence[str]) -> dict[str, float]:
    """Read METRIC=X pairs; the metric may have parameters.

    >>> limits(["precision=0.9", "f_beta(beta=2)=0.5"])
    {'precision': 0.9, 'f_beta(beta=2)': 0.5}
    """
    bounds = {}
    for text in given:
        name, equals, bound = text.rpartition("=")
        try:
            bounds[name.strip()] = float(bound)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise UsageError("E_SYNTAX", f"{text!r} is not of the form METRIC=X", hint="such as precision=0.9")
    return bounds
