"""compare(): predictions and a goal become a verdict; the same on another goal; refit() of a search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from referee.catalogue import known_keywords, python_call
from referee.comparing.case import Case
from referee.comparing.checks import less_carried
from referee.comparing.design_choice import asked_test, contest_of, default_test
from referee.comparing.in_time import rows_of_the_past, with_horizon
from referee.comparing.left_out import with_procedures
from referee.comparing.margins import refuse_margin
from referee.comparing.other_goals import on_metric
from referee.comparing.question import (
    predictions_and_goal,
    refuse_no_margin,
    refuse_pooled_ranks,
    refuse_too_few_models,
    refuse_without_positive,
    slices_of,
)
from referee.comparing.significance_test import refuse_unless_valid
from referee.engines import engine_of
from referee.errors import CallError, refuse_alpha
from referee.predictions import as_written, candidate_names, is_fold_scores, splits_of_search, takes_predictions
from referee.scoring import (
    Metric,
    PairMoments,
    chosen_metrics,
    goal_of,
    in_our_words,
    know_errors,
    metrics_beside,
    score_all,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Unpack

    from referee.comparing.contest import Contest
    from referee.comparing.significance_test import SignificanceTest
    from referee.comparing.verdict import Verdict
    from referee.predictions import Columns, Predictions
    from referee.scoring import Scores


MOST_ON_EVERY_METRIC = 49
"""With more models, metrics beside the goal are judged on request only."""


@takes_predictions("goal")
def compare(
    *given: Any,
    goal: str | Metric | None = None,
    test: str | SignificanceTest = "auto",
    margin: float | None = None,
    delta: float | None = None,
    metrics: str | Metric | Sequence[str | Metric] | None = None,
    by: str | Sequence[str] | Mapping[str, Any] = (),
    adjust: Literal["holm", "hochberg", "bh", "bonferroni", "none"] = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    unit: Literal["row", "fold", "slice"] | None = None,
    subsets: int | None = None,
    partitions: int = 25,
    train_size: float | None = None,
    time: Any = None,
    horizon: int | None = None,
    **columns: Unpack[Columns],
) -> Verdict:
    """Name the winner on the goal metric, or a tie.

    The input is the truth and the models' predictions by name; a table (frame, file, database) and truth="COLUMN";
    fitted models, X_test and y_test; or `Predictions`. `docs/guide/inputs.md` shows all of them.

    `margin` is the difference that matters, `delta` the one to plan rows for. `metrics` are shown besides the goal
    (default: all that apply; "goal": no other). `positive` names the positive class. `models` names the columns of a
    table, or {"nn": "nn_{class}"} one column per class; `labels` the models' own decisions. id, weight, group, fold,
    repeat, baseline and `time` (when a row was observed; rows close in time may be similar) are columns or arrays;
    `horizon` is how many steps ahead the forecasts look. The rows determine the design, unless `unit`, `subsets` or
    `by` asks for another. The scikit-learn names scoring, pos_label, sample_weight and random_state also work.

    >>> y, good, fair = [0, 1] * 50, [0.2, 0.9, 0.3, 0.8] * 25, [0.2, 0.9, 0.7, 0.4] * 25
    >>> verdict = compare(y, {"good": good, "fair": fair}, goal="accuracy")
    >>> verdict.outcome, verdict.winners, verdict.values
    ('winner', ('good',), {'good': 1.0, 'fair': 0.5})
    >>> compare({"y": y, "good": good, "fair": fair}, truth="y", goal="roc_auc", metrics="goal").outcome
    'winner'
    """
    refuse_alpha(alpha)
    refuse_no_margin(margin, delta, alpha)
    predictions, goal = predictions_and_goal(
        "compare", given, columns, goal=goal, metrics=metrics, by=by, train_size=train_size, time=time, test=test,
        unit=unit, subsets=subsets,
    )  # fmt: skip
    refuse_too_few_models(predictions)
    (wanted,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
    refuse_margin(margin, wanted, len(predictions.classes))
    refuse_without_positive(predictions, wanted)
    slices = slices_of(predictions, by)
    many = len(predictions.models) > MOST_ON_EVERY_METRIC or not predictions.has_rows
    goal_alone = metrics is None and many
    beside = metrics_beside(predictions, wanted, "goal" if goal_alone else metrics)
    asked = with_horizon(asked_test(test, wanted), horizon)
    predictions = rows_of_the_past(predictions, wanted, asked, unit)
    sizes = None if predictions.scored is not None else train_size
    design = {"unit": unit, "subsets": subsets, "partitions": partitions, "train_size": sizes, "horizon": horizon}
    contest = contest_of(predictions, wanted, asked, by=slices, alpha=alpha, seed=seed, **design)  # type: ignore[arg-type]
    refuse_pooled_ranks(contest)
    scores = _scores(predictions, contest, (wanted, *beside), slices)
    chosen = default_test(contest.design) if asked is None or contest.within is not None else asked
    refuse_unless_valid(chosen, contest.design)
    if chosen.random and contest.by_rows:
        contest = replace(contest, predictions=contest.predictions.in_canonical_order())
    data, said = as_written(given, {**columns, "time": time}, by)
    call = python_call(
        compare, *data, goal=goal, test=test, margin=margin, delta=delta, metrics=metrics, adjust=adjust, alpha=alpha,
        seed=seed, **design | {"train_size": train_size}, **said,
    )  # fmt: skip
    verdict = Case(contest, chosen, scores, adjust, margin, margin if delta is None else delta).verdict()
    renamed = in_our_words(goal, wanted)
    reasons = (*([renamed] if renamed else []), *verdict.reasons)
    return replace(verdict, call=call, reasons=reasons, goal_alone=goal_alone)


def _scores(predictions: Predictions, contest: Contest, metrics: Sequence[Metric], by: Sequence[str]) -> Scores:
    """What is in memory may be gone through again when more is asked for; else all of it is asked now."""
    goal, *beside = metrics
    if contest.design.kind != "data_sets" and not predictions.has_rows and engine_of(predictions).SUMS_PAIRS:
        PairMoments.of_all(predictions, metrics, shown=less_carried(goal))  # whose sums also give each value's error
        know_errors(predictions, beside, of_classes=False)
    scores = score_all(
        predictions, metrics, [goal], by, alpha=contest.design.alpha, errors_of_units=False,
        in_full=[goal] if predictions.has_rows else None, of_classes=predictions.has_rows,
    )  # fmt: skip
    return with_procedures(scores, contest) if contest.design.kind == "left_out" else scores


def verdict_under(verdict: Verdict, goal: str | Metric) -> Verdict:
    """The verdict on another goal, on the same contest and by the default test of its design."""
    assert verdict.contest is not None
    predictions = verdict.predictions
    (metric,) = chosen_metrics(predictions, [goal_of(goal, predictions.task)])
    refuse_without_positive(predictions, metric)
    contest, scores = on_metric(verdict.contest, metric), verdict.goal_scores
    if metric.full_name not in {known.full_name for known in scores.metrics}:
        scores = score_all(predictions, [metric], [metric], alpha=verdict.alpha, errors_of_units=False)
    test = default_test(contest.design)
    return Case(contest, test, replace(scores, metrics=(metric,)), verdict.adjustment, None, None).verdict()


@known_keywords()
def refit(
    goal: str | None = None,
    *,
    simplest: Callable[[Mapping[str, Any]], Any] | None = None,
    test_fraction: float | None = None,
    alpha: float = 0.05,
) -> Callable[[Mapping[str, Any]], int]:
    """Choose the simplest candidate that is not significantly worse than the best: `GridSearchCV(refit=refit("f1"))`.

    The simplest candidate is the first in the grid's order, so put simple values first; or the one with the smallest
    `simplest(parameters)`. The splits are taken to be one cross-validation, not repeated, unless `test_fraction` gives
    the share of the rows that a split tests.

    >>> results = {"params": [{"depth": 1}, {"depth": 2}, {"depth": 9}]}
    >>> folds = [(0.5, 0.80, 0.81), (0.6, 0.88, 0.86), (0.5, 0.80, 0.82), (0.6, 0.85, 0.86), (0.5, 0.82, 0.81)]
    >>> results |= {f"split{place}_test_score": scores for place, scores in enumerate(folds)}
    >>> refit("accuracy")(results)
    1
    """

    def chosen(results: Mapping[str, Any]) -> int:
        if not is_fold_scores(results):
            given = "refit() needs the cv_results_ of a search"
            raise CallError("E_CALL", given, hint='write GridSearchCV(..., refit=referee.refit("accuracy"))')
        share = test_fraction or 1 / splits_of_search(results)
        verdict = compare(results, goal=goal, test_fraction=share, alpha=alpha)
        names = candidate_names(results["params"])
        may_be_best = [names.index(name) for name in verdict.winners or (verdict.best,)]
        key = (lambda place: simplest(results["params"][place])) if simplest else (lambda place: place)
        return min(may_be_best, key=key)

    return chosen
