"""Choosing thresholds for an objective, judging them on other rows and comparing the models, each at its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.design import Design
from referee.errors import Notice, listed
from referee.thresholds.choosing import choose_all
from referee.thresholds.chosen import Threshold, Thresholds
from referee.thresholds.comparing import compare_all, rarer_rows
from referee.thresholds.judging import decided
from referee.thresholds.keeping import judged_limits, missed_limits
from referee.thresholds.objective import Objective
from referee.thresholds.parts import parts_of
from referee.verdict.doubts import TOO_FEW
from referee.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from referee.comparison import Comparison
    from referee.metric import Metric
    from referee.predictions import Predictions
    from referee.thresholds.choosing import Choice
    from referee.thresholds.judging import Decided
    from referee.thresholds.parts import Parts


def best_thresholds(
    predictions: Predictions,
    goal: str | Metric | Objective,
    *,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    capacity: float | None = None,
    prevalence: float | None = None,
    chosen_on: Predictions | tuple[str, str] | None = None,
    folds: int = 10,
    alpha: float = 0.05,
    seed: int = 0,
) -> Thresholds:
    """Choose each model's threshold for a goal: any metric of the confusion matrix.

    `at_least={"precision": 0.9}`, `at_most` and `capacity` (rows per thousand that can be called positive) limit what
    is allowed; `prevalence` is the share of positives where the threshold will be used. It is judged by cross-fitting,
    or on other rows than those of `chosen_on`: predictions, or the column and the value that mark them. `folds=0`
    judges it on the rows that it was chosen on, and says so.

    >>> from referee import Predictions
    >>> predictions = Predictions.from_arrays([1, 0, 1, 0] * 10, {"m": [0.9, 0.7, 0.6, 0.1] * 10})
    >>> found = best_thresholds(predictions, "expected_cost(fp=1, fn=5)")["m"]
    >>> round(found.threshold, 2), found.apparent
    (0.35, 0.25)
    """
    objective = Objective.of(goal, at_least=at_least, at_most=at_most, capacity=capacity, prevalence=prevalence)
    design = Design("rows", unit="row", better=objective.metric.better, alpha=alpha, seed=seed)
    parts = parts_of(predictions, chosen_on, folds, seed)
    choices = choose_all(parts, objective, alpha)
    contenders = _contenders(parts, choices, objective)
    chosen = tuple(_threshold(one, contenders.get(one.model), objective, alpha) for one in choices)
    missed = {name: missed_limits(one, objective) for name, one in contenders.items()}
    comparisons = tuple(compare_all(parts, contenders, objective, missed, design))
    about = [*_about(chosen, objective), *_about_limits(missed, chosen)]
    about += [*_about_few(contenders), *_about_groups(comparisons)]
    notices = (*predictions.notices, *parts.notices, *about)
    return Thresholds(
        predictions, objective, parts.how, chosen, comparisons, notices, alpha, seed, parts.folds,
    )  # fmt: skip


def _contenders(parts: Parts, choices: Sequence[Choice], objective: Objective) -> dict[str, Decided]:
    """Each model's decisions on the judged rows; none where these are not in memory."""
    called = {one.model: one.called_positive for one in choices if one.called_positive is not None}
    if not called:
        return {}
    return decided(parts.judged, called, objective.metric, objective.prevalence)


def _threshold(choice: Choice, contender: Decided | None, objective: Objective, alpha: float) -> Threshold:
    best, apparent = choice.best, choice.apparent
    nothing = {"value": apparent, "value_low": None, "value_high": None, "standard_error": None}
    found: dict[str, Any] = nothing if contender is None else contender.uncertainty(alpha)
    reason = objective.metric.undefined_when or "not a number" if found["value"] is None else None
    P, N = choice.rows  # noqa: N806 (the lecture's letters)
    shifted = objective.shifted(choice.above)
    return Threshold(
        choice.model, best.threshold, choice.low, choice.high, **found, apparent=apparent,
        flagged=float((shifted.tp + shifted.fp)[0] / (shifted.P + shifted.N)),
        tp=best.tp, fp=best.fp, fn=P - best.tp, tn=N - best.fp, reached=choice.reached, undefined=reason,
        limits={} if contender is None else judged_limits(contender, objective),
    )  # fmt: skip


def _about(chosen: Sequence[Threshold], objective: Objective) -> Iterator[Notice]:
    for one in chosen:
        if not one.reached:
            limited = objective.limits or objective.capacity is not None
            why = "keeps the limits" if limited else "has a defined value"
            yield Notice("W_UNREACHED", f"{objective}: no threshold of {one.model} {why}, so no row is called positive")


def _about_limits(missed: Mapping[str, Sequence[str]], chosen: Sequence[Threshold]) -> Iterator[Notice]:
    for one in chosen:
        if one.reached and missed.get(one.model):
            what = f"{one.model} misses {listed(missed[one.model])} on the judged rows"
            yield Notice("W_LIMIT", f"{what}, though it keeps it where the threshold was chosen")


def _about_groups(comparisons: Sequence[Comparison]) -> Iterator[Notice]:
    reasons = [one.details.get("groups", {}).get("too_few") for one in comparisons]
    yield from (Notice("W_FEWGROUPS", reason) for reason in dict.fromkeys(reasons) if reason)


def _about_few(contenders: Mapping[str, Decided]) -> Iterator[Notice]:
    for one in contenders.values():
        if rarer_rows(one) < TOO_FEW:
            label, rows = one.rarer_class or ("", 0)
            what = f"class {label!r} has {counted(rows, 'judged row')}, fewer than {TOO_FEW}"
            yield Notice("W_FEWROWS", f"{what}: the thresholds are hardly known, and no model is named the better one")
            return
